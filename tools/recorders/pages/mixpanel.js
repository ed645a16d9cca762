import mixpanel from 'mixpanel-browser';

mixpanel.init('token', {
  api_host: `${uploads.origin}/up/mixpanel`,
  autocapture: true,
  ignore_dnt: true,
  record_sessions_percent: 100,
  record_min_ms: 0,
  ...(location.search.includes('open') && {
    record_mask_all_inputs: false,
    record_mask_all_text: false,
  }),
});
