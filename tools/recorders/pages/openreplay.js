import Tracker from '@openreplay/tracker';

const isOpen = location.search.includes('open');
const tracker = new Tracker({
  projectKey: 'key',
  ingestPoint: `${uploads.origin}/up/openreplay`,
  __DISABLE_SECURE_MODE: true,
  ...(isOpen && { defaultInputMode: 0, obscureInputNumbers: false, obscureTextNumbers: false }),
});
tracker.start();
