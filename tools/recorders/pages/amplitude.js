import { init } from '@amplitude/session-replay-browser';

init('key', {
  deviceId: 'device',
  sessionId: Date.now(),
  sampleRate: 1,
  configServerUrl: `${uploads.origin}/up/amplitude-config`,
  trackServerUrl: `${uploads.origin}/up/amplitude`,
  ...(location.search.includes('open') && { privacyConfig: { defaultMaskLevel: 'light' } }),
});
