import axe from 'axe-core';
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardProblem } from '../../src/form/index.ts';
import { freshKey } from '../tools/support/core.ts';
import {
  BUTTON,
  bind,
  CONTROLS,
  deferred,
  fill,
  html,
  idle,
  later,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  user,
} from '../tools/support/form.ts';

const messages = (page: Page) => page.controls().map(({ validationMessage }) => validationMessage);
const invalid = (page: Page) =>
  page.controls().map((control) => control.getAttribute('aria-invalid'));
const focused = (page: Page) => (page.form.getRootNode() as Document).activeElement;
const PARTS = html({
  expiry: '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">',
});

test('says what is wrong with each control, focuses the first, and marks them', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, number: '4929 1192 8374 6505', expiry: '13/49', cvv: '' });
  const error = await refused(page);
  expect([error.code, error.field]).toEqual(['invalid_card', 'number']);
  expect(console.error).not.toHaveBeenCalled();
  expect(messages(page)).toEqual([
    'Check the card number',
    '',
    'Check the expiry date',
    'Enter the security code',
  ]);
  expect(invalid(page)).toEqual(['true', null, 'true', 'true']);
  expect(focused(page)).toBe(page.control('number'));
  expect(page.passes).toBe(0);
});

test('focuses the control that comes first on the page, whichever field it is', async () => {
  const page = open(
    `${CONTROLS.cvv + CONTROLS.name + CONTROLS.number + CONTROLS.expiry}<button>Pay</button>`,
  );
  bind(page.form);
  await refused(page);
  expect(focused(page)).toBe(page.control('cvv'));
});

test('focuses in a shadow root, too', async () => {
  const page = open();
  page.host
    .appendChild(document.createElement('div'))
    .attachShadow({ mode: 'open' })
    .append(page.form);
  bind(page.form);
  fill(page, { ...TYPED, name: '' });
  expect((await refused(page)).code).toBe('invalid_card');
  expect(focused(page)).toBe(page.control('name'));
});

test('an empty required control has our message, not the browser’s', async () => {
  const page = open(html().replaceAll('<input', '<input required'));
  bind(page.form, { messages: { cvv_required: 'Prüfziffer fehlt' } });
  fill(page, { ...TYPED, cvv: '' });
  await refused(page);
  expect(page.control('cvv').validationMessage).toBe('Prüfziffer fehlt');
});

const TEXTS: Record<CardProblem, [Record<string, string>, string]> = {
  number_required: [{ number: '' }, 'number'],
  number_invalid: [{ number: '1' }, 'number'],
  name_required: [{ name: '' }, 'name'],
  name_invalid: [{ name: 'Z\u0001' }, 'name'],
  name_too_long: [{ name: 'Z'.repeat(166) }, 'name'],
  expiry_required: [{ expiry: '' }, 'expiry'],
  expiry_invalid: [{ expiry: '1' }, 'expiry'],
  expiry_past: [{ expiry: '01/20' }, 'expiry'],
  cvv_required: [{ cvv: '' }, 'cvv'],
  cvv_invalid: [{ cvv: '1' }, 'cvv'],
};
const FIELD = { number: 'number', name: 'name', expiry: 'exp_month', cvv: 'cvv' } as Record<
  string,
  string
>;

test.each(Object.entries(TEXTS) as [CardProblem, (typeof TEXTS)[CardProblem]][])(
  'what the shopper reads for %s can be replaced, alone; empty means the default',
  async (problem, [typed, field]) => {
    for (const [texts, expected] of [
      [{ [problem]: 'Hallo' }, /^Hallo$/],
      [{ [problem]: '' }, /^(Enter|Check|Shorten|The card)/],
      [undefined, /^(Enter|Check|Shorten|The card)/],
    ] as const) {
      const page = open();
      bind(page.form, texts ? { messages: texts } : {});
      fill(page, { ...TYPED, ...typed });
      const error = await refused(page);
      expect([error.code, error.field]).toEqual([
        problem === 'name_too_long' ? 'card_too_long' : 'invalid_card',
        FIELD[field],
      ]);
      expect(page.control(field).validationMessage).toMatch(expected);
      expect(invalid(page).filter(Boolean)).toEqual(['true']);
      expect(focused(page)).toBe(page.control(field));
      expect(page.control(field).value).toBe(typed[field]);
      expect(console.error).not.toHaveBeenCalled();
    }
  },
);

test('a message goes when the shopper corrects the control, by input or by change', async () => {
  for (const type of ['input', 'change']) {
    const page = open();
    bind(page.form);
    await refused(page);
    page.control('name').dispatchEvent(new Event(type, { bubbles: true }));
    expect(invalid(page)).toEqual(['true', null, 'true', 'true']);
    expect(page.control('name').validity.valid).toBe(true);
  }
});

test('a message about month and year goes from both when either is corrected', async () => {
  const page = open(PARTS);
  bind(page.form);
  fill(page, { ...TYPED, exp_month: '01', exp_year: '20' });
  expect((await refused(page)).field).toBe('exp_month');
  expect(invalid(page)).toEqual([null, null, 'true', 'true', null]);
  page.control('exp_year').dispatchEvent(new Event('input'));
  expect(invalid(page)).toEqual([null, null, null, null, null]);
  expect(messages(page)).toEqual(['', '', '', '', '']);
});

test('a message that is gone does not take one of the page with it', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, cvv: '' });
  await refused(page);
  const input = () => page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
  input();
  page.control('cvv').setCustomValidity('What the page says');
  input();
  expect(page.control('cvv').validationMessage).toBe('What the page says');
});

test('a wrong year alone is said of the year', async () => {
  const page = open(PARTS);
  bind(page.form);
  fill(page, { ...TYPED, exp_year: '' });
  expect((await refused(page)).field).toBe('exp_year');
  expect(focused(page)).toBe(page.control('exp_year'));
});

test('what a script corrects without an event is judged afresh at the next submit', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  fill(page, { ...TYPED, number: '1' });
  expect((await refused(page)).field).toBe('number');
  expect(invalid(page)).toEqual(['true', null, null, null]);
  fill(page);
  expect((await posted(page)).length).toBe(1);
  expect(invalid(page)).toEqual([null, null, null, null]);
});

test('a shopper who types and tabs: corrects, and pays', async () => {
  const page = open();
  bind(page.form);
  page.control('number').focus();
  await user.keyboard(`4929119283746509{Tab}Zoe Quillow{Tab}1349{Tab}583{Enter}`);
  await expect.poll(() => focused(page)).toBe(page.control('expiry'));
  expect(invalid(page)).toEqual([null, null, 'true', null]);
  await user.clear(page.control('expiry'));
  expect(invalid(page)).toEqual([null, null, null, null]);
  await user.type(page.control('expiry'), '11/49');
  const arrived = page.arrived();
  await user.keyboard('{Enter}');
  expect((await arrived).length).toBe(1);
});

test('the page’s own controls are checked with the card', async () => {
  const page = open(`<input name="email" type="email" required>${html()}`);
  bind(page.form);
  fill(page);
  const email = page.form.elements.namedItem('email') as HTMLInputElement;
  page.button().click();
  expect(focused(page)).toBe(email);
  await idle(page);
  expect([page.errors, page.passes, page.control('cvv').value]).toEqual([[], 0, TYPED.cvv]);
  email.value = 'z@example.com';
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
});

test.each([
  ['the author wrote novalidate', 'method="post" novalidate', ''],
  ['the button has formnovalidate', 'method="post"', 'formnovalidate'],
])('where %s, only the card is judged', async (_, form, button) => {
  const page = open(
    `<input name="email" required>${html().replace('<button', `<button ${button}`)}`,
    form,
  );
  bind(page.form);
  fill(page, { ...TYPED, name: '', cvv: '1' });
  const seen: EventTarget[] = [];
  page.form.addEventListener('invalid', ({ target }) => seen.push(target!), { capture: true });
  await refused(page);
  expect(focused(page)).toBe(page.control('name'));
  expect(seen).toEqual([page.control('name'), page.control('cvv')]);
  expect(messages(page)).toEqual(['', 'Enter the name on the card', '', 'Check the security code']);
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body[0]).toEqual(['email', '']);
});

test('a page that draws its own messages gets invalid events, and the browser says nothing', async () => {
  const page = open();
  const drawn: string[] = [];
  page.form.addEventListener(
    'invalid',
    (event) => {
      event.preventDefault();
      drawn.push((event.target as HTMLInputElement).validationMessage);
    },
    { capture: true },
  );
  bind(page.form);
  page.button().focus();
  fill(page, { ...TYPED, number: '', cvv: '' });
  await refused(page);
  expect(drawn).toEqual(['Enter the card number', 'Enter the security code']);
  expect(focused(page)).toBe(page.button());
});

test('a page that swallows the invalid events still has its own controls validated', async () => {
  const page = open(`<input name="email" required>${html()}`);
  const swallow = (event: Event) => event.stopPropagation();
  addEventListener('invalid', swallow, true);
  later(() => removeEventListener('invalid', swallow, true));
  bind(page.form);
  fill(page);
  page.button().click();
  await settled(page);
  expect([page.passes, page.encrypted]).toEqual([0, []]);
});

test('a message that the page sets in place of the library’s stays when the field changes', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  const code = page.control('cvv');
  code.setCustomValidity('What the page says');
  code.dispatchEvent(new Event('input', { bubbles: true }));
  expect(code.validationMessage).toBe('What the page says');
});

test('gives back the aria-invalid that the author wrote', async () => {
  const page = open();
  page.control('cvv').setAttribute('aria-invalid', 'grammar');
  bind(page.form);
  await refused(page);
  expect(invalid(page)[3]).toBe('true');
  fill(page);
  await posted(page);
  expect(invalid(page)).toEqual([null, null, null, 'grammar']);
});

test('is busy for as long as something is under way', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const accepted = deferred<void>();
  bind(page.form, { key: () => key.promise, onEncrypted: () => accepted.promise });
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
  fill(page);
  const encrypted = new Promise((resolve) =>
    page.form.addEventListener('cardseal:encrypted', resolve),
  );
  page.button().click();
  expect(page.form.getAttribute('aria-busy')).toBe('true');
  key.resolve(freshKey());
  await encrypted;
  expect(page.form.getAttribute('aria-busy')).toBe('true');
  accepted.resolve();
  await idle(page);
});

test('axe finds nothing: at rest, with messages, while waiting, and after', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  const violations = async () =>
    (await axe.run(page.host, { resultTypes: ['violations'] })).violations.map(({ id }) => id);
  expect(await violations()).toEqual([]);
  await refused(page);
  expect(await violations()).toEqual([]);
  fill(page);
  const arrived = page.arrived();
  page.button().click();
  expect(await violations()).toEqual([]);
  key.resolve(freshKey());
  await arrived;
  expect(await violations()).toEqual([]);
  page.control('cvv').setAttribute('aria-invalid', 'nonsense');
  page.control('cvv').labels![0]!.replaceWith(page.control('cvv'));
  expect(await violations()).toEqual(expect.arrayContaining(['aria-valid-attr-value', 'label'])); // it looks
});

test('a page that draws messages itself, and cancels the events for that, has no text beside its own', async () => {
  const page = open();
  bind(page.form);
  const drawn: string[] = [];
  const draw = (event: Event) => {
    event.preventDefault();
    drawn.push((event.target as HTMLInputElement).validationMessage);
  };
  page.form.addEventListener('invalid', draw, true);
  fill(page, { ...TYPED, cvv: '' });
  await refused(page);
  expect([drawn, statusOf(page)]).toEqual([['Enter the security code'], undefined]);
});

test('a card button: where one of two texts is taken away, the shopper has the other one', async () => {
  const page = open(`${Object.values(CONTROLS).join('')}<button data-cardseal-button>Pay</button>`);
  bind(page.form);
  page.control('expiry').setCustomValidity = () => {};
  fill(page, { ...TYPED, expiry: '13/49', cvv: '' });
  await refused(page);
  expect(messages(page)).toEqual(['', '', '', 'Enter the security code']);
  expect(statusOf(page)).toBe('Enter the security code');
});

test('a wrong card is refused, although a script of the page takes the texts of the library away', async () => {
  const page = open();
  bind(page.form);
  for (const control of page.controls()) control.setCustomValidity = () => {};
  fill(page, { number: '1' });
  expect(await refused(page)).toMatchObject({ code: 'invalid_card', field: 'number' });
  await settled(page);
  expect([page.passes, page.encrypted]).toEqual([0, []]);
  expect(statusOf(page)).toBe('Check the card number');
});

test.each([BUTTON, '<button type="button" data-cardseal-button>Pay</button>'])(
  'a page that puts a text of its own in place as a control is invalid, and has none for it: the status has it, for %s',
  async (button) => {
    const page = open(Object.values(CONTROLS).join('') + button);
    bind(page.form);
    for (const control of page.controls()) {
      control.oninvalid = () => {
        control.setCustomValidity('');
        if (control.validity.valueMissing) control.setCustomValidity('Fill this in');
      };
    }
    fill(page, { ...TYPED, expiry: '13/49' });
    await refused(page);
    expect([focused(page), messages(page)]).toEqual([page.control('expiry'), ['', '', '', '']]);
    expect(statusOf(page)).toBe('Check the expiry date');
    fill(page);
    page.button().click();
    await vi.waitUntil(() => page.encrypted.length === 1);
    expect(statusOf(page)).toBe(undefined);
  },
);
