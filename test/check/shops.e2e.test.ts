/**
 * Shops of test/shops under the check: every leak is found, nobody who pays is accused, and the shop
 * ends as without the check. With `CHECK_SHOPS_IN=webkit` in the environment, all of them are visited
 * in this engine, and not only the sample in Chromium.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Report } from '../../src/check/findings.ts';
import type { Engine } from '../../tools/prepare/browsers.ts';
import { FIRST, MISTYPED } from '../shops/cards.ts';
import { SHOPS } from '../shops/catalogue.ts';
import { ShopServer } from '../shops/server.ts';
import type { Shop } from '../shops/shop.ts';
import { openTab, type Tab } from '../shops/tabs.ts';
import { pause, Visitor } from '../shops/visitor.ts';
import { findCard } from '../support/find-card.ts';

/**
 * By the browser, by jQuery, by Turbo, and from several boxes. What left before they had Cardseal, how,
 * in which field of the form, and from which line; a library has none, because engines differ there.
 */
const SAMPLE: { [shop: string]: object } = {
  plain: { way: 'form', control: 'card_number' },
  'opencart-panel': { way: 'XMLHttpRequest', site: { line: 36, through: 'jquery.js' } },
  'turbo-form': { way: 'fetch', control: 'card_number' },
  korea: { way: 'form', control: 'card_name' },
};

const engine = process.env.CHECK_SHOPS_IN as Engine | undefined;
const shops = engine ? SHOPS : SHOPS.filter(({ name }) => name in SAMPLE);

/** How long the check waits until a press is over, and a little more. */
const PRESS_OVER_MS = 1_300;

let server: ShopServer;
let tab: Tab;
beforeAll(async () => {
  server = await new ShopServer().start();
  tab = await openTab(engine ?? 'chromium');
});
afterAll(async () => {
  await tab.close();
  await server.stop();
});

/** Opens a shop and types a card. */
async function enter(shop: Shop, checked: boolean, card = FIRST, unmigrated = false) {
  const visitor = new Visitor(tab, server, shop, { unmigrated, checked });
  await tab.open(visitor.visit.address);
  if (checked) await tab.evaluate('(CardsealCheck.clear(), true)');
  await visitor.act(shop.before ?? []);
  await visitor.enterCard(card);
  return visitor;
}

/** A shopper pays in a shop that has no Cardseal yet. */
async function visitBefore(shop: Shop, checked: boolean) {
  const visitor = await enter(shop, checked, FIRST, true);
  await visitor.press();
  for (const end = Date.now() + visitor.patience; Date.now() < end; await pause(20)) {
    if (visitor.visit.payments.length > 0) break;
  }
  await quiet(visitor);
  return endOf(visitor, checked);
}

/** Until nothing more comes: the page of the answer, which a script of the shop may ask for. */
async function quiet({ visit: { requests } }: Visitor): Promise<void> {
  for (let count = -1; count < requests.length; await pause(500)) count = requests.length;
}

/** What the check says of a press when it is over. */
const PAID_BY_CARD = 'the block left by';

/** A shopper mistypes the number, and then pays, unless the library refuses the form. */
async function visitAfter(shop: Shop, checked: boolean) {
  const visitor = await enter(shop, checked, MISTYPED);
  await visitor.isRefused();
  if (checked) await pause(PRESS_OVER_MS); // a lock is found when the press is over
  const { report: locks } = await endOf(visitor, checked);
  await visitor.enterCard(FIRST);
  if (shop.refused) await visitor.isRefused();
  else {
    await visitor.pays(FIRST);
    await quiet(visitor);
    if (checked) await vi.waitFor(async () => expect(await stored()).toContain(PAID_BY_CARD));
  }
  if (checked) await pause(PRESS_OVER_MS);
  const end = await endOf(visitor, checked);
  end.report.findings.push(...locks.findings);
  return end;
}

/** A shopper fills in the card and then pays in another way. */
async function visitOther(shop: Shop, checked: boolean) {
  const visitor = await enter(shop, checked);
  await visitor.act(shop.other!.choose);
  await visitor.paysOtherwise();
  await quiet(visitor);
  return endOf(visitor, checked);
}

/** The report is the same before and after the page goes on to the answer, which ends a reading. */
const stored = () =>
  vi.waitFor(() => tab.evaluate<string>(`sessionStorage.getItem('cardseal-check')`));

/** What the server got, what the runner of the shops objects to, and what the check has found. */
async function endOf({ visit, violations }: Visitor, checked: boolean) {
  const paths = visit.requests.map(({ method, url }) => {
    return `${method} ${url.replace(/^\/v\d+/, '').replace(/([?&]_=)\d+/, '$1')}`;
  });
  const payments = visit.payments.map(({ fields, card, type }) => [fields, card?.number, type]);
  const requests = paths.filter((path) => !/cardseal\.check\.js|favicon/.test(path)).sort();
  const entry = checked ? await stored() : null;
  const nothing = { findings: [], presses: [], notices: [] };
  const report: Report = entry ? JSON.parse(entry) : nothing;
  return { outcome: { payments, requests, violations }, report };
}

/** Visits a shop with the check and without it: what the check has found. */
async function compare(shop: Shop, visit: typeof visitBefore): Promise<Report> {
  const without = await visit(shop, false);
  await tab.closeOthers();
  const { outcome, report } = await visit(shop, true);
  await tab.closeOthers();
  expect(outcome).toEqual(without.outcome);
  expect(outcome.violations).toEqual([]);
  expect(findCard(report, { number: FIRST.number, code: FIRST.code })).toEqual([]);
  return report;
}

test.each(shops)(
  '$name: every leak is found, nobody who pays is accused, and the shop ends as without the check',
  async (shop) => {
    if (!shop.needsLibrary) {
      const { findings } = await compare(shop, visitBefore);
      expect(findings[0]).toMatchObject({ kind: 'clear text', ...SAMPLE[shop.name] });
    }
    const { findings, presses } = await compare(shop, visitAfter);
    expect(findings).toEqual([]);
    const paid = presses.filter(({ text }) => text.includes(PAID_BY_CARD));
    expect(paid).toHaveLength(shop.refused ? 0 : 1);
    if (shop.other) expect((await compare(shop, visitOther)).findings).toEqual([]);
  },
);
