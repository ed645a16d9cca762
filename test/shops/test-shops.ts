/**
 * The main scenarios in a third of the shops, and a third of the controls, as tests of one engine.
 * The three engines have all of them between them; `npm run shops` has all in each engine.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../tools/prepare/browsers.ts';
import { SHOPS } from './catalogue.ts';
import { engineOf } from './choice.ts';
import { CONTROLS, noticed } from './controls.ts';
import { isFit, run, SCENARIOS } from './scenarios.ts';
import { ShopServer } from './server.ts';
import { openTab, type Tab } from './tabs.ts';

export function testShops(engine: Engine): void {
  let server: ShopServer;
  let tab: Tab;
  beforeAll(async () => {
    server = await new ShopServer().start();
    tab = await openTab(engine);
  });
  afterAll(async () => {
    await tab.close();
    await server.stop();
  });

  const main = SCENARIOS.filter((scenario) => scenario.main);
  const here = SHOPS.filter((shop) => engineOf(shop) === engine);
  const left = SHOPS.filter((shop) => engineOf(shop) !== engine).map(({ name }) => name);
  console.log(`Left to \`npm run shops\` in ${engine}: ${left.join(', ')}`);
  for (const scenario of main) {
    const shops = here.filter((shop) => isFit(scenario, shop, engine));
    if (!shops.length) continue; // another engine has the only shop that it fits
    // Claim card-on-screen
    // Claim no-silent-press
    // Claim one-post
    // Claim no-clear-text
    describe(`each shop: ${scenario.name}`, () => {
      test.for(shops.map((shop) => [shop.name, shop] as const))('%s', async ([, shop]) => {
        const result = await run(tab, server, shop, scenario);
        expect(result?.error).toBeUndefined();
        expect(result?.violations ?? []).toEqual([]);
      });
    });
  }

  const controls = CONTROLS.filter((control) => engineOf(control) === engine);
  // Control card-on-screen
  // Control no-silent-press
  // Control one-post
  // Control no-clear-text
  describe('a page with a fault is noticed', () => {
    test.for(controls.map((control) => [control.name, control] as const))(
      '%s',
      async ([, control]) => {
        expect(await noticed(tab, server, control)).toEqual(control.expected);
      },
    );
  });

  test('every page is in the catalogue', () => {
    const files = readdirSync(join(import.meta.dirname, 'fixtures'));
    const pages = files.filter((file) => file.endsWith('.html') && !file.includes('.fragment.'));
    const named = SHOPS.map(({ name }) => `${name}.html`);
    expect([...named, 'edd-check.html'].sort()).toEqual(pages.sort());
  });
}
