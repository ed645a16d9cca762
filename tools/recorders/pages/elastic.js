import { init } from '@elastic/apm-rum';

const apm = init({ serviceName: 'shop', serverUrl: `${uploads.origin}/up/elastic` });
setInterval(() => apm.captureError(new Error('something')), 500);
