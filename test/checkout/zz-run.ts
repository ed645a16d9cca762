import { explore } from '/tmp/wt/checkout/test/checkout/explore.ts';
import { checkoutOf } from '/tmp/wt/checkout/src/checkout/checkout.ts';
const bounds = JSON.parse(process.argv[2]!);
const t = Date.now();
const r = await explore({ checkoutOf, bounds, pages: bounds.pages, timeMs: Number(process.argv[3] ?? 20000) });
console.log(JSON.stringify(r, null, 1), Date.now() - t, 'ms', Math.round(process.memoryUsage().rss/1e6));
