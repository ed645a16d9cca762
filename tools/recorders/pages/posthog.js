import posthog from 'posthog-js/dist/module.full.no-external';

posthog.init('key', {
  opt_out_useragent_filter: true,
  api_host: `${uploads.origin}/up/posthog`,
  ...(location.search.includes('open') && {
    session_recording: { maskAllInputs: false, maskInputOptions: {} },
  }),
});
