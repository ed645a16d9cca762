/** What shoppers do in every shop. */
import type { Engine } from '../../tools/prepare/browsers.ts';
import { FIRST, MISTYPED, SECOND } from './cards.ts';
import type { Settings, ShopServer } from './server.ts';
import type { Shop } from './shop.ts';
import type { Tab } from './tabs.ts';
import { pause, type Violation, Visitor } from './visitor.ts';

export interface Scenario {
  name: string;
  settings?: Partial<Settings> | ((shop: Shop) => Partial<Settings>);
  /** Whether the shop has what the scenario needs. Default: every shop has. */
  fits?: (shop: Shop, engine: Engine) => boolean;
  run(visitor: Visitor): Promise<void>;
  /** Part of `npm test`. */
  main?: true;
}

const isCancelledByFetch = ({ cancel }: Shop) => cancel === 'fetch';

/** The page cancels a press with the first card. */
async function isCancelled(visitor: Visitor): Promise<void> {
  const { cancel } = visitor.shop;
  if (cancel === 'fetch') {
    await visitor.pays(FIRST);
    await visitor.expectMessage();
    return;
  }
  await visitor.act(cancel.make);
  await visitor.isRefused();
}

async function fix(visitor: Visitor): Promise<void> {
  const { cancel } = visitor.shop;
  if (cancel !== 'fetch') await visitor.act(cancel.fix);
}

const cancelSettings = (shop: Shop): Partial<Settings> =>
  isCancelledByFetch(shop) ? { outcomes: ['fail', 'approve'] } : {};

export const SCENARIOS: Scenario[] = [
  {
    name: 'no key, then cancelled, then another card',
    main: true,
    settings: (shop) => ({ ...cancelSettings(shop), keys: ['fail'] }),
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.isRefused();
      visitor.visit.settings.keys = ['ok'];
      await isCancelled(visitor);
      await fix(visitor);
      await visitor.enterCard(SECOND);
      await visitor.pays(SECOND);
    },
  },
  {
    name: 'pays',
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.pays(FIRST);
    },
  },
  {
    name: 'mistyped, then another card',
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(MISTYPED);
      await visitor.isRefused();
      await visitor.enterCard(SECOND);
      await visitor.pays(SECOND);
    },
  },
  {
    name: 'declined, then another card',
    settings: { outcomes: ['decline', 'approve'] },
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      if (!(await visitor.pays(FIRST))) return;
      if (!visitor.shop.elsewhere) await visitor.seesDecline();
      await visitor.act(visitor.shop.again ?? visitor.shop.before ?? []);
      await visitor.enterCard(SECOND);
      await visitor.pays(SECOND);
    },
  },
  {
    name: 'cancelled, then unchanged',
    settings: cancelSettings,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await isCancelled(visitor);
      await fix(visitor);
      await visitor.pays(FIRST);
    },
  },
  {
    name: 'cancelled, then another card',
    settings: cancelSettings,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await isCancelled(visitor);
      await fix(visitor);
      await visitor.enterCard(SECOND);
      await visitor.pays(SECOND);
    },
  },
  {
    name: 'no key, then a key',
    settings: { keys: ['fail'] },
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.isRefused();
      visitor.visit.settings.keys = ['ok'];
      await visitor.pays(FIRST);
    },
  },
  {
    name: 'slow key',
    settings: { holds: 'key', keys: ['fail', 'ok'] }, // the press asks for the slow one
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.press();
      await visitor.expectMessage();
      visitor.visit.release();
      await visitor.expectPaid(FIRST, 0);
    },
  },
  {
    name: 'impatient clicks',
    settings: { holds: 'payment' },
    async run(visitor) {
      const { guarded, elsewhere } = visitor.shop;
      await visitor.open();
      await visitor.enterCard(FIRST);
      const pressAgain = await visitor.pressLater();
      if (!(await visitor.pays(FIRST))) return;
      await pressAgain();
      const canLook = !visitor.tab.isBlindWhileSending;
      const isLibraryAsked = !guarded && !elsewhere && !visitor.shop.repeatsItself;
      if (canLook && isLibraryAsked) await visitor.expectMessage();
      await pressAgain();
      await pressAgain();
      await pause(300);
      visitor.expectOne(0);
    },
  },
  {
    name: 'impatient clicks without the library',
    settings: { holds: 'payment', unbound: true },
    fits: ({ repeatsItself }, engine) => repeatsItself?.includes(engine) === true,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      const pressAgain = await visitor.pressLater();
      await visitor.press();
      // On a busy machine, the shop's own script may need longer until it sends.
      for (let presses = 0; visitor.visit.payments.length < 2; presses++) {
        if (presses === 20) throw new Error('The shop does not repeat itself');
        await pause(300);
        await pressAgain();
      }
    },
  },
  {
    name: 'held Enter',
    settings: { holds: 'payment' },
    fits: ({ enter }) => enter !== false,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.focus(visitor.shop.enter || visitor.shop.fields.code);
      await visitor.tab.holdEnter(8);
      await visitor.expectPaid(FIRST, 0);
      await pause(300);
      visitor.expectOne(0);
    },
  },
  {
    name: 'another method',
    main: true,
    fits: ({ other }) => other !== undefined,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.act(visitor.shop.other!.choose);
      await visitor.paysOtherwise();
    },
  },
  {
    name: 'a button that does not pay',
    fits: ({ skip }) => skip !== undefined,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.isNoPayment(() => visitor.click(visitor.shop.skip!.press));
      if (visitor.shop.skip!.leaves) return;
      await visitor.enterCard(SECOND);
      await visitor.pays(SECOND);
    },
  },
  {
    name: 'a form that is refused',
    main: true,
    fits: ({ refused }) => refused === true,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.isRefused();
      await visitor.isRefused();
    },
  },
  {
    name: 'without script',
    settings: { scriptless: true },
    async run(visitor) {
      await visitor.tab.open(visitor.visit.address);
      await visitor.tryWithoutScript(FIRST);
    },
  },
  {
    name: 'without the library',
    settings: { unbound: true },
    fits: ({ needsLibrary }) => !needsLibrary,
    async run(visitor) {
      await visitor.open();
      await visitor.enterCard(FIRST);
      await visitor.sendsTheOthers(FIRST);
    },
  },
];

/** What can be done in a shop whose form is refused. */
const NEED_NO_PAYMENT = ['a form that is refused', 'without script', 'without the library'];

/** Whether the scenario makes sense in the shop. */
export const isFit = (scenario: Scenario, shop: Shop, engine: Engine): boolean =>
  (!scenario.fits || scenario.fits(shop, engine)) &&
  (!shop.refused || NEED_NO_PAYMENT.includes(scenario.name));

export interface Result {
  shop: string;
  scenario: string;
  violations: Violation[];
  /** How many POSTs a script of the page has repeated, as it does without the library. */
  repeated: number;
  /** Why the runner could not do it. */
  error?: string;
  ms: number;
}

/** Runs one scenario in one shop. `undefined`: it makes no sense there. */
export async function run(
  tab: Tab,
  server: ShopServer,
  shop: Shop,
  scenario: Scenario,
): Promise<Result | undefined> {
  if (!isFit(scenario, shop, tab.engine)) return undefined;
  if (shop.without?.[scenario.name]) return undefined;
  const { settings } = scenario;
  const chosen = typeof settings === 'function' ? settings(shop) : settings;
  const visitor = new Visitor(tab, server, shop, chosen);
  const start = Date.now();
  const name = { shop: shop.name, scenario: scenario.name };
  const result: Result = { ...name, violations: [], repeated: 0, ms: 0 };
  try {
    await scenario.run(visitor);
  } catch (error) {
    result.error = (error as Error).message;
  }
  visitor.visit.release();
  await tab.closeOthers();
  if (!visitor.visit.settings.unbound) visitor.checkClearText();
  result.violations = visitor.violations;
  result.repeated = visitor.repeated;
  result.ms = Date.now() - start;
  return result;
}
