/** Presses in whole pages, whose submit leads to another page; and the attributes of the script tag. */
import { describe, expect, test } from 'vitest';
import { decrypt, freshKey } from '../support/core.ts';
import { CARD, CONTROLS, EMPTY, KEPT, OTHER, statusOf, TYPED, textRead } from '../support/form.ts';
import { endpoint, keyAttribute, TAG, type TagPage, visit } from '../support/tag-page.ts';

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
    await expect.poll(got).toHaveLength(count);
  };
  const halfAMinute = () => {
    for (const action of (page.window as unknown as Timed).halfMinutes.splice(0)) action();
  };
  return { page, got, pressed, halfAMinute, answer: () => silent.say({ body: '<!doctype html>' }) };
}

test('a page that asks whether to leave: a shopper who stays sends the same block again (G13)', async () => {
  const { page, got, pressed } = await unanswered();
  page.window.addEventListener('beforeunload', (event) => event.preventDefault());
  page.fill();
  await pressed(1); // without a click of a person before, the browser does not ask, and sends
  await pressed(2);
  const [first, second] = await got();
  expect([second, statusOf(page)]).toEqual([first, undefined]);
});

test('the same, by a listener that the page adds when the form is submitted', async () => {
  const { page, got, pressed } = await unanswered();
  page.form.addEventListener('submit', () => {
    page.window.addEventListener('beforeunload', (event) => event.preventDefault());
  });
  page.fill();
  await pressed(1);
  await pressed(2);
  const [first, second] = await got();
  expect([second, statusOf(page)]).toEqual([first, undefined]);
});

test('a submit within a repeated click that an older listener has cancelled is a press of its own', async () => {
  const older = `<script>
    var clicks = 0;
    addEventListener('click', function (event) { if (++clicks === 2) event.preventDefault(); }, true);
  </script>`;
  const button = '<button type="button" id="send" data-cardseal-button>Send</button>';
  const page = await visit({
    head: older + TAG,
    controls: Object.values(CONTROLS).join('') + button,
  });
  const send = page.form.querySelector<HTMLElement>('#send')!;
  send.addEventListener('click', () => page.form.requestSubmit());
  page.fill();
  send.click();
  await expect.poll(() => statusOf(page)).toBe('Press the button again.');
  expect([Reflect.get(page.window, 'clicks'), values(page)]).toEqual([2, KEPT]);
});

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
  await expect.poll(() => statusOf(page)).toBe('Press the button again.');
  expect(values(page)).toEqual(KEPT);
});

test('data-cardseal-when: a press while no control matches sends no block; with a match it sends one; an invalid selector blocks it', async () => {
  const visitWith = (selector: string, isCard: boolean) =>
    visit({
      attributes: `${keyAttribute()} id="paid" data-cardseal-when="${selector}"`,
      // A control of the form that stands outside it counts.
      tail: `<input type="checkbox" form="paid" name="by" value="card" ${isCard ? 'checked' : ''}>`,
    });
  expect(await (await visitWith('[value=card]:checked', false)).pay()).toEqual([]);
  const card = await visitWith('[value=card]:checked', true);
  const { encrypted_card, ...others } = Object.fromEntries(await card.pay());
  expect(others).toEqual({ by: 'card' });
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  expect(await (await visitWith('[value=]', true)).refused()).toBe('invalid_form');
});

test.each([
  ['card', 1],
  ['invoice', 0],
])('data-cardseal-when matches an option of a <select>: %s is chosen', async (chosen, blocks) => {
  const options = ['card', 'invoice'].map(
    (way) => `<option value="${way}" ${way === chosen ? 'selected' : ''}>${way}</option>`,
  );
  const page = await visit({
    attributes: `${keyAttribute()} id="paid" data-cardseal-when="[name=by] [value=card]:checked"`,
    tail: `<select form="paid" name="by">${options.join('')}</select>`,
  });
  const sent = (await page.pay()).filter(([name]) => name === 'encrypted_card');
  expect(sent).toHaveLength(blocks);
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
