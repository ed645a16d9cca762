import { expect, test } from 'vitest';
import { bindCardForm } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  CONTROLS,
  fill,
  html,
  later,
  next,
  open,
  type Page,
  pay,
  posted,
  refused,
  TYPED,
} from '../tools/support/form.ts';

const options = (first: number, last: number) =>
  `<option value="">-</option>${Array.from({ length: last - first + 1 }, (_, i) => `<option>${first + i}</option>`).join('')}`;

test.each([
  ['by autocomplete', html()],
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
    'by data-cardseal-field rather than by autocomplete',
    html({
      cvv: '<input data-cardseal-field="cvv" autocomplete="cc-number"><input data-cardseal-field="" autocomplete="cc-csc">',
    }),
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
    'apart, month and year as inputs',
    html({ expiry: '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">' }),
  ],
  [
    'apart, a list of years with words in it',
    html({
      expiry: `<input autocomplete="cc-exp-month"><select autocomplete="cc-exp-year"><option>Year<option>Never${options(2024, 2060)}</select>`,
    }),
  ],
  [
    'apart, month and year as selects',
    html({
      expiry: `<select autocomplete="cc-exp-month">${options(1, 12)}</select><select autocomplete="cc-exp-year">${options(2024, 2060)}</select>`,
    }),
  ],
])('finds the fields %s', async (_, content) => {
  expect(await decrypt(await pay(open(content)))).toEqual(CARD);
});

test('anything but a form is refused, with a text that says so', () => {
  expect(() => bindCardForm(null as never, { key: () => freshKey() })).toThrow(
    'bindCardForm needs a form of this window',
  );
});

// Changed: it paid. The listeners of this window are not those of another.
test('a form of another window is refused', () => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  later(() => frame.remove());
  frame.contentDocument!.body.innerHTML = `<form method="post">${html()}</form>`;
  const { forms } = frame.contentDocument!;
  expect(() => bindCardForm(forms[0]!, { key: () => freshKey() })).toThrow('of this window');
});

test('finds given and family name', async () => {
  const page = open(
    html({ name: '<input autocomplete="cc-family-name"><input autocomplete="cc-given-name">' }),
  );
  const block = await pay(page, { ...TYPED, given_name: ' Zoë ', family_name: 'Quillow' });
  expect(await decrypt(block)).toEqual(CARD);
});

test('finds controls outside the form that name it', async () => {
  const outside = '<form id="card" method="post"><button>Pay</button></form>';
  const page = open(
    '',
    '',
    `${outside}${Object.values(CONTROLS).join('').replaceAll('<input', '<input form="card"')}<div hidden>FORM</div>`,
  );
  expect(await decrypt(await pay(page))).toEqual(CARD);
});

test('works in a shadow root, and its events leave it', async () => {
  const page = open();
  const shadow = page.host
    .appendChild(document.createElement('div'))
    .attachShadow({ mode: 'open' });
  shadow.append(page.form);
  const raised = next<CustomEvent>(document.body, 'cardseal:encrypted');
  const block = await pay(page);
  expect(await decrypt(block)).toEqual(CARD);
  expect((await raised).detail).toEqual({ key_id: block.key_id });
  expect(page.controls().map(({ value }) => value)).toEqual(['', '', '', '']);
});

test('works in a dialog, with method=dialog and GET too, when the page sends the block itself', async () => {
  for (const method of ['dialog', 'get', 'post']) {
    const page = open(html(), `method="${method}"`, '<dialog>FORM</dialog>');
    const dialog = page.host.querySelector('dialog')!;
    dialog.showModal();
    expect(await decrypt(await pay(page))).toEqual(CARD);
    expect(page.passes).toBe(0);
    expect(dialog.open).toBe(true);
  }
});

test('works with controls that are named like members of the form', async () => {
  const names = [
    'action',
    'elements',
    'method',
    'requestSubmit',
    'submit',
    'addEventListener',
    'dispatchEvent',
    'setAttribute',
  ];
  const more = [
    'removeAttribute',
    'toggleAttribute',
    'noValidate',
    'reportValidity',
    'length',
    'matches',
    'querySelectorAll',
  ];
  const clobbering = [...names, ...more]
    .map((name) => `<input name="${name}" value="${name}">`)
    .join('');
  const page = open(html() + clobbering);
  const binding = bind(page.form);
  await binding.ready;
  fill(page);
  const [sent] = await posted(page);
  const { encrypted_card, ...others } = Object.fromEntries(sent!.body);
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  expect(Object.keys(others)).toEqual([...names, ...more]);
  binding.unbind();
  expect(Element.prototype.hasAttribute.call(page.form, 'novalidate')).toBe(false);
});

const EXPIRY_PARTS = '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">';
const NAME_PARTS = '<input autocomplete="cc-given-name"><input autocomplete="cc-family-name">';
const NAMED = 'must have no name attribute: without script it would be sent in clear text';
const CLOSED = 'must not be disabled, read-only or hidden';
type Case = [
  what: string,
  content: string,
  slot: string,
  message: string,
  fix: (page: Page) => void,
];

const named = (field: keyof typeof CONTROLS): Case => [
  `${field} with a name`,
  html({ [field]: CONTROLS[field].replace('<input', '<input name="x"') }),
  field,
  NAMED,
  (page) => page.control(field).removeAttribute('name'),
];
const missing = (field: keyof typeof CONTROLS): Case => [
  `no ${field}`,
  html({ [field]: '' }),
  field,
  `must be marked by data-cardseal-field="${field}" or autocomplete="cc-`,
  (page) => page.form.insertAdjacentHTML('beforeend', CONTROLS[field]),
];
const doubled = (field: keyof typeof CONTROLS): Case => [
  `two controls for ${field}`,
  html({ [field]: CONTROLS[field] + CONTROLS[field] }),
  field,
  'must occur only once',
  (page) => page.control(field).remove(),
];
const wrong = (what: string, number: string, message: string, fix: (page: Page) => void): Case => [
  what,
  html({ number }),
  'number',
  message,
  fix,
];
const replaceNumber = (page: Page) => {
  page.control('number').outerHTML = CONTROLS.number;
};

test.each<Case>([
  ...(['number', 'name', 'expiry', 'cvv'] as const).flatMap((field) => [
    named(field),
    missing(field),
    doubled(field),
  ]),
  [
    'no year',
    html({ expiry: '<input autocomplete="cc-exp-month">' }),
    'exp_year',
    'must be marked by',
    (page) => page.form.insertAdjacentHTML('beforeend', '<input autocomplete="cc-exp-year">'),
  ],
  [
    'no given name',
    html({ name: '<input autocomplete="cc-family-name">' }),
    'given_name',
    'must be marked by',
    (page) => page.form.insertAdjacentHTML('beforeend', '<input autocomplete="cc-given-name">'),
  ],
  [
    'no family name',
    html({ name: '<input autocomplete="cc-given-name">' }),
    'family_name',
    'must be marked by',
    (page) => page.form.insertAdjacentHTML('beforeend', '<input autocomplete="cc-family-name">'),
  ],
  [
    'expiry whole and in parts',
    html({ expiry: CONTROLS.expiry + EXPIRY_PARTS }),
    'expiry',
    'must occur only once',
    (page) => page.control('expiry').remove(),
  ],
  [
    'name whole and a middle name',
    html({ name: `${CONTROLS.name}<input autocomplete="cc-additional-name">` }),
    'name',
    'must occur only once',
    (page) => page.form.querySelector('[autocomplete=cc-additional-name]')!.remove(),
  ],
  [
    'name whole and in parts',
    html({ name: CONTROLS.name + NAME_PARTS }),
    'name',
    'must occur only once',
    (page) => page.control('name').remove(),
  ],
  [
    'a year with a name',
    html({
      expiry: EXPIRY_PARTS.replace(' autocomplete="cc-exp-y', ' name="y" autocomplete="cc-exp-y'),
    }),
    'exp_year',
    NAMED,
    (page) => page.control('exp_year').removeAttribute('name'),
  ],
  wrong(
    'type=number',
    '<input type="number" autocomplete="cc-number">',
    'use inputmode="numeric"',
    replaceNumber,
  ),
  wrong(
    'a text area',
    '<textarea autocomplete="cc-number"></textarea>',
    'must be an input or select',
    replaceNumber,
  ),
  wrong('a disabled control', '<input disabled autocomplete="cc-number">', CLOSED, replaceNumber),
  wrong('a read-only control', '<input readonly autocomplete="cc-number">', CLOSED, replaceNumber),
  wrong(
    'a hidden control',
    '<input type="hidden" autocomplete="cc-number">',
    CLOSED,
    replaceNumber,
  ),
  wrong(
    'a disabled fieldset',
    '<fieldset disabled><input autocomplete="cc-number"></fieldset>',
    CLOSED,
    (page) => {
      page.host.querySelector('fieldset')!.disabled = false;
    },
  ),
])(
  '%s: invalid_form, says which and how to fix it, sends nothing, and works once fixed',
  async (_, content, slot, message, fix) => {
    const page = open(content);
    const binding = bind(page.form);
    await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_form' });
    expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form']);
    expect(page.errors[0]!.message).toContain(`The card form's ${slot} control `);
    expect(page.errors[0]!.message).toContain(message);
    expect(console.error).toHaveBeenCalledWith(page.errors[0]);

    fill(page, { ...TYPED, given_name: 'Zoë', family_name: 'Quillow' });
    await refused(page);
    expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form', 'invalid_form']);
    expect(page.passes).toBe(0);

    fix(page);
    fill(page, { ...TYPED, given_name: 'Zoë', family_name: 'Quillow' });
    const sent = await posted(page);
    expect(sent.length).toBe(1);
    expect(await decrypt(JSON.parse(sent[0]!.body[0]![1]))).toEqual(CARD);
  },
);

test('a name added after binding: invalid_form at the next submit, what was typed stays', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  page.control('cvv').setAttribute('name', 'cvv');
  await refused(page);
  expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form']);
  expect(page.errors[0]!.message).toContain(`cvv control ${NAMED}`);
  expect(page.passes).toBe(0);
  expect(page.controls().map(({ value }) => value)).toEqual([
    TYPED.number,
    TYPED.name,
    TYPED.expiry,
    TYPED.cvv,
  ]);
  expect(await page.sent()).toEqual([]);
});

test('a control with an empty name is sent nowhere, so it works', async () => {
  expect(
    await decrypt(await pay(open(html({ cvv: '<input name="" autocomplete="cc-csc">' })))),
  ).toEqual(CARD);
});

test('no form data made of the form ever has an entry that is named after a card control', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  for (const control of page.controls()) control.setAttribute('name', 'c');
  page.form.insertAdjacentHTML('beforeend', '<input name="email" value="z@example.com">');
  expect([...new FormData(page.form)]).toEqual([['email', 'z@example.com']]);
});

test.each([
  ['a GET form', 'method="get"', 'method="post"'],
  ['a form without a method', '', 'method="post"'],
  ['a form with method=dialog', 'method="dialog"', 'method="post"'],
  ['an action on http', 'method="post" action="http://shop.example/pay"', 'an action on https'],
  ['an action that is script', 'method="post" action="javascript:0"', 'an action on https'],
  ['an action that is no URL', 'method="post" action="https://:x"', 'an action on https'],
  [
    'an action on another origin',
    'method="post" action="https://shop.example/pay"',
    'on its own origin',
  ],
])(
  'a native submit with %s: invalid_form at binding and at the submit',
  async (_, attributes, message) => {
    const page = open(html(), '');
    for (const name of ['method', 'action']) page.form.removeAttribute(name);
    const template = document.createElement('template');
    template.innerHTML = `<form ${attributes}></form>`;
    for (const { name, value } of template.content.firstElementChild!.attributes)
      page.form.setAttribute(name, value);
    await expect(bind(page.form).ready).rejects.toMatchObject({
      code: 'invalid_form',
      message: expect.stringContaining(message),
    });
    fill(page);
    await refused(page);
    expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form', 'invalid_form']);
    expect(page.passes).toBe(0);
    expect(page.control('cvv').value).toBe(TYPED.cvv);
  },
);

test.each([
  ['formmethod=get', 'formmethod="get"', 'method="post"'],
  ['formaction on http', 'formaction="http://shop.example/pay"', 'an action on https'],
  ['formaction on another origin', 'formaction="https://shop.example/pay"', 'on its own origin'],
])(
  'a native submit by a button with %s: invalid_form; by another button it works',
  async (_, attributes, message) => {
    const page = open(`${html()}<button ${attributes}>Other</button>`);
    await bind(page.form).ready;
    fill(page);
    await refused(page, page.button('Other'));
    expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form']);
    expect(page.errors[0]!.message).toContain(message);
    expect(page.passes).toBe(0);
    expect((await posted(page)).length).toBe(1);
  },
);

test.each([
  [
    'a submit button beside a card button',
    `${html()}<button type="button" data-cardseal-button>Send</button>`,
  ],
  ['no button at all', Object.values(CONTROLS).join('')],
])('the destination is checked at binding, with %s', async (_, content) => {
  const page = open(content, 'method="get"');
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: 'The card form must have method="post", or onEncrypted',
  });
});

// Changed: the destination is checked as the first submit button would submit the form.
test('a button corrects what the form lacks, at binding, too', async () => {
  const page = open(html().replace('<button', '<button formmethod="post"'), 'method="get"');
  await bind(page.form).ready;
  fill(page);
  expect((await posted(page)).map(({ method }) => method)).toEqual(['POST']);
});

test('another origin is fine where it is allowed, http on another machine never', async () => {
  const page = open();
  page.form.action = 'https://shop.example/pay';
  await bind(page.form, { allowCrossOriginAction: true }).ready;
  page.form.action = 'http://shop.example/pay';
  await expect(bind(page.form, { allowCrossOriginAction: true }).ready).rejects.toMatchObject({
    code: 'invalid_form',
  });
  for (const address of [
    'http://127.evil.example',
    'http://localhost.example',
    'http://127.0.0.2.example',
    'ftp://localhost',
  ]) {
    page.form.action = `${address}/pay`;
    await expect(bind(page.form, { allowCrossOriginAction: true }).ready).rejects.toMatchObject({
      code: 'invalid_form',
    });
  }
  for (const host of ['localhost', 'shop.localhost:8080', '127.0.0.1:3000', '[::1]:3000']) {
    page.form.action = `http://${host}/pay`;
    await bind(page.form, { allowCrossOriginAction: true }).ready;
  }
});
