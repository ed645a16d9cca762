import { init } from '@amplitude/session-replay-browser';

init('key', {
  deviceId: 'device',
  sessionId: Date.now(),
  sampleRate: 1,
  configServerUrl: `${location.origin}/up/amplitude-config`,
  trackServerUrl: `${location.origin}/up/amplitude`,
  ...(location.search.includes('open') && { privacyConfig: { defaultMaskLevel: 'light' } }),
});
