import { H } from 'highlight.run';

H.init('1', {
  backendUrl: `${uploads.origin}/up/highlight`,
  otlpEndpoint: `${uploads.origin}/up/highlight-otlp`,
  ...(location.search.includes('open') && { privacySetting: 'none' }),
});
