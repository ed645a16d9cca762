/** Pages that do with a bound form what nobody expects: what goes out, what stands in it, where it is. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { decrypt } from '../support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  CARD_BUTTON,
  CONTROLS,
  cancelled,
  FIELDS,
  fill,
  html,
  later,
  next,
  OTHER,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  values,
} from '../support/form.ts';

const error = () => vi.spyOn(console, 'error').mockImplementation(() => {});
const warn = () => vi.spyOn(console, 'warn').mockImplementation(() => {});

const OTHER_NUMBER = '4111 1111 1111 1111';

/** As short as a card number can be. */
const SHORT_NUMBER = '501800000009';

const messageOf = async (page: Page, options = {}) => {
  error();
  const reason = await bind(page.form, options).ready.then(
    () => new Error('nothing is wrong'),
    (reason: Error) => reason,
  );
  return reason.message;
};

// G5
describe('what goes out in clear text is searched:', () => {
  test.each([
    ['as typed', TYPED.number],
    ['digits only', CARD.number],
    ['among other text', `my card: ${CARD.number}, thanks`],
    ['at the end of a longer one', `7${CARD.number}`],
    ['in other digits', '４９２９１１９２８３７４６５０９'],
    ['behind a long text', `${'a note. '.repeat(500)}${TYPED.number}`],
    ['of twelve digits', SHORT_NUMBER, SHORT_NUMBER],
  ])('a field of the page with the number %s', async (_, value, number = TYPED.number) => {
    error();
    const page = open(`<input type="hidden" name="note">${html()}`);
    await bind(page.form).ready;
    fill(page, { ...TYPED, number });
    page.form.querySelector<HTMLInputElement>('[name=note]')!.value = value;
    const { code, message } = await refused(page);
    expect([code, message]).toEqual(['invalid_form', expect.stringContaining('named note')]);
    expect([message.includes(number.slice(0, 4)), await page.sent()]).toEqual([false, []]);
    expect(statusOf(page)).toEqual(expect.any(String));
  });

  // Claim no-clear-text
  test('in a long field, in one pass for a FormData and one for a press', async () => {
    const page = open(`<input type="hidden" name="picture">${html()}`);
    await bind(page.form).ready;
    fill(page);
    const text = 'aGVsbG8x'.repeat(1_000);
    page.form.querySelector<HTMLInputElement>('[name=picture]')!.value = text;
    let passes = 0;
    const iterate = String.prototype[Symbol.iterator];
    vi.spyOn(String.prototype, Symbol.iterator).mockImplementation(function (this: string) {
      if (this.length === text.length) passes += 1;
      return iterate.call(this);
    });
    new FormData(page.form);
    expect(passes).toBe(1);
    const [sent] = await posted(page);
    expect([passes, sent!.body.map(([name]) => name)]).toEqual([
      3, // the press, and the FormData of the form that it sends
      ['picture', 'encrypted_card'],
    ]);
  });

  test.each([
    ['the rest of the card', `${TYPED.name}, ${TYPED.expiry}, ${TYPED.cvv}`],
    ['letters between the digits', [...CARD.number].join('x')],
  ])('for the number only: a field of the page with %s is sent', async (_, rest) => {
    const page = open(`<input type="hidden" name="note">${html()}`);
    await bind(page.form).ready;
    fill(page);
    page.form.querySelector<HTMLInputElement>('[name=note]')!.value = rest;
    const [sent] = await posted(page);
    expect(sent!.body[0]).toEqual(['note', rest]);
  });

  test('not what the browser does not send', async () => {
    const disabled = '<fieldset disabled><input name="old"></fieldset>';
    const page = open(`<output name="seen"></output>${disabled}${html()}`);
    await bind(page.form).ready;
    fill(page);
    page.form.querySelector('output')!.value = TYPED.number; // a card that the page draws
    page.form.querySelector<HTMLInputElement>('[name=old]')!.value = TYPED.number;
    const [sent] = await posted(page);
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
  });

  test.each([OTHER_NUMBER, SHORT_NUMBER])(
    'a shared name with %s: the shopper corrects it',
    async (number) => {
      const name = '<input name="billing" data-cardseal-field="name" data-cardseal-shared>';
      const page = open(html({ name }));
      await bind(page.form).ready;
      fill(page, { ...TYPED, name: `VISA ${number}` });
      expect((await refused(page)).field).toBe('name');
      expect([textRead(page), await page.sent()]).toEqual(['Check the name on the card', []]);
      fill(page, { name: 'Zoë 2' });
      expect((await posted(page)).length).toBe(1);
    },
  );

  test('what a submit listener copies stays behind', async () => {
    error();
    const page = open(`<input type="hidden" name="note">${html()}`);
    await bind(page.form).ready;
    const note = page.form.querySelector<HTMLInputElement>('[name=note]')!;
    page.form.addEventListener('submit', () => {
      note.value = page.control('number').value;
    });
    fill(page);
    const [sent] = await posted(page);
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
    expect(console.error).toHaveBeenCalledWith(expect.stringContaining('note is not sent'));
  });
});

// Claim no-clear-text
test('a copy of the number is in no data of a form that lacks a control', async () => {
  error();
  const page = open(`<input type="hidden" name="note">${html()}`);
  await bind(page.form).ready;
  fill(page);
  page.form.querySelector<HTMLInputElement>('[name=note]')!.value = CARD.number;
  page.control('cvv').remove();
  expect([...new FormData(page.form).keys()]).toEqual([]);
  expect(console.error).toHaveBeenCalledWith(expect.stringContaining('note is not sent'));
});

const BOXES = '<input data-cardseal-field="number" maxlength="4">'.repeat(4);

// Claim no-clear-text
test.each([
  ['boxes', BOXES, ['4929', '1192', '8374', '6509']],
  ['two controls', CONTROLS.number.repeat(2), [OTHER_NUMBER, CARD.number]],
])('a copy of the number in %s is in no data of the form', async (_, number, typed) => {
  error();
  const page = open(`<input type="hidden" name="note">${html({ number })}`);
  await bind(page.form).ready.catch(() => {}); // two controls are refused at the press, too
  fill(page, { name: TYPED.name, expiry: TYPED.expiry, cvv: TYPED.cvv });
  typed.forEach((text, i) => {
    page.controls()[i]!.value = text;
  });
  page.form.querySelector<HTMLInputElement>('[name=note]')!.value = CARD.number;
  expect([...new FormData(page.form).keys()]).toEqual([]);
});

// G8
describe('the developer is told the truth at binding:', () => {
  const select = (slot: string, ...values: string[]) =>
    `<select autocomplete="${slot}">${values.map((it) => `<option value="${it}">`).join('')}</select>`;
  const MONTH = '<input autocomplete="cc-exp-month">';
  const YEAR = '<input autocomplete="cc-exp-year">';

  test('years with other values', async () => {
    const years = select('cc-exp-year', '', '0: 2031', '1: 2032', '2: 2033');
    const message = await messageOf(open(html({ expiry: MONTH + years })));
    expect(message).toContain('exp_year control must have options with the values such as 2031');
  });

  test('months in other digits are months', async () => {
    const months = [...'١٢٣٤٥٦٧٨٩', '١٠', '١١', '١٢'];
    const page = open(html({ expiry: select('cc-exp-month', 'شهر', ...months) + YEAR }));
    await bind(page.form).ready;
    fill(page, { ...TYPED, exp_month: '١١', exp_year: '49' });
    const [sent] = await posted(page);
    expect((await decrypt(blockOf(sent!))).exp_month).toBe('11');
  });

  test.each([
    '<x-input data-cardseal-field="number"></x-input>',
    '<div data-cardseal-field="number"><input></div>',
  ])('an element that is no control: %s', async (number) => {
    const message = await messageOf(open(html({ number })));
    expect(message).toContain('number control must be an input or select of the form');
  });

  test('nothing, if a plugin marks the controls a moment later', async () => {
    const page = open(html({ number: '<input id="n">' }));
    const { ready } = bind(page.form);
    setTimeout(() => page.form.querySelector('#n')!.setAttribute('autocomplete', 'cc-number'), 50);
    await ready;
    expect(page.errors).toEqual([]);
  });

  test('something, if no plugin marks them within a second', async () => {
    error();
    const page = open(html({ number: '<input id="n">' }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    bind(page.form).ready.catch(() => {});
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect(page.errors).toEqual([expect.objectContaining({ code: 'invalid_form' })]);
  });

  test('a form whose card is chosen later: not before the shopper has chosen it, and once', async () => {
    const spy = error();
    const fields = `<div hidden>${FIELDS}</div>`;
    const page = open(`<input name="coupon">${fields}<button>Pay</button>`, 'method="get"');
    await bind(page.form).ready;
    const focus = (control: Element) =>
      control.dispatchEvent(new FocusEvent('focusin', { bubbles: true }));
    focus(page.form.querySelector('[name=coupon]')!);
    expect(spy).not.toHaveBeenCalled();
    page.form.querySelector('div')!.hidden = false;
    focus(page.control('number'));
    focus(page.control('name'));
    expect(spy.mock.calls).toEqual([[expect.stringContaining('method="post"')]]);
  });

  test('a form that only calls encrypt() needs neither a method nor a button', async () => {
    const spies = [error(), warn()];
    vi.spyOn(console, 'info').mockImplementation(() => {});
    const page = open(`${FIELDS}<button type="button">Pay</button>`, '');
    const binding = bind(page.form);
    await binding.ready;
    fill(page);
    expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  test.each([
    ['allow-scripts allow-same-origin', true],
    ['', true],
    ['allow-scripts\tAllow-Forms', false],
  ])('whether a frame with sandbox="%s" may submit nothing: %s', async (sandbox, isWrong) => {
    const frame = window.frameElement!; // of the tests. It is heeded when a page is loaded
    frame.setAttribute('sandbox', sandbox);
    later(() => frame.removeAttribute('sandbox'));
    const page = open();
    const message = await messageOf(page);
    expect(message).toContain(isWrong ? 'whose sandbox must have allow-forms' : 'nothing is wrong');
    expect(page.errors.map(({ code }) => code)).toEqual(isWrong ? ['invalid_form'] : []);
  });

  test('enctype="text/plain"', async () => {
    const spy = warn();
    await bind(open(html(), 'method="post" enctype="text/plain"').form).ready;
    expect(spy.mock.calls).toEqual([[expect.stringContaining('text/plain')]]);
  });
});

// G8
describe('a number that maxlength has cut off', () => {
  const cut = (maxLength: number) =>
    html({ number: `<input autocomplete="cc-number" maxlength="${maxLength}">` });

  test.each([
    [16, '4222 2222 2222 2222'.slice(0, 16), 'Check the card number'],
    [19, ' 4222 2222 2222 2222'.slice(0, 19), 'Check the card number'],
    [19, ' 3782 822463 10005 ', undefined],
    [16, '3782 822463 10005'.slice(0, 16), 'Check the card number'],
    [16, '3482 822463 10005'.slice(0, 16), 'Check the card number'],
    [17, '3782 822463 10005', undefined],
    [18, '3782 8224 6310 005', undefined], // Changed: its groups made it one that was cut off
    [17, '3782 8224 6310 005'.slice(0, 17), 'Check the card number'],
    [16, '3056 930902 5904', undefined],
    [16, '5456 930902 5904', undefined], // no Amex number, whose second digit is 4, too
    [15, '3056 930902 5904'.slice(0, 15), 'Check the card number'],
    [17, '1800 123456 78905', undefined],
    [16, '4929119283746509', undefined],
    [19, '4929 1192 8374 6509', undefined],
    [15, '378282246310005', undefined], // full, without gaps
    [23, '4222 2222 2222 2', undefined], // with gaps, and not full
  ])('of %i: %s', async (maxLength, number, text) => {
    warn();
    const page = open(cut(maxLength));
    await bind(page.form, { luhn: false }).ready;
    fill(page, { ...TYPED, number });
    if (text) await refused(page);
    else expect((await posted(page)).length).toBe(1);
    expect(textRead(page)).toBe(text);
  });

  test('is told at binding, unless there is room for a number with gaps', async () => {
    const spy = warn();
    await bind(open(cut(19)).form).ready;
    expect(spy).not.toHaveBeenCalled();
    await bind(open(cut(16)).form).ready;
    expect(spy.mock.calls).toEqual([[expect.stringContaining('maxlength="16"')]]);
  });
});

// G10
test('the page’s own origin is that of its location, whatever window.origin is', async () => {
  const before = Object.getOwnPropertyDescriptor(window, 'origin')!;
  error();
  try {
    Object.defineProperty(window, 'origin', {
      value: 'https://elsewhere.example',
      configurable: true,
    });
    const page = open(html(), 'method="post"');
    page.form.action = 'https://elsewhere.example/pay';
    await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
    const own = open();
    await bind(own.form).ready;
  } finally {
    Object.defineProperty(window, 'origin', before);
  }
});

test('a form whose binding fails half-way stops its presses all the same', async () => {
  error();
  const page = open();
  const number = page.control('number');
  number.setAttribute = () => {
    throw new Error('not this one');
  };
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
  Reflect.deleteProperty(number, 'setAttribute'); // the press itself works
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  expect([textRead(page), page.passes]).toEqual(['Check the security code', 0]);
});

// G11
describe('a form that moves after it is bound', () => {
  describe('into a closed shadow root, where only the form itself hears of the first event:', () => {
    const move = ({ host, form }: Page) =>
      host.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }).append(form);

    test('a click on its button pays', async () => {
      const page = open();
      await bind(page.form).ready;
      move(page);
      fill(page);
      const [sent] = await posted(page);
      expect(await decrypt(blockOf(sent!))).toEqual(CARD);
      expect(page.passes).toBe(1);
    });

    test('a submit of a script pays', async () => {
      const page = open();
      await bind(page.form).ready;
      move(page);
      fill(page);
      const arrived = page.arrived();
      page.form.requestSubmit();
      expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
    });

    test('a click on a card button pays', async () => {
      const page = open(FIELDS + CARD_BUTTON);
      await bind(page.form).ready;
      move(page);
      fill(page);
      page.button('Send').click();
      await vi.waitUntil(() => blockIn(page));
      expect(await decrypt(JSON.parse(blockIn(page)!))).toEqual(CARD);
    });

    test('a reset takes the block out of the data', async () => {
      const { page } = await cancelled();
      move(page);
      page.form.reset();
      expect(blockIn(page)).toBe(null);
    });

    test('another card takes the block out of the data', async () => {
      const { page } = await cancelled();
      move(page);
      fill(page, OTHER);
      expect(blockIn(page)).toBe(null);
    });

    test('a held Enter is one press, although the page keeps the key to itself', () => {
      const page = open();
      bind(page.form);
      move(page);
      const cvv = page.control('cvv');
      cvv.addEventListener('keydown', (event) => event.stopPropagation());
      const key = { key: 'Enter', repeat: true, bubbles: true, composed: true, cancelable: true };
      expect(cvv.dispatchEvent(new KeyboardEvent('keydown', key))).toBe(false);
    });

    test.each(['input', 'change'])('what is corrected reads so no longer at %s', async (type) => {
      const page = open();
      bind(page.form);
      await refused(page);
      move(page);
      fill(page);
      page.control('number').dispatchEvent(new Event(type, { bubbles: true }));
      expect(page.control('number').hasAttribute('aria-invalid')).toBe(false);
    });
  });

  test('into a frame: each press is refused, audibly', async () => {
    error();
    const page = open();
    await bind(page.form).ready;
    const frame = page.host.appendChild(document.createElement('iframe'));
    frame.contentDocument!.body.append(page.form);
    fill(page);
    expect((await refused(page)).code).toBe('invalid_form');
    expect([page.passes, statusOf(page)]).toEqual([0, expect.any(String)]);
  });
});

// G17
describe('a polluted Object.prototype with index keys', () => {
  const prototype = Object.prototype as unknown as Record<number, unknown>;
  afterEach(() => {
    for (let i = 0; i < 4; i++) delete prototype[i];
  });

  test('changes nothing', async () => {
    for (let i = 0; i < 4; i++) prototype[i] = document.body;
    const page = open();
    await bind(page.form).ready;
    fill(page, { ...TYPED, expiry: '13/49' });
    await refused(page);
    expect(textRead(page)).toBe('Check the expiry date');
    fill(page);
    const [sent] = await posted(page);
    expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  });
});

const part = (slot: string, attributes: string) =>
  `<select autocomplete="cc-exp-${slot}" ${attributes}>
    <option value="">--<option>11<option>2049</select><i>--</i>`;
const dates = (page: Page) => ['exp_month', 'exp_year'].map((it) => page.control(it).value);

// G4
describe('after the fields are emptied, a date is what the page shows:', () => {
  const withSelects = (attributes: string) =>
    open(html({ expiry: part('month', attributes) + part('year', attributes) }));

  test.each([
    ['hidden', ['11', '2049']],
    ['style="position: absolute; width: 1px; height: 1px; padding: 0; border: 0"', ['11', '2049']],
    ['style="opacity: 0"', ['11', '2049']],
    ['', ['', '']], // the shopper sees the select itself
  ])('selects with %s', async (attributes, kept) => {
    const page = withSelects(attributes);
    const binding = bind(page.form);
    await binding.ready;
    fill(page, { ...TYPED, exp_month: '11', exp_year: '2049' });
    expect((await posted(page)).length).toBe(1);
    await settled(page);
    await binding.restart();
    expect([dates(page), values(page).filter((it) => it.length > 4)]).toEqual([kept, []]);
    if (!kept[0]) return;
    // The same date, which the widget goes on showing, is paid with.
    fill(page, { number: OTHER_NUMBER, name: TYPED.name, cvv: '999' });
    const sent = await posted(page);
    const card = await decrypt(blockOf(sent[1]!));
    expect([card.exp_month, card.exp_year, card.number]).toEqual([
      '11',
      '2049',
      '4111111111111111',
    ]);
  });
});

// G4
test('a date that a widget showed at the press stays, also if the page has shown the select since', async () => {
  const page = open(html({ expiry: part('month', 'hidden') + part('year', 'hidden') }));
  const binding = bind(page.form);
  await binding.ready;
  fill(page, { ...TYPED, exp_month: '11', exp_year: '2049' });
  await posted(page);
  for (const select of page.form.querySelectorAll('select')) select.hidden = false;
  await binding.restart();
  expect(dates(page)).toEqual(['11', '2049']);
});

// G4
test('the search box of a widget that copies autocomplete from its select is no control of the card', async () => {
  const part = (slot: string, option: string) => `<select autocomplete="cc-exp-${slot}" hidden>
    <option value="">--<option>${option}</select><input autocomplete="cc-exp-${slot}">`;
  const expiry = part('month', '11') + part('year', '2049');
  const page = open(html({ expiry }));
  await bind(page.form).ready;
  fill(page, { ...TYPED, exp_month: '11', exp_year: '2049' });
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  error();
  const named = open(html({ expiry: expiry.replace('<input', '<input name="month"') })); // is sent
  await expect(bind(named.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
});

// G4
test('an input that the page itself marks beside a hidden select is a control of the card', async () => {
  error();
  const part = (slot: string, option: string) => `<select autocomplete="cc-exp-${slot}" hidden>
    <option value="">--<option>${option}</select><input data-cardseal-field="exp_${slot}">`;
  const page = open(html({ expiry: part('month', '11') + part('year', '2049') }));
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
});

// G4
test('what a shopper has typed beside a hidden select counts: a date that is there twice is refused', async () => {
  const reported = error();
  const part = (slot: string, option: string) => `<select autocomplete="cc-exp-${slot}" hidden>
    <option>${option}</select><input autocomplete="cc-exp-${slot}" id="${slot}">`;
  const page = open(html({ expiry: part('month', '01') + part('year', '2048') }));
  await bind(page.form).ready; // empty, an input may be the search box of a widget
  fill(page);
  page.form.querySelector<HTMLInputElement>('#month')!.value = '11';
  page.form.querySelector<HTMLInputElement>('#year')!.value = '2049';
  expect(await refused(page)).toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining('mark one of them only'),
  });
  expect(reported).toHaveBeenCalled();
  expect(values(page).slice(0, 2)).toEqual([TYPED.number, TYPED.name]);
});

// G4
test('a date in inputs and in selects that the page hides is there twice: the developer is told', async () => {
  error();
  const hidden = ['month', 'year'].map((slot) => part(slot, '')).join('');
  const inputs = '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">';
  const page = open(html({ expiry: `<div style="display: none">${hidden}</div>${inputs}` }));
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining('exp_month control must occur only once'),
  });
});

// G4
test.each(['position: absolute; left: -9999px', 'opacity: 0', 'height: 0; overflow: hidden'])(
  'a select in a step that the page has put out of sight (%s) is emptied',
  async (style) => {
    const step = html({ expiry: part('month', '') + part('year', '') });
    const page = open(`<div>${step}</div>`);
    const seen: string[][] = [];
    const onEncrypted = () => void seen.push(dates(page));
    await bind(page.form, { onEncrypted }).ready;
    fill(page, { ...TYPED, exp_month: '11', exp_year: '2049' });
    page.form.querySelector('div')!.style.cssText = style;
    page.form.requestSubmit();
    await vi.waitUntil(() => seen.length > 0);
    expect(seen).toEqual([['', '']]);
  },
);

// G4
test('selects in a step that has slid out of its frame are emptied, although their labels are wide', async () => {
  const field = (slot: string) => `<label style="display: block">${part(slot, '')}</label>`;
  const frame = 'style="width: 300px; margin-left: 80px; overflow: hidden"';
  const step = html({ expiry: field('month') + field('year') });
  const page = open(`<div ${frame}><section>${step}</section></div>`);
  const seen: string[][] = [];
  const onEncrypted = () => void seen.push(dates(page));
  await bind(page.form, { onEncrypted }).ready;
  fill(page, { ...TYPED, exp_month: '11', exp_year: '2049' });
  page.form.querySelector('section')!.style.cssText =
    'display: block; transform: translateX(-300px)';
  page.form.requestSubmit();
  await vi.waitUntil(() => seen.length > 0);
  expect(seen).toEqual([['', '']]);
});

// G7
describe('words of autocomplete keep the card out of the form history', () => {
  const word = (page: Page, field: string) => page.control(field).getAttribute('autocomplete');
  const CVV = 'data-cardseal-field="cvv"';

  test.each([
    [`<input ${CVV}>`, '', 'cc-csc'],
    [`<input ${CVV} autocomplete="">`, '', 'cc-csc'],
    [`<input ${CVV} autocomplete="on">`, 'autocomplete="off"', 'cc-csc'],
    [`<input ${CVV} autocomplete="nope">`, '', 'cc-csc'],
    [`<input ${CVV} autocomplete="section-a cc-csc">`, '', 'section-a cc-csc'],
    [`<input ${CVV} autocomplete="off">`, '', 'off'],
    [`<input ${CVV}>`, 'autocomplete="off"', null],
  ])('%s in a form with %s has %s', async (cvv, attributes, expected) => {
    const page = open(html({ cvv }), `method="post" ${attributes}`);
    await bind(page.form).ready;
    expect(word(page, 'cvv')).toBe(expected);
  });

  test.each([
    ['autocomplete="on"', 'cc-name'],
    ['autocomplete="name"', 'name'],
    ['name="card_name" data-cardseal-shared', null],
  ])('a name with %s has %s', async (attributes, expected) => {
    const page = open(html({ name: `<input data-cardseal-field="name" ${attributes}>` }));
    await bind(page.form).ready;
    const name = page.form.querySelector('[data-cardseal-field=name]')!;
    expect(name.getAttribute('autocomplete')).toBe(expected);
  });

  test('a select, of which no browser keeps anything, is left alone', async () => {
    const year = '<input autocomplete="cc-exp-year">';
    const month = '<select data-cardseal-field="exp_month"><option>10<option>11</select>';
    const page = open(html({ expiry: month + year }));
    await bind(page.form).ready;
    expect(page.form.querySelector('select')!.hasAttribute('autocomplete')).toBe(false);
  });

  test.each(['new-password', 'nope', 'section-a on'])('not %s for the number', async (words) => {
    const box = `<input data-cardseal-field="number" autocomplete="${words}" maxlength="4">`;
    const page = open(html({ number: box.repeat(4) }));
    await bind(page.form).ready;
    const boxes = page.form.querySelectorAll('[data-cardseal-field=number]');
    expect([...boxes].map((it) => it.getAttribute('autocomplete'))).toEqual(
      Array(4).fill('cc-number'),
    );
  });

  test('the number, and a control that the page renders anew', async () => {
    const page = open(html({ number: '<input data-cardseal-field="number">' }));
    await bind(page.form).ready;
    expect(word(page, 'number')).toBe('cc-number');
    page.control('cvv').outerHTML = `<input ${CVV}>`;
    page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
    expect(word(page, 'cvv')).toBe('cc-csc');
  });
});

test.each([
  ['a submit button', 'Pay'],
  ['a card button', 'Send'],
])('a press of %s is one press, also where the form hears of it itself', async (_, button) => {
  const page = open(html() + CARD_BUTTON);
  await bind(page.form).ready;
  const seen = { 'cardseal:submit': 0, input: 0 };
  for (const type of Object.keys(seen) as (keyof typeof seen)[]) {
    page.form.addEventListener(type, () => seen[type]++);
  }
  fill(page);
  const settledEvent = next(page.form, 'cardseal:settled');
  page.button(button).click();
  await settledEvent;
  await vi.waitUntil(() => values(page).join('') === '');
  await settled(page);
  expect(seen).toEqual({ 'cardseal:submit': 1, input: 4 }); // each emptied field, once
});
