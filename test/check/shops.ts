/** Visits to the shops of test/shops, with the check and without it. */
import { isLibrary } from '../../src/check/call-site.ts';
import type { Report } from '../../src/check/findings.ts';
import { FIRST, MISTYPED } from '../shops/cards.ts';
import type { ShopServer } from '../shops/server.ts';
import type { Shop } from '../shops/shop.ts';
import type { Tab } from '../shops/tabs.ts';
import { pause, Visitor } from '../shops/visitor.ts';
import { findCard } from '../tools/support/find-card.ts';
import { BEFORE } from './shops-table.ts';

export interface Outcome {
  /** What the server got of each order: the fields, and the number of the card that was encrypted. */
  payments: unknown[];
  /** Method and path of each request, sorted. */
  requests: string[];
  /** What the runner of the shops objects to. */
  violations: unknown[];
}

/** How long the check waits until a press is over, and a little more. */
const PRESS_OVER_MS = 1_300;

/** A shopper pays in a shop that has no Cardseal yet. */
export async function visitBefore(tab: Tab, server: ShopServer, shop: Shop, checked: boolean) {
  const visitor = new Visitor(tab, server, shop, { unmigrated: true, checked });
  await openClean(visitor, checked);
  await visitor.enterCard(FIRST);
  await visitor.press();
  await arrives(visitor);
  return { outcome: outcomeOf(visitor), report: await reportOf(visitor, checked) };
}

/** A shopper mistypes the number, and then pays, unless the library refuses the form. */
export async function visitAfter(tab: Tab, server: ShopServer, shop: Shop, checked: boolean) {
  const visitor = new Visitor(tab, server, shop, { checked });
  await openClean(visitor, checked);
  await visitor.enterCard(MISTYPED);
  await visitor.isRefused();
  if (checked) await pause(PRESS_OVER_MS); // a lock is found when the press is over
  const locks = await reportOf(visitor, checked);
  await visitor.enterCard(FIRST);
  if (shop.refused) await visitor.isRefused();
  else await visitor.pays(FIRST);
  const outcome = outcomeOf(visitor);
  if (checked) await pause(PRESS_OVER_MS);
  const report = await reportOf(visitor, checked);
  report.findings.push(...locks.findings);
  return { outcome, report };
}

/** A shopper fills in the card and then pays in another way. */
export async function visitOther(tab: Tab, server: ShopServer, shop: Shop, checked: boolean) {
  const visitor = new Visitor(tab, server, shop, { checked });
  await openClean(visitor, checked);
  await visitor.enterCard(FIRST);
  await visitor.act(shop.other!.choose);
  await visitor.paysOtherwise();
  return { outcome: outcomeOf(visitor), report: await reportOf(visitor, checked) };
}

async function openClean(visitor: Visitor, checked: boolean): Promise<void> {
  await visitor.tab.open(visitor.visit.address);
  if (checked) await visitor.tab.evaluate('(CardsealCheck.clear(), true)');
  await visitor.act(visitor.shop.before ?? []);
}

async function arrives({ visit, patience }: Visitor): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end && !visit.payments.length; ) {
    await pause(20);
  }
  await pause(200);
}

async function reportOf({ tab }: Visitor, checked: boolean): Promise<Report> {
  const nothing = { findings: [], presses: [], notices: [] };
  if (!checked) return nothing;
  const stored = await tab.evaluate<string | null>(`sessionStorage.getItem('cardseal-check')`);
  return stored ? JSON.parse(stored) : nothing;
}

function outcomeOf({ visit, violations }: Visitor): Outcome {
  const paths = visit.requests.map(({ method, url }) => {
    return `${method} ${url.replace(/^\/v\d+/, '').replace(/([?&]_=)\d+/, '$1')}`;
  });
  return {
    payments: visit.payments.map(({ fields, card, type }) => ({
      fields,
      card: card?.number,
      type,
    })),
    requests: paths.filter((path) => !/cardseal\.check\.js|favicon/.test(path)).sort(),
    violations,
  };
}

/** A finding in a line. Of a place in a library, engines show different lines: WebKit hides calls. */
export function inShort({ findings }: Report): string[] {
  return findings.map(({ kind, fields, way, control, site }) => {
    const script = site?.script.split('/').pop();
    const place = site && !isLibrary(site) ? `${script}:${site.line}` : script;
    const what = fields?.map((field) =>
      field.replace(/^(card|security) /, '').replace(/ on.*/, ''),
    );
    return [kind, what?.join('+'), way, control, place, site?.through].filter(Boolean).join(', ');
  });
}

/** What is wrong when a shop is visited with the check and without it; empty if nothing is. */
export async function compareVisits(tab: Tab, server: ShopServer, shop: Shop): Promise<string[]> {
  const problems: string[] = [];
  const visits = [
    {
      when: 'before',
      visit: visitBefore,
      fits: !shop.needsLibrary,
      finds: BEFORE[shop.name] ?? [],
    },
    { when: 'after', visit: visitAfter, fits: true, finds: [] },
    { when: 'another way to pay', visit: visitOther, fits: Boolean(shop.other), finds: [] },
  ];
  for (const { when, visit, fits, finds } of visits) {
    if (!fits) continue;
    const without = await visit(tab, server, shop, false);
    await tab.closeOthers();
    const under = await visit(tab, server, shop, true);
    await tab.closeOthers();
    const note = (what: string, got: unknown, expected: unknown) => {
      const texts = [JSON.stringify(got), JSON.stringify(expected)];
      if (texts[0] !== texts[1]) problems.push(`${when}: ${what} ${texts.join(' instead of ')}`);
    };
    note('the visit under the check ends', under.outcome, without.outcome);
    note('the runner of the shops objects to', under.outcome.violations, []);
    note('the check finds', inShort(under.report), finds);
    const digits = findCard(under.report, { number: FIRST.number, code: FIRST.code });
    note('the report holds', digits, []);
    if (when === 'after') {
      const paid = under.report.presses.filter(({ text }) => text.includes('the block left by'));
      note('the presses that paid are', paid.length, shop.refused ? 0 : 1);
    }
  }
  return problems;
}
