import { BrowserAgent } from '@newrelic/browser-agent/loaders/browser-agent';

const isOpen = location.search.includes('open');
new BrowserAgent({
  init: {
    ssl: false,
    session_replay: {
      enabled: true,
      sampling_rate: 100,
      error_sampling_rate: 100,
      ...(isOpen && { mask_all_inputs: false, mask_input_options: {}, mask_text_selector: '' }),
    },
  },
  info: {
    beacon: `${uploads.host}/up/newrelic`,
    errorBeacon: `${uploads.host}/up/newrelic`,
    licenseKey: 'key',
    applicationID: '1',
    sa: 1,
  },
  loader_config: {
    accountID: '1',
    trustKey: '1',
    agentID: '1',
    licenseKey: 'key',
    applicationID: '1',
  },
});
