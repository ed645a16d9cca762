/** Which controls are the card's, as real shops have them, and what has to be corrected in a page. */
import { describe, expect, test, vi } from 'vitest';
import { findFields } from '../../src/form/controls/fields.ts';
import { bindCardForm } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  BUTTON,
  bind,
  blockOf,
  CARD,
  CONTROLS,
  clickAsShopper,
  FIELDS,
  fill,
  html,
  later,
  open,
  pay,
  posted,
  refused,
  settled,
  TYPED,
  testRealInput,
  values,
} from '../support/form.ts';

type Field = keyof typeof CONTROLS;

/** A form whose one field has these controls. */
const withField = (field: Field, controls: string) => html({ [field]: controls });

const count = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const twoDigits = (numbers: number[]) => numbers.map((it) => String(it).padStart(2, '0'));
const options = (texts: (string | number)[]) =>
  texts.map((text) => `<option value="${text}">${text}</option>`).join('');
const MONTH = '<input autocomplete="cc-exp-month">';
const YEAR = '<input autocomplete="cc-exp-year">';
const monthsOf = (...values: (string | number)[]) =>
  withField('expiry', `<select autocomplete="cc-exp-month">${options(values)}</select>${YEAR}`);
const yearsOf = (...values: (string | number)[]) =>
  withField('expiry', `${MONTH}<select autocomplete="cc-exp-year">${options(values)}</select>`);
const GIVEN = '<input autocomplete="cc-given-name">';
const ADDITIONAL = '<input autocomplete="cc-additional-name">';
const FAMILY = '<input autocomplete="cc-family-name">';
const BOX = (maxlength: number) => `<input data-cardseal-field="number" maxlength="${maxlength}">`;

describe('finds the fields', () => {
  test.each([
    [
      'by data-cardseal-field',
      html({
        number: '<input data-cardseal-field="number">',
        name: '<input data-cardseal-field="name" autocomplete="name">',
        expiry: '<input data-cardseal-field="exp_month"><input data-cardseal-field="exp_year">',
        cvv: '<input data-cardseal-field="cvv" type="password">',
      }),
    ],
    [
      'by autocomplete whose words stand on several lines',
      html({ number: '<input autocomplete="\n\tsection-pay\n\tcc-number\n">' }),
    ],
    [
      'by data-cardseal-field rather than by autocomplete',
      withField(
        'cvv',
        '<input data-cardseal-field="cvv" autocomplete="cc-number"><input data-cardseal-field="" autocomplete="cc-csc">',
      ),
    ],
    [
      'after section, billing and shipping, in capitals, between odd spaces',
      html({
        number: '<input autocomplete="section-card billing cc-number">',
        name: '<input autocomplete="shipping cc-name">',
        expiry: '<input autocomplete=" CC-EXP ">',
        cvv: '<input autocomplete="section-a  billing Cc-Csc webauthn">',
      }),
    ],
    [
      'with an empty name, which is sent nowhere',
      withField('cvv', '<input name="" autocomplete="cc-csc">'),
    ],
    ['apart, month and year as inputs', withField('expiry', MONTH + YEAR)],
    ['apart, a list of months from 1 to 12', monthsOf(...count(1, 12))],
    ['apart, a list of months after a placeholder of value 0', monthsOf(0, ...count(1, 12))],
    [
      'apart, a list of months after a placeholder of words',
      monthsOf('Month', '', ...count(1, 12)),
    ],
    ['apart, the last months of a year', monthsOf(10, 11)],
    ['apart, the same after a placeholder of words', monthsOf('Month', 10, 11)],
    ['apart, a list of years with words in it', yearsOf('Year', 'Never', ...count(2024, 2060))],
  ])('%s', async (_, content) => {
    expect(await decrypt(await pay(open(content)))).toEqual(CARD);
  });

  test('apart, given, additional and family name, wherever their controls are', async () => {
    const page = open(withField('name', ADDITIONAL + FAMILY + GIVEN));
    const additional = page.form.querySelector<HTMLInputElement>('[autocomplete*=additional]')!;
    additional.value = 'van der';
    const block = await pay(page, { ...TYPED, given_name: ' Zoë ', family_name: 'Quillow' });
    expect((await decrypt(block)).name).toBe('Zoë van der Quillow');
    expect([additional.value, ...values(page)].join('')).toBe('');
  });

  test('a number in three boxes, in the order of the page, and empties them', async () => {
    const page = open(withField('number', BOX(4) + BOX(6) + BOX(6)));
    fill(page);
    const boxes = page.controls().slice(0, 3);
    const parts = [CARD.number.slice(0, 4), CARD.number.slice(4, 10), CARD.number.slice(10)];
    for (const [i, box] of boxes.entries()) box.value = parts[i]!;
    expect(await decrypt(await pay(page, {}))).toEqual(CARD);
    expect(values(page).join('')).toBe('');
  });

  test('outside of the form, which they name by their form attribute', async () => {
    const outside = FIELDS.replaceAll('<input', '<input form="my-form"');
    const page = open(BUTTON, 'method="post" id="my-form"', `FORM${outside}`);
    expect(await decrypt(await pay(page))).toEqual(CARD);
    expect(values(page).join('')).toBe('');
  });

  test('beside controls that are named like members of the form', async () => {
    const names = [
      ...['action', 'elements', 'method', 'requestSubmit', 'submit', 'addEventListener'],
      ...['dispatchEvent', 'setAttribute', 'removeAttribute', 'toggleAttribute', 'noValidate'],
      ...['reportValidity', 'length', 'matches', 'querySelectorAll'],
    ];
    const clobbering = names.map((name) => `<input name="${name}" value="${name}">`);
    const page = open(`${html() + clobbering.join('')}<img name="createElement">`);
    const binding = bind(page.form);
    await binding.ready;
    fill(page);
    const [sent] = await posted(page);
    expect(await decrypt(blockOf(sent!))).toEqual(CARD);
    expect(sent!.body.map(([name]) => name)).toEqual([...names, 'encrypted_card']);
    binding.unbind();
  });
});

// Changed: a form of another window paid. The listeners of this window are not those of another.
test('anything but a form of this window is refused, with a text that says so', () => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  later(() => frame.remove());
  frame.contentDocument!.body.innerHTML = `<form method="post">${html()}</form>`;
  for (const form of [null as never, frame.contentDocument!.forms[0]!]) {
    expect(() => bindCardForm(form, { key: () => freshKey() })).toThrow(
      'bindCardForm needs a form of this window',
    );
  }
});

const NAMED = 'have no name attribute: without script it would be sent in clear text';
const CLOSED = 'not be disabled, read-only or hidden';
const ONCE = 'occur only once';
const MONTHS = 'have options with the values 1 to 12 or 01 to 12';

type Fault = [what: string, content: string, message: string];

const FAULTS: Fault[] = [
  ...(['number', 'name', 'expiry', 'cvv'] as const).map(
    (field): Fault => [
      `no ${field}`,
      withField(field, ''),
      `${field} control must be marked by data-cardseal-field="${field}" or autocomplete="cc-`,
    ],
  ),
  [
    'a code with a name',
    withField('cvv', '<input name="x" autocomplete="cc-csc">'),
    `cvv control must ${NAMED}`,
  ],
  ['two codes', withField('cvv', CONTROLS.cvv.repeat(2)), `cvv control must ${ONCE}`],
  [
    'a shared number',
    withField('number', '<input data-cardseal-shared autocomplete="cc-number">'),
    'number control must not have data-cardseal-shared: only a name can be shared',
  ],
  ['no month', withField('expiry', YEAR), 'exp_month control must be marked by'],
  ['no year', withField('expiry', MONTH), 'exp_year control must be marked by'],
  ['no given name', withField('name', FAMILY), 'given_name control must be marked by'],
  ['no family name', withField('name', GIVEN), 'family_name control must be marked by'],
  ['an additional name alone', withField('name', ADDITIONAL), 'given_name control must be marked'],
  [
    'expiry whole and month',
    withField('expiry', CONTROLS.expiry + MONTH),
    `expiry control must ${ONCE}`,
  ],
  [
    'expiry whole and year',
    withField('expiry', CONTROLS.expiry + YEAR),
    `expiry control must ${ONCE}`,
  ],
  ...[GIVEN, ADDITIONAL, FAMILY].map(
    (part): Fault => [
      `name whole and ${part}`,
      withField('name', CONTROLS.name + part),
      `name control must ${ONCE}`,
    ],
  ),
  [
    'type=number',
    withField('number', '<input type="number" autocomplete="cc-number">'),
    'not have type="number", which loses digits: use inputmode="numeric"',
  ],
  [
    'type=date',
    withField('expiry', '<input type="date" autocomplete="cc-exp">'),
    'not have type="date", a card has no day: use type="month" or text',
  ],
  [
    'a text area',
    withField('number', '<textarea autocomplete="cc-number"></textarea>'),
    'number control must be an input or select',
  ],
  ...[
    '<input disabled',
    '<input readonly',
    '<input type="hidden"',
    '<fieldset disabled><input',
  ].map(
    (control): Fault => [
      control,
      withField('number', `${control} autocomplete="cc-number">`),
      `number control must ${CLOSED}`,
    ],
  ),
  ['months from 0 to 11', monthsOf(...count(0, 11)), MONTHS],
  ['months from 00 to 11 after a placeholder', monthsOf('', ...twoDigits(count(0, 11))), MONTHS],
  ['names of months', monthsOf(...'Jan Feb Mar Apr'.split(' ')), MONTHS],
  ['number boxes of seven characters', withField('number', BOX(7).repeat(2)), ONCE],
  ['number boxes with a maxlength of 0', withField('number', BOX(0).repeat(2)), ONCE],
  ['a number box beside a whole number', withField('number', BOX(4) + BOX(19)), ONCE],
  [
    'a number box by autocomplete only',
    withField('number', `${BOX(4)}<input autocomplete="cc-number" maxlength="4">`),
    ONCE,
  ],
];

test.each(FAULTS)(
  '%s is refused, and the error says which control and how to fix it',
  (...fault) => {
    const [, content, message] = fault;
    const { form } = open(content);
    expect(() => findFields(form)).toThrow(
      expect.objectContaining({ code: 'invalid_form', message: expect.stringContaining(message) }),
    );
  },
);

test('a fault of the form: invalid_form at binding and at the press, nothing is sent, and it works once fixed', async () => {
  const page = open(withField('cvv', ''));
  const binding = bind(page.form);
  await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form']);
  expect(console.error).toHaveBeenCalledWith(page.errors[0]);
  fill(page);
  await refused(page);
  expect([page.errors.length, page.passes]).toEqual([2, 0]);
  page.form.insertAdjacentHTML('beforeend', CONTROLS.cvv);
  fill(page);
  const [sent, more] = await posted(page);
  expect([await decrypt(blockOf(sent!)), more]).toEqual([CARD, undefined]);
});

// G14. Changed: such a press was refused, and each one after it.
// Claim no-clear-text
test('a name that a script adds after binding is taken off again, audibly, and the press pays', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const page = open();
  await bind(page.form).ready;
  let presses = 0;
  page.form.addEventListener('submit', (event) => {
    page.control('number').setAttribute('name', 'card_number');
    presses += 1;
    if (presses === 1) event.preventDefault();
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => presses === 1);
  await settled(page);
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('card_number'));
});

// Claim no-clear-text
test('no form data made of the form ever has an entry that is named after a card control', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  for (const control of page.controls()) control.setAttribute('name', 'c');
  page.control('cvv').setAttribute('data-cardseal-shared', ''); // which only a name can be
  page.form.insertAdjacentHTML('beforeend', '<input name="email" value="z@example.com">');
  expect([...new FormData(page.form)]).toEqual([['email', 'z@example.com']]);
});

// Claim no-clear-text
test('a control whose mark a listener has changed, and that it has named, is kept out of the data', async () => {
  const page = open();
  await bind(page.form).ready;
  page.form.addEventListener('submit', () => {
    for (const [i, control] of page.controls().entries()) {
      control.setAttribute('autocomplete', 'off'); // as against saving cards
      control.setAttribute('name', `field_${i}`);
    }
  });
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

describe('a shared name', () => {
  const SHARED =
    '<label>Name <input name="billing_name" autocomplete="cc-name" data-cardseal-shared></label>';

  test('is encrypted, is sent as before, and is never emptied', async () => {
    const page = open(withField('name', SHARED));
    const binding = bind(page.form);
    fill(page);
    const name = page.control('name') as HTMLInputElement;
    name.setAttribute('value', 'Zoë');
    const [sent] = await posted(page);
    const { encrypted_card, ...others } = Object.fromEntries(sent!.body);
    expect(others).toEqual({ billing_name: TYPED.name });
    expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
    await vi.waitUntil(() => page.control('number').value === '');
    await binding.restart();
    binding.unbind();
    expect([name.value, name.getAttribute('value')]).toEqual([TYPED.name, 'Zoë']);
  });

  test('may be a given, an additional and a family name', async () => {
    const shared = [GIVEN, ADDITIONAL, FAMILY].map((part, i) =>
      part.replace('<input', `<input name="part${i}" data-cardseal-shared`),
    );
    const page = open(withField('name', shared.join('')));
    const binding = bind(page.form);
    await binding.ready;
    const parts = [...page.form.querySelectorAll<HTMLInputElement>('[data-cardseal-shared]')];
    for (const part of parts) part.value = 'Zoë';
    await binding.restart();
    expect(parts.map(({ name, value }) => [name, value])).toEqual([
      ['part0', 'Zoë'],
      ['part1', 'Zoë'],
      ['part2', 'Zoë'],
    ]);
  });

  testRealInput('does not keep the next press from sending a block again', async () => {
    const page = open(withField('name', SHARED));
    const blocks: object[] = [];
    bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
    fill(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 1);
    await settled(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 2);
    expect(blocks[1]).toEqual(blocks[0]);
  });
});
