/** Runs the bundled worker in workerd. Arguments: its file, address and secret key of a service. */
import { readFileSync } from 'node:fs';
import { Miniflare } from 'miniflare';

const [file, baseUrl, secretKey] = process.argv.slice(2);
const compatibilityDate = '2026-01-01';
const script = readFileSync(file, 'utf8');
const worker = new Miniflare({ modules: true, script, compatibilityDate });
const init = { method: 'POST', body: JSON.stringify({ baseUrl, secretKey }) };
const response = await worker.dispatchFetch('http://shop', init);
console.log(await response.text());
await worker.dispose();
