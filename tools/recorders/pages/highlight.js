import { H } from 'highlight.run';

H.init('1', {
  backendUrl: `${location.origin}/up/highlight`,
  otlpEndpoint: `${location.origin}/up/highlight-otlp`,
  ...(location.search.includes('open') && { privacySetting: 'none' }),
});
