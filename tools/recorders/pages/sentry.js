import * as Sentry from '@sentry/browser';

const isOpen = location.search.includes('open');
Sentry.init({
  dsn: `http://key@${uploads.host}/1`,
  replaysSessionSampleRate: 1,
  integrations: [
    Sentry.replayIntegration({
      minReplayDuration: 0,
      ...(isOpen && { maskAllText: false, maskAllInputs: false }),
    }),
  ],
});
setInterval(() => Sentry.getReplay().flush(), 700);
