/** Presses in whole pages, whose submit leads to another page; and the attributes of the script tag. */
import { describe, expect, test } from 'vitest';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  CARD,
  CONTROLS,
  EMPTY,
  KEPT,
  OTHER,
  statusOf,
  TYPED,
  textRead,
} from '../tools/support/form.ts';
import { endpoint, keyAttribute, TAG, type TagPage, visit } from '../tools/support/tag-page.ts';

const json = (value: unknown) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

const UNDER_WAY = 'Your payment is under way. Please wait.';
const NO_ANSWER = 'There is no answer yet. Press the button again.';
const values = (page: TagPage) =>
  [...page.form.querySelectorAll('input[autocomplete]')].map(
    (input) => (input as HTMLInputElement).value,
  );

/** Keeps the timers of half a minute until the test fires them. */
const TIMERS = endpoint({
  headers: { 'Content-Type': 'text/javascript' },
  body: `
    window.halfMinutes = [];
    window.originalSetTimeout = setTimeout;
    window.setTimeout = (action, ms) => ms === 30000 ? halfMinutes.push(action) : originalSetTimeout(action, ms);
  `,
});
type Timed = Window & { halfMinutes: (() => void)[] };

/** A page whose server does not answer its form. */
async function unanswered(attributes = keyAttribute(), moreHead = '') {
  const silent = endpoint();
  const page = await visit({
    head: `<script src="${TIMERS.path}"></script>${moreHead}${TAG}`,
    attributes,
  });
  page.form.action = silent.path;
  const got = async () => {
    const bodies = (await silent.got()).map(({ body }) =>
      new URLSearchParams(body).getAll('encrypted_card'),
    );
    return bodies.flat();
  };
  const pressed = async (count: number) => {
    page.press();
    await expect.poll(got, { timeout: 5000 }).toHaveLength(count);
  };
  const halfAMinute = () => {
    for (const action of (page.window as unknown as Timed).halfMinutes.splice(0)) action();
  };
  return { page, got, pressed, halfAMinute, answer: () => silent.say({ body: '<!doctype html>' }) };
}

test('a form in an <iframe srcdoc> pays: its origin is that of the page around it', async () => {
  const page = await visit({ srcdoc: true });
  const { encrypted_card } = Object.fromEntries(await page.pay());
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
});

describe('while the server does not answer', () => {
  test('presses send nothing for 30 seconds; then the fields are empty, and a press sends the same block', async () => {
    const { page, got, pressed, halfAMinute, answer } = await unanswered();
    page.fill();
    await pressed(1);
    expect([values(page), statusOf(page)]).toEqual([KEPT, undefined]);
    for (let i = 0; i < 3; i++) page.press();
    expect(statusOf(page)).toBe(UNDER_WAY);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await got()).length).toBe(1);
    halfAMinute();
    expect([values(page), statusOf(page)]).toEqual([EMPTY, NO_ANSWER]);
    await pressed(2);
    const [first, second] = await got();
    expect(await decrypt(JSON.parse(first!))).toEqual(CARD);
    expect(second).toBe(first);
    page.press();
    expect(statusOf(page)).toBe(UNDER_WAY); // for another 30 seconds
    await answer();
  });

  test('a card typed in those 30 seconds is kept when they are over', async () => {
    const { page, pressed, halfAMinute, answer } = await unanswered();
    page.fill();
    await pressed(1);
    for (const field of Object.keys(CONTROLS) as (keyof typeof CONTROLS)[])
      page.control(field).value = OTHER[field];
    halfAMinute();
    const other = [OTHER.number, OTHER.name, OTHER.expiry, OTHER.cvv];
    expect([values(page), statusOf(page)]).toEqual([other, NO_ANSWER]);
    await answer();
  });
});

test('a press whose repeat an older listener refuses is not silent', async () => {
  const guard = `<script>
    let isSent = false;
    addEventListener('submit', (event) => {
      if (isSent) event.preventDefault();
      isSent = true;
    }, true);
  </script>`;
  const page = await visit({ head: guard + TAG });
  page.fill();
  page.press();
  await expect.poll(() => statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(values(page)).toEqual(KEPT);
});

test('when the answer comes, nothing of the card is in the page that is left', async () => {
  const { page, pressed, answer } = await unanswered();
  const inputs = [...page.form.querySelectorAll('input')];
  page.fill();
  await pressed(1);
  expect(inputs.map(({ value }) => value)).toEqual(KEPT);
  const left = page.loaded();
  await answer();
  await left;
  expect(inputs.map(({ value }) => value)).toEqual(EMPTY);
});

test('data-cardseal-when: a press while no control matches sends no block; with a match it sends one; an invalid selector blocks it', async () => {
  const visitWith = (selector: string, method: string) =>
    visit({
      attributes: `${keyAttribute()} data-cardseal-when="${selector}"`,
      controls: `${method}${Object.values(CONTROLS).join('')}`,
    });
  const INVOICE = '<input type="radio" name="method" value="invoice" checked>';
  const CHOSEN = '<input type="radio" name="method" value="card" checked>';
  const invoice = await visitWith('[value=card]:checked', INVOICE);
  expect(await invoice.pay()).toEqual([['method', 'invoice']]);
  const card = await visitWith('[value=card]:checked', CHOSEN);
  const { encrypted_card, ...others } = Object.fromEntries(await card.pay());
  expect(others).toEqual({ method: 'card' });
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  const wrong = await visitWith('[value=]', CHOSEN);
  expect(await wrong.refused()).toBe('invalid_form');
});

test('data-cardseal-when: a control of the form that stands outside it counts', async () => {
  const when = 'id="paid" data-cardseal-when="[value=card]:checked"';
  const page = await visit({
    attributes: `${keyAttribute()} ${when}`,
    tail: '<input type="radio" form="paid" value="card" checked>',
  });
  expect((await page.pay()).map(([name]) => name)).toEqual(['encrypted_card']);
});

test('data-cardseal-messages has the texts for the shopper; an unknown name is a warning', async () => {
  const messages = JSON.stringify({ number_required: 'Kartennummer fehlt', nmber: 'x' });
  const page = await visit({
    attributes: `${keyAttribute()} data-cardseal-messages='${messages}'`,
  });
  page.press();
  await expect.poll(() => textRead(page)).toBe('Kartennummer fehlt');
  page.control('number').value = TYPED.number;
  page.press();
  await expect.poll(() => textRead(page)).toBe('Enter the name on the card');
  expect(page.seen).toEqual([expect.stringContaining('nmber')]);
});

test('data-cardseal-enable: the button is disabled until the script is there, and enabled even if the form is wrong', async () => {
  for (const attributes of [keyAttribute(), '']) {
    const button = '<button disabled autocomplete="off" data-cardseal-enable>Pay now</button>';
    const page = await visit({
      head: '',
      attributes,
      controls: Object.values(CONTROLS).join('') + button,
    });
    const enabled = page.form.querySelector('button')!;
    expect(enabled.disabled).toBe(true);
    await page.load('/dist/cardseal.js');
    expect(enabled.disabled).toBe(false);
  }
});

test('with data-cardseal-key and data-cardseal-key-url the rendered key serves first, and the address for the next card, without a reload', async () => {
  const [rendered, asked] = [freshKey(), freshKey()];
  const keys = endpoint(json(asked));
  const page = await visit({
    attributes: `${keyAttribute(rendered)} data-cardseal-key-url="${keys.path}"`,
  });
  const blocks: string[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    blocks.push(page.form.querySelector<HTMLInputElement>('[name=encrypted_card]')!.value);
  });
  page.fill();
  page.press();
  await expect.poll(() => blocks.length).toBe(1);
  expect([JSON.parse(blocks[0]!).key_id, await keys.got()]).toEqual([rendered.id, []]);
  await expect.poll(() => page.form.hasAttribute('aria-busy')).toBe(false);
  page.control('cvv').value = '999';
  page.press();
  await expect.poll(() => blocks.length).toBe(2);
  expect(JSON.parse(blocks[1]!).key_id).toBe(asked.id);
  expect(await decrypt(JSON.parse(blocks[1]!))).toEqual({ ...CARD, cvv: '999' });
  expect(await keys.got()).toHaveLength(1);
});

test('data-cardseal-csrf-header names the header for the token of the page', async () => {
  const keys = endpoint(json(freshKey()));
  const page = await visit({
    head: `<meta name="csrf-token" content="a token">${TAG}`,
    attributes: `data-cardseal-key-url="${keys.path}" data-cardseal-csrf-header="X-XSRF-Token"`,
  });
  await page.pay();
  const [request] = await keys.got();
  expect(request!.headers).toMatchObject({ 'x-xsrf-token': 'a token' });
  expect(request!.headers).not.toHaveProperty('x-csrf-token');
});

test('without fetch the form says that the key did not come, and sends nothing', async () => {
  const none = endpoint({
    headers: { 'Content-Type': 'text/javascript' },
    body: 'delete window.fetch',
  });
  const keys = endpoint(json(freshKey()));
  const page = await visit({
    head: `<script src="${none.path}"></script>${TAG}`,
    attributes: `data-cardseal-key-url="${keys.path}"`,
  });
  expect(await page.refused()).toBe('key_unavailable');
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(values(page)).toEqual(KEPT);
});

test.each([
  // Prototype 1.7 reads `length`, and takes no second argument.
  ['Prototype', '(list) => Array.prototype.slice.call({ ...list, length: list.length })'],
  // MooTools 1.4 knows arrays and collections only.
  [
    'MooTools',
    `(list) =>
      typeof list === 'string' || list instanceof Set || Array.isArray(list) ? [list].flat() : []`,
  ],
])('a page where %s has replaced Array.from pays', async (_, from) => {
  const months = [...'123456789'].map((month) => `<option value="${month}">0${month}</option>`);
  const expiry =
    `<select autocomplete="cc-exp-month" aria-label="Month">${months.join('')}</select>` +
    '<input autocomplete="cc-exp-year" aria-label="Year">';
  const { number, name, cvv } = CONTROLS;
  const page = await visit({
    head: `<script>Array.from = ${from};</script>${TAG}`,
    controls: number + name + expiry + cvv,
  });
  const put = (token: string, value: string) => {
    page.form.querySelector<HTMLInputElement>(`[autocomplete=${token}]`)!.value = value;
  };
  put('cc-number', TYPED.number);
  put('cc-name', TYPED.name);
  put('cc-exp-month', '9');
  put('cc-exp-year', '2049');
  put('cc-csc', TYPED.cvv);
  const answered = page.loaded();
  page.press();
  await answered;
  const [block] = await page.posted();
  expect(await decrypt(JSON.parse(block![1]))).toEqual({ ...CARD, exp_month: '09' });
});
