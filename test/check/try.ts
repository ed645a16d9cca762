import { SHOPS } from '../shops/catalogue.ts';
import { ShopServer } from '../shops/server.ts';
import { openTab } from '../shops/tabs.ts';
import { inShort, visitAfter, visitBefore, visitOther } from './shops.ts';

const engine = (process.argv[2] ?? 'chromium') as 'chromium';
const names = process.argv.slice(3);
const server = await new ShopServer().start();
const tab = await openTab(engine);
const start = Date.now();
for (const shop of SHOPS) {
  if (names.length && !names.includes(shop.name)) continue;
  const todo: [string, (checked: boolean) => Promise<any>, boolean][] = [
    ['before', (c) => visitBefore(tab, server, shop, c), !shop.needsLibrary],
    ['after', (c) => visitAfter(tab, server, shop, c), true],
    ['other', (c) => visitOther(tab, server, shop, c), !!shop.other],
  ];
  for (const [phase, visit, fits] of todo) {
    if (!fits) continue;
    try {
      const plain = await visit(false);
      await tab.closeOthers();
      const checked = await visit(true);
      await tab.closeOthers();
      const same = JSON.stringify(plain.outcome) === JSON.stringify(checked.outcome);
      console.log(
        JSON.stringify([
          shop.name,
          phase,
          inShort(checked.report),
          checked.report.presses.map((p: any) => p.text),
        ]),
      );
      if (!same || checked.outcome.violations.length)
        console.log(
          '  DIFF',
          JSON.stringify(plain.outcome),
          '\n      ',
          JSON.stringify(checked.outcome),
        );
    } catch (error) {
      console.log(shop.name, phase, 'ERROR', (error as Error).message);
    }
  }
}
console.log((Date.now() - start) / 1000);
await tab.close();
await server.stop();
process.exit();
