/**
 * `npm run check-shops`: every shop of test/shops with the check and without it, before and after it
 * has Cardseal. Fails if a leak is missed, if a shop that pays is accused, or if a visit under the
 * check ends otherwise. Words after the command choose: an engine, and shops.
 */
import { SHOPS } from '../shops/catalogue.ts';
import { ShopServer } from '../shops/server.ts';
import { openTab } from '../shops/tabs.ts';
import { ENGINES, type Engine } from '../tools/prepare/browsers.ts';
import { compareVisits } from './shops.ts';

const words = process.argv.slice(2);
const engine = ENGINES.find((it) => words.includes(it)) ?? ('chromium' satisfies Engine);
const names = words.filter((word) => word !== engine);

const server = await new ShopServer().start();
const tab = await openTab(engine);
let faults = 0;
for (const shop of SHOPS) {
  if (names.length && !names.includes(shop.name)) continue;
  const problems = await compareVisits(tab, server, shop).catch((error: Error) => [error.message]);
  faults += problems.length;
  console.log(`${problems.length ? 'X' : '.'} ${shop.name}`);
  for (const problem of problems) console.log(`    ${problem}`);
}
await tab.close();
await server.stop();
console.log(`${engine}: ${faults} faults`);
process.exit(faults ? 1 : 0);
