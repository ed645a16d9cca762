/**
 * Some shops of test/shops under the check. `npm run check-shops` visits all of them; words after the
 * command choose an engine and shops.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SHOPS } from '../shops/catalogue.ts';
import { ShopServer } from '../shops/server.ts';
import { openTab, type Tab } from '../shops/tabs.ts';
import { compareVisits } from './shops.ts';
import { BEFORE } from './shops-table.ts';

/** By the browser, by jQuery, by Turbo, and from several boxes. */
const SAMPLE = ['plain', 'opencart-panel', 'turbo-form', 'korea'];

let server: ShopServer;
let tab: Tab;
beforeAll(async () => {
  server = await new ShopServer().start();
  tab = await openTab('chromium');
});
afterAll(async () => {
  await tab.close();
  await server.stop();
});

test.each(SAMPLE)(
  '%s: every leak is found, nobody who pays is accused, and the shop ends as without the check',
  async (name) => {
    const shop = SHOPS.find((it) => it.name === name)!;
    expect(await compareVisits(tab, server, shop)).toEqual([]);
  },
  60_000,
);

test('the table has each shop that works without the library', () => {
  const expected = SHOPS.filter(({ needsLibrary }) => !needsLibrary).map(({ name }) => name);
  expect(Object.keys(BEFORE).sort()).toEqual(expected.sort());
  for (const found of Object.values(BEFORE)) expect(found.length).toBeGreaterThan(0);
});
