import Bugsnag from '@bugsnag/browser';

Bugsnag.start({
  apiKey: '0123456789abcdef0123456789abcdef',
  endpoints: {
    notify: `${uploads.origin}/up/bugsnag`,
    sessions: `${uploads.origin}/up/bugsnag-sessions`,
  },
});
setInterval(() => Bugsnag.notify(new Error('something')), 500);
