/**
 * The recipes of docs/shop-scripts.md and docs/shop-handlers.md, run from their very text: each is
 * a change of a shop's own script. Before the change the card leaves in clear text, or nobody can
 * pay.
 */
import jquery from 'jquery/dist/jquery.min.js?raw';
import { expect, test } from 'vitest';
import handlersPage from '../../docs/shop-handlers.md?raw';
import sendingPage from '../../docs/shop-scripts.md?raw';
import { decrypt } from '../support/core.ts';
import { CARD, TYPED } from '../support/form.ts';
import type { Got } from '../support/servers/pages.ts';
import { endpoint, keyAttribute, visit } from '../support/tag-page.ts';

const page = sendingPage + handlersPage;

/** A part of a page, before and after the change, by the heading above it. */
const recipes = [...page.matchAll(/^```diff\n(.*?)^```$/gms)].map(({ 1: diff, index }) => ({
  heading: [...page.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)![1]!,
  before: side(diff!, '+'),
  after: side(diff!, '-'),
}));

function side(diff: string, others: string): string {
  const lines = diff.split('\n').filter((line) => !line.startsWith(others));
  return lines.map((line) => line.slice(2)).join('\n');
}

const FIELDS = `
  <input name="email" value="zoe@shop.example">
  <input id="number" data-cardseal-field="number">
  <input id="name" data-cardseal-field="name">
  <input id="expiry" data-cardseal-field="expiry">
  <input id="code" data-cardseal-field="cvv">`;

/**
 * What reaches the shop's server in the end, and what is left in the fields: `empty` is the card
 * alone, `reset` the whole form.
 */
const OUTCOMES: [heading: string, before: string, after: string][] = [
  ['A request that the shop sends itself', 'the block, filled', 'the block, reset'],
  ['A request that the shop sends itself', 'the block, reset', 'the block, empty'],
  ['Scripts that send the card', 'the card in clear text, filled', 'the block, empty'],
  ['Scripts that send the card', 'the card in clear text, filled', 'the block, empty'],
  ['Scripts that send the card', 'the card in clear text, filled', 'the block, filled'],
  ['A hidden copy of a field', 'nothing, filled', 'the block, empty'], // G5: it is found
  ['A validator in a click handler', 'nothing, empty', 'the block, empty'],
  ['A button that locks itself', 'nothing, filled', 'the block, empty'],
  ['A mask that hides the number', 'nothing, filled', 'the block, empty'],
];

test('each recipe fixes what goes wrong without it', async () => {
  expect(recipes.map(({ heading }) => heading)).toEqual(OUTCOMES.map(([heading]) => heading));
  const runs = recipes.flatMap(({ before, after }, i) => [
    pay(before, OUTCOMES[i]![1], 'failed'),
    pay(after, OUTCOMES[i]![2], 'failed'),
  ]);
  await Promise.all(runs);
});

const OWN_REQUEST = recipes.filter(({ heading }) => heading === OUTCOMES[0]![0]);
const AFTER_STATUS: [status: string | undefined, left: string[]][] = [
  ['committed', ['no form', 'no form']],
  ['not_certain', ['no form', 'no form']],
  ['no_order', ['no form', 'no form']],
  ['failed', ['reset', 'empty']],
  [undefined, ['filled', 'filled']],
];

test.each(AFTER_STATUS)(
  'a page that sends the form itself, after the status %s',
  async (...row) => {
    const [status, left] = row;
    expect(OWN_REQUEST).toHaveLength(2);
    const runs = OWN_REQUEST.map(({ after }, i) => pay(after, `the block, ${left[i]}`, status));
    await Promise.all(runs);
  },
);

test('a validator that has moved to cardseal:submit refuses before the card is emptied', async () => {
  const { after } = recipes.find(({ heading }) => heading === 'A validator in a click handler')!;
  await pay(after, 'the block, empty', 'failed', '');
});

/** A shopper mistypes the number, corrects it if that was refused, and presses again. */
async function pay(
  part: string,
  outcome: string,
  status?: string,
  address = 'typed@shop.example',
): Promise<void> {
  const server = endpoint({ body: JSON.stringify({ status }) });
  const library = endpoint({ headers: { 'Content-Type': 'text/javascript' }, body: jquery });
  const body = `<script src="${library.path}"></script>
    <script>window.shown = []; function show(text) { shown.push(text); }</script>
    <form id="payment" method="post" action="/pay" data-cardseal ${keyAttribute()}>
    ${FIELDS}${part}</form>`;
  const { document, window } = await visit({ body: body.replaceAll('/pay', server.path) });
  // The page has one key, so no other one comes after this payment. No recipe leaves that
  // unhandled.
  const unhandled: unknown[] = [];
  window.addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
  const controls = [...document.querySelectorAll<HTMLInputElement>('[data-cardseal-field]')];
  const email = document.querySelector<HTMLInputElement>('[name=email]')!;
  email.value = address;
  const press = (number: string) => {
    for (const [i, value] of [number, TYPED.name, TYPED.expiry, TYPED.cvv].entries()) {
      controls[i]!.value = value;
      for (const type of ['input', 'blur']) controls[i]!.dispatchEvent(new window.Event(type));
    }
    document.querySelector('button')!.click();
  };
  const isRefused = () => document.querySelector('[aria-invalid=true]') !== null;
  if (address) {
    press('4929 1192 8374 6508');
    await expect.poll(async () => isRefused() || (await server.got()).length > 0).toBe(true);
    if (isRefused()) press(TYPED.number);
  } else {
    press(TYPED.number);
    const texts = () => Reflect.get(window, 'shown');
    await expect.poll(texts).toEqual(['Please enter your e-mail address']);
    expect(controls.map(({ value }) => value)).not.toContain('');
    email.value = 'typed@shop.example';
    document.querySelector('button')!.click();
  }
  if (outcome.startsWith('nothing')) await new Promise((resolve) => setTimeout(resolve, 500));
  const found = async () => {
    const [sent] = await server.got();
    if (!document.querySelector('form')) return `${await contentsOf(sent)}, no form`;
    const isEmpty = controls.every(({ value }) => value === '');
    const emptied = email.value === email.defaultValue ? 'reset' : 'empty';
    return `${await contentsOf(sent)}, ${isEmpty ? emptied : 'filled'}`;
  };
  await expect.poll(found).toBe(outcome);
  await new Promise((resolve) => setTimeout(resolve)); // the event is a task of its own
  expect(unhandled).toEqual([]);
}

async function contentsOf(sent: Got | undefined): Promise<string> {
  if (!sent) return 'nothing';
  const values = await valuesOf(sent);
  const block = values.find((value) => value.startsWith('{"payload"'));
  if (block) expect(await decrypt(JSON.parse(block))).toEqual(CARD);
  const isClear = values.some((value) => /^4929 ?1192|^583$/.test(value));
  return isClear ? 'the card in clear text' : block ? 'the block' : 'no card';
}

async function valuesOf({ headers, body }: Got): Promise<string[]> {
  const type = headers['content-type']!;
  if (!type.includes('form')) return Object.values(JSON.parse(body));
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  return [...form.values()].map(String);
}
