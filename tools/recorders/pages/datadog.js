import { datadogRum } from '@datadog/browser-rum';

datadogRum.init({
  applicationId: 'a',
  clientToken: 'pub1',
  proxy: `${uploads.origin}/up/datadog`,
  service: 'shop',
  sessionSampleRate: 100,
  sessionReplaySampleRate: 100,
  trackUserInteractions: true,
  ...(location.search.includes('open') && { defaultPrivacyLevel: 'allow' }),
});
datadogRum.startSessionReplayRecording({ force: true });
setInterval(() => window.dispatchEvent(new Event('beforeunload')), 800);
