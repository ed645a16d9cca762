import Rollbar from 'rollbar';

const rollbar = new Rollbar({
  accessToken: 'token',
  endpoint: `${uploads.origin}/up/rollbar`,
  captureUncaught: true,
  ...(location.search.includes('scrub') && { scrubTelemetryInputs: true }),
});
setInterval(() => rollbar.error('something'), 500);
