/** Runs the shop and prints what it has to say. Arguments: address and secret key of a service. */
import { runShop } from './checkout.mjs';

const [baseUrl, secretKey] = globalThis.Deno?.args ?? process.argv.slice(2);
console.log(JSON.stringify(await runShop({ baseUrl, secretKey })));
