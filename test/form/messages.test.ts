import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardProblem } from '../../src/form/index.ts';
import { freshKey } from '../tools/support/core.ts';
import {
  bind,
  CONTROLS,
  deferred,
  fill,
  html,
  idle,
  next,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  user,
  wrongFields,
} from '../tools/support/form.ts';

const invalid = (page: Page) =>
  page.controls().map((control) => control.getAttribute('aria-invalid'));
const focused = (page: Page) => (page.form.getRootNode() as Document).activeElement;
const PARTS = html({
  expiry: '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">',
});

// Changed: a text stood at each control, in the browser's bubble. Now the first one stands in the
// status line, and each of those that have an element for it there: see status.test.ts.
test('marks each wrong control, focuses the first, and says what is wrong with it', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, number: '4929 1192 8374 6505', expiry: '13/49', cvv: '' });
  const error = await refused(page);
  expect([error.code, error.field]).toEqual(['invalid_card', 'number']);
  expect(console.error).not.toHaveBeenCalled();
  expect(wrongFields(page)).toEqual(['number', 'expiry', 'cvv']);
  expect([textRead(page), focused(page)]).toEqual([
    'Check the card number',
    page.control('number'),
  ]);
  expect(page.passes).toBe(0);
});

test('sets no validity of its own: the browser validates as without the library', async () => {
  const page = open();
  const before = page.form.getAttributeNames();
  bind(page.form);
  fill(page, { ...TYPED, cvv: '' });
  await refused(page);
  expect(page.controls().every(({ validity }) => validity.valid)).toBe(true);
  expect(page.form.getAttributeNames()).toEqual(before);
});

test('the live region is in the page, empty, before it is filled', async () => {
  const page = open();
  bind(page.form);
  const [line, ...others] = page.form.querySelectorAll('[role=alert]');
  expect([line?.textContent, others]).toEqual(['', []]);
  await refused(page);
  expect(line).toHaveProperty('isConnected', true);
  expect(line!.textContent).toBe('Enter the card number');
});

describe('cardseal:problems', () => {
  const problems = (page: Page) =>
    next<CustomEvent<{ problem: string; field: string; text: string; controls: Element[] }[]>>(
      page.form,
      'cardseal:problems',
    );

  test('tells each problem with its field, text and controls', async () => {
    const page = open(PARTS);
    bind(page.form, { messages: { cvv_required: 'Code fehlt' } });
    fill(page, { ...TYPED, exp_month: '01', exp_year: '20', cvv: '' });
    const raised = problems(page);
    page.button().click();
    const { detail, cancelable, bubbles, composed } = await raised;
    expect(
      detail.map(({ problem, field, text, controls }) => ({ problem, field, text, controls })),
    ).toEqual([
      {
        problem: 'expiry_past',
        field: 'exp_month',
        text: 'The card has expired',
        controls: [page.control('exp_month'), page.control('exp_year')],
      },
      {
        problem: 'cvv_required',
        field: 'cvv',
        text: 'Code fehlt',
        controls: [page.control('cvv')],
      },
    ]);
    expect([cancelable, bubbles, composed]).toEqual([true, true, true]);
  });

  test('cancelled: the page shows them by itself, and the library shows nothing', async () => {
    const page = open();
    bind(page.form);
    page.form.addEventListener('cardseal:problems', (event) => event.preventDefault());
    page.button().focus();
    expect((await refused(page)).code).toBe('invalid_card');
    await settled(page);
    expect([wrongFields(page), statusOf(page), focused(page)]).toEqual([
      [],
      undefined,
      page.button(),
    ]);
  });

  test('comes, too, for a name that the key has no room for', async () => {
    const page = open();
    bind(page.form);
    fill(page, { ...TYPED, name: 'Z'.repeat(300) });
    const raised = problems(page);
    page.button().click();
    expect((await raised).detail.map(({ problem }) => problem)).toEqual(['name_too_long']);
  });
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

// Changed: it had the library's text.
test('an empty required control is the browser’s to refuse', async () => {
  const page = open(html().replaceAll('<input', '<input required'));
  bind(page.form);
  fill(page, { ...TYPED, cvv: '' });
  page.button().click();
  expect([focused(page), page.passes, page.errors]).toEqual([page.control('cvv'), 0, []]);
  expect(page.control('cvv').validity.valueMissing).toBe(true);
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
      expect(textRead(page)).toMatch(expected);
      expect(wrongFields(page)).toEqual([field]);
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
    expect(wrongFields(page)).toEqual(['number', 'expiry', 'cvv']);
    expect(statusOf(page)).toBe('Enter the card number');
    page.control('number').dispatchEvent(new Event(type, { bubbles: true }));
    expect([wrongFields(page), statusOf(page)]).toEqual([['expiry', 'cvv'], undefined]);
  }
});

test('a message about month and year goes from both when either is corrected', async () => {
  const page = open(PARTS);
  bind(page.form);
  fill(page, { ...TYPED, exp_month: '01', exp_year: '20' });
  expect((await refused(page)).field).toBe('exp_month');
  expect(invalid(page)).toEqual([null, null, 'true', 'true', null]);
  page.control('exp_year').dispatchEvent(new Event('input', { bubbles: true }));
  expect(invalid(page)).toEqual([null, null, null, null, null]);
  expect(statusOf(page)).toBe(undefined);
});

test('a wrong year alone is said of the year', async () => {
  const page = open(PARTS);
  bind(page.form);
  fill(page, { ...TYPED, exp_year: '' });
  expect((await refused(page)).field).toBe('exp_year');
  expect(focused(page)).toBe(page.control('exp_year'));
});

test('a correction that a script makes without an event counts at the next submit', async () => {
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

test('the page’s own controls are checked by the browser, before the card', async () => {
  const page = open(`<input name="email" type="email" required>${html()}`);
  bind(page.form);
  fill(page, { ...TYPED, cvv: '' });
  const email = page.form.elements.namedItem('email') as HTMLInputElement;
  page.button().click();
  expect([focused(page), page.errors, page.passes]).toEqual([email, [], 0]);
  email.value = 'z@example.com';
  expect((await refused(page)).field).toBe('cvv');
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
});

test('a control that became invalid while the key was awaited: the browser says so, and nothing is sent', async () => {
  const page = open(`<input name="email" value="z@example.com" required>${html()}`);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const email = page.form.elements.namedItem('email') as HTMLInputElement;
  email.value = '';
  const invalid = next(email, 'invalid');
  key.resolve(freshKey());
  await invalid;
  await settled(page);
  expect([focused(page), page.passes, statusOf(page)]).toEqual([email, 0, undefined]);
  email.value = 'z@example.com';
  expect((await posted(page)).length).toBe(1);
});

test.each([
  ['the author wrote novalidate', 'method="post" novalidate', ''],
  ['the button has formnovalidate', 'method="post"', 'formnovalidate'],
])('where %s, only the card is validated', async (_, form, button) => {
  const page = open(
    `<input name="email" required>${html().replace('<button', `<button ${button}`)}`,
    form,
  );
  bind(page.form);
  fill(page, { ...TYPED, name: '', cvv: '1' });
  await refused(page);
  expect(focused(page)).toBe(page.control('name'));
  expect(wrongFields(page)).toEqual(['name', 'cvv']);
  expect(textRead(page)).toBe('Enter the name on the card');
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body[0]).toEqual(['email', '']);
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
