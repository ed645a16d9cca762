/** Pages with a fault each, and what the runner must notice. */
import { FIRST, SECOND } from './cards.ts';
import type { ShopServer } from './server.ts';
import type { Shop } from './shop.ts';
import type { Tab } from './tabs.ts';
import { type Kind, Visitor } from './visitor.ts';

const CONTROL: Shop = {
  name: 'control',
  fields: { number: '#number', name: '#holder', expiry: '#expiry', code: '#code' },
  pay: '#pay',
  others: { order: '4711' },
  cancel: { make: [['type', '#order', '']], fix: [['type', '#order', '4711']] },
  other: { choose: [['click', '#by-bill']], others: { order: '4711', bill: 'yes' } },
};

async function pays(visitor: Visitor) {
  await visitor.pays(FIRST);
}

async function paysTwice(visitor: Visitor) {
  await visitor.pays(FIRST);
  await visitor.enterCard(SECOND);
  await visitor.pays(SECOND);
}

async function isRefused(visitor: Visitor) {
  await visitor.act([['type', '#order', '']]);
  await visitor.isRefused();
}

async function paysByBill(visitor: Visitor) {
  await visitor.act(CONTROL.other!.choose);
  await visitor.paysOtherwise();
}

/** The fault of the page, what the shopper does, and the violations that this must give. */
const FAULTS: [fault: string, act: (visitor: Visitor) => Promise<void>, expected: Kind[]][] = [
  ['none', paysTwice, []],
  ['none', isRefused, []],
  ['none', paysByBill, []],
  ['old block', paysTwice, ['wrong card']],
  ['two posts', pays, ['double POST']],
  ['lost field', pays, ['lost fields']],
  ['stray block', paysByBill, ['stray block']],
  ['no block', pays, ['not paid']],
  ['clear text', pays, ['clear text', 'lost fields']],
  ['grouped', pays, ['clear text', 'lost fields']],
  ['in a header', pays, ['clear text']],
  ['in the address', pays, ['clear text']],
  ['by a beacon', pays, ['clear text']],
  ['silent', pays, ['silent press']],
  ['silent', isRefused, ['silent press']],
  ['message not announced', isRefused, ['silent press']],
  ['message not displayed', isRefused, ['silent press']],
  ['message transparent', isRefused, ['silent press']],
  ['message off the screen', isRefused, ['silent press']],
  ['message hidden from screen readers', isRefused, ['silent press']],
];

export const CONTROLS = FAULTS.map(([fault, act, expected]) => ({
  name: `${fault}, ${act.name}`,
  shop: { ...CONTROL, query: `fault=${encodeURIComponent(fault)}` },
  act,
  expected: [...expected].sort(),
}));
type Control = (typeof CONTROLS)[number];

/** How long the visitor of a page that says nothing waits for what does not come. */
const SILENCE_MS = 1_000;

/** What the runner notices of a faulty page, sorted. */
export async function noticed(tab: Tab, server: ShopServer, control: Control): Promise<Kind[]> {
  const patience = control.expected.includes('silent press') ? SILENCE_MS : undefined;
  const visitor = new Visitor(tab, server, control.shop, {}, patience);
  await visitor.open();
  await visitor.enterCard(FIRST);
  await control.act(visitor);
  visitor.checkClearText();
  return [...new Set(visitor.violations.map(({ kind }) => kind))].sort();
}
