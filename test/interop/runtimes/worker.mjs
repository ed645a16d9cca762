/** The shop in a Workers runtime. Bundled to one file by runtimes.test.ts. */
import { runShop } from './checkout.mjs';

export default {
  fetch: async (request) => Response.json(await runShop(await request.json())),
};
