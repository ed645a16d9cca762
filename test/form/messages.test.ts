/** What the shopper has to correct: texts, marks, focus, and what the browser says by itself. */
import axe from 'axe-core';
import { describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardProblem } from '../../src/form/index.ts';
import { freshKey } from '../support/core.ts';
import {
  bind,
  CONTROLS,
  deferred,
  fill,
  html,
  later,
  next,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  wrongFields,
} from '../support/form.ts';

/** What stands in elements for messages, those of the library included. */
const texts = ({ host }: Page) =>
  [...host.querySelectorAll('[data-cardseal-message]')]
    .map(({ textContent }) => textContent)
    .filter(Boolean);
const invalid = (page: Page) => page.controls().map(({ ariaInvalid }) => ariaInvalid);
const focused = ({ form }: Page) => (form.getRootNode() as Document).activeElement;
const change = (control: Element, type = 'input') =>
  control.dispatchEvent(new Event(type, { bubbles: true }));

// Changed: the first text stood in the status line, before the button. Now each stands directly
// after its control, unless the page has elements for them: see "beside the control".
test('marks each wrong control, focuses the first of the page, and says what is wrong with it', async () => {
  const { cvv, name, number, expiry } = CONTROLS;
  const page = open(`${cvv + name + number + expiry}<button>Pay</button>`);
  bind(page.form);
  fill(page, { ...TYPED, number: '4929 1192 8374 6505', expiry: '13/49', cvv: '' });
  const error = await refused(page);
  expect([error.code, error.field, page.passes]).toEqual(['invalid_card', 'number', 0]);
  expect(console.error).not.toHaveBeenCalled();
  expect(wrongFields(page)).toEqual(['cvv', 'number', 'expiry']);
  expect([textRead(page), focused(page)]).toEqual(['Enter the security code', page.control('cvv')]);
});

test('a control that its page replaces at the first focus: the text stands all the same', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, number: '', cvv: '' });
  const number = page.control('number');
  const replace = () => {
    const other = number.cloneNode() as HTMLInputElement;
    other.type = 'tel';
    number.replaceWith(other);
  };
  number.addEventListener('focus', replace, { once: true });
  const { code } = await refused(page);
  expect([code, statusOf(page)]).toEqual(['invalid_card', 'Enter the card number']);
});

const PROBLEMS: Record<CardProblem, [typed: Record<string, string>, text: string]> = {
  number_required: [{ number: '' }, 'Enter the card number'],
  number_invalid: [{ number: '1' }, 'Check the card number'],
  name_required: [{ name: '' }, 'Enter the name on the card'],
  name_invalid: [{ name: 'Z\u0001' }, 'Check the name on the card'],
  name_too_long: [{ name: 'Z'.repeat(166) }, 'Shorten the name on the card'],
  expiry_required: [{ expiry: '' }, 'Enter the expiry date'],
  expiry_invalid: [{ expiry: '1' }, 'Check the expiry date'],
  expiry_past: [{ expiry: '01/20' }, 'The card has expired'],
  cvv_required: [{ cvv: '' }, 'Enter the security code'],
  cvv_invalid: [{ cvv: '1' }, 'Check the security code'],
};

test.each(Object.entries(PROBLEMS))('what the shopper reads for %s', async (problem, row) => {
  const [typed, text] = row;
  const [[field, value]] = Object.entries(typed) as [[string, string]];
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, ...typed });
  const error = await refused(page);
  expect([error.code, error.field]).toEqual([
    problem === 'name_too_long' ? 'card_too_long' : 'invalid_card',
    field === 'expiry' ? 'exp_month' : field,
  ]);
  expect([textRead(page), wrongFields(page)]).toEqual([text, [field]]);
  expect([focused(page), page.control(field).value]).toEqual([page.control(field), value]);
  expect(console.error).not.toHaveBeenCalled();
});

test('a name that is longer than any card takes is too long before it is encrypted', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, name: 'Z'.repeat(2000) });
  expect((await refused(page)).code).toBe('card_too_long');
  expect(textRead(page)).toBe('Shorten the name on the card');
});

test('a name is too long for the key, and the page has locked the fields meanwhile', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page, { ...TYPED, name: 'é'.repeat(83) }); // 166 bytes: one more than this key takes
  page.button().click();
  for (const control of page.controls()) control.setAttribute('readonly', '');
  key.resolve(freshKey());
  await vi.waitUntil(() => textRead(page));
  expect([textRead(page), wrongFields(page)]).toEqual(['Shorten the name on the card', ['name']]);
});

test('a text can be replaced; one that is empty is the default, and an unknown name is a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const page = open();
  const texts = { number_required: 'Nummer fehlt', number_invalid: '', press_again: 'Nochmals' };
  const key = () => Promise.reject(new Error('the network'));
  bind(page.form, { key, messages: { ...texts, nmber_invalid: 'x' } as object });
  expect(warn.mock.calls).toEqual([[expect.stringContaining('nmber_invalid')]]);
  await refused(page);
  expect(textRead(page)).toBe('Nummer fehlt');
  fill(page, { ...TYPED, number: '1' });
  await refused(page);
  expect(textRead(page)).toBe('Check the card number');
  fill(page);
  await refused(page);
  expect(statusOf(page)).toBe('Nochmals');
});

test('a listener can cancel cardseal:submit and cardseal:problems, and no other event', async () => {
  const page = open();
  const cancelable: Record<string, boolean> = {};
  const names = ['ready', 'submit', 'encrypted', 'error', 'problems', 'settled'];
  for (const name of names) {
    page.form.addEventListener(`cardseal:${name}`, (event) => {
      cancelable[name] = event.cancelable;
    });
  }
  bind(page.form);
  await refused(page);
  fill(page);
  await posted(page);
  await settled(page);
  const others = { ready: false, encrypted: false, error: false, settled: false };
  expect(cancelable).toEqual({ submit: true, problems: true, ...others });
});

describe('cardseal:problems', () => {
  interface Problem {
    problem: string;
    field: string;
    text: string;
    controls: Element[];
  }

  test('tells each problem with its field, text and controls', async () => {
    const page = open(
      html({ expiry: '<input autocomplete="cc-exp-month"><input autocomplete="cc-exp-year">' }),
    );
    bind(page.form, { messages: { cvv_required: 'Code fehlt' } });
    fill(page, { ...TYPED, exp_month: '01', exp_year: '20', cvv: '' });
    const raised = next<CustomEvent<Problem[]>>(page.form, 'cardseal:problems');
    page.button().click();
    const { detail, cancelable, bubbles, composed } = await raised;
    const [month, year, cvv] = ['exp_month', 'exp_year', 'cvv'].map(page.control);
    expect(detail).toEqual([
      {
        problem: 'expiry_past',
        field: 'exp_month',
        text: 'The card has expired',
        controls: [month, year],
      },
      { problem: 'cvv_required', field: 'cvv', text: 'Code fehlt', controls: [cvv] },
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
    expect([wrongFields(page), statusOf(page)]).toEqual([[], undefined]);
    expect(focused(page)).toBe(page.button());
  });
});

test('a message goes when the shopper corrects the control, by input or by change', async () => {
  for (const type of ['input', 'change']) {
    const page = open();
    bind(page.form);
    await refused(page);
    const rest = ['Enter the card number', 'Enter the expiry date', 'Enter the security code'];
    change(page.control('name'), type);
    expect([wrongFields(page), texts(page)]).toEqual([['number', 'expiry', 'cvv'], rest]);
    change(page.control('number'), type);
    expect([wrongFields(page), texts(page)]).toEqual([['expiry', 'cvv'], rest.slice(1)]);
    await settled(page);
    expect(statusOf(page)).toBe(undefined); // it was the library that removed the first text
  }
});

test('encrypt() says what is wrong also where a browser has no MutationObserver', async () => {
  vi.stubGlobal('MutationObserver', undefined);
  later(() => vi.unstubAllGlobals());
  const page = open();
  const binding = bind(page.form);
  binding.ready.catch(() => {});
  expect(await binding.encrypt()).toBe(undefined);
  expect([textRead(page), statusOf(page)]).toEqual(['Enter the card number', undefined]);
});

test('a correction without an event counts at the next press, and aria-invalid is again what the author wrote', async () => {
  const page = open();
  page.control('cvv').ariaInvalid = 'grammar';
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  expect(invalid(page)).toEqual([null, null, null, 'true']);
  fill(page, { ...TYPED, number: '1' });
  expect((await refused(page)).field).toBe('number');
  expect(invalid(page)).toEqual(['true', null, null, 'grammar']);
  fill(page);
  expect((await posted(page)).length).toBe(1);
  expect(invalid(page)).toEqual([null, null, null, 'grammar']);
});

describe('beside the control', () => {
  const message = (id: string, attributes = '') =>
    `<b id="${id}" data-cardseal-message ${attributes}></b>`;
  const BESIDE = html({
    expiry: `<label>Expiry <input autocomplete="cc-exp" aria-errormessage="exp-text"></label>${message('exp-text')}`,
    cvv: `<label>Code <input autocomplete="cc-csc" aria-describedby="hint cvv-text"></label><i id="hint">on the back</i>${message('cvv-text', 'hidden')}`,
  });
  const element = (page: Page, id: string) => page.form.querySelector<HTMLElement>(`#${id}`)!;

  test('a message stands in the element that the control names, until the shopper types or the form is reset', async () => {
    const page = open(BESIDE);
    const [hint, expiryText, cvvText] = ['hint', 'exp-text', 'cvv-text'].map((id) =>
      element(page, id),
    );
    bind(page.form);
    fill(page, { ...TYPED, cvv: '1', expiry: '' });
    await refused(page);
    await settled(page);
    const shown = () => [expiryText!.textContent, cvvText!.textContent, cvvText!.hidden];
    expect(shown()).toEqual(['Enter the expiry date', 'Check the security code', false]);
    expect([hint!.textContent, statusOf(page)]).toEqual(['on the back', undefined]);
    expect(focused(page)).toBe(page.control('expiry'));
    change(page.control('cvv'));
    expect(shown()).toEqual(['Enter the expiry date', '', true]);
    cvvText!.textContent = 'Three digits'; // of the page
    change(page.control('cvv'));
    expect(cvvText!.textContent).toBe('Three digits');
    page.form.reset();
    await settled(page);
    expect([expiryText!.textContent, wrongFields(page)]).toEqual(['', []]);
    expect(expiryText!.hidden).toBe(false); // as the page had it
  });

  test('in a shadow root; the first wrong control has focus, though only a later one has such an element', async () => {
    const page = open(BESIDE);
    const root = page.host
      .appendChild(document.createElement('div'))
      .attachShadow({ mode: 'open' });
    root.append(page.form);
    bind(page.form);
    fill(page, { ...TYPED, number: '1', cvv: '1' });
    await refused(page);
    expect(element(page, 'cvv-text').textContent).toBe('Check the security code');
    expect([focused(page), textRead(page)]).toEqual([
      page.control('number'),
      'Check the card number',
    ]);
    page.form.reset();
    await settled(page);
    expect([texts(page), wrongFields(page)]).toEqual([[], []]);
  });

  test('a page that empties its elements when a field gets the focus: the text stands after the field', async () => {
    const page = open(BESIDE);
    const own = element(page, 'cvv-text');
    own.style.cssText = 'display: block; padding: 1em'; // it has a size without a text, too
    const atFocus: (string | null)[] = [];
    page.control('cvv').addEventListener('focus', () => {
      atFocus.push(own.textContent);
      own.textContent = '';
    });
    bind(page.form);
    fill(page, { ...TYPED, cvv: '1' });
    await refused(page);
    expect([atFocus, own.textContent]).toEqual([['Check the security code'], '']);
    expect(texts(page)).toEqual(['Check the security code']); // in an element of the library
    page.form.reset();
    await settled(page);
    expect([texts(page), wrongFields(page)]).toEqual([[], []]);
  });

  test('month and year share one: it goes from both when either is corrected, and is hidden again', async () => {
    const part = (name: string) =>
      `<input autocomplete="cc-exp-${name}" aria-describedby="shared">`;
    const page = open(html({ expiry: part('month') + part('year') + message('shared', 'hidden') }));
    bind(page.form);
    fill(page, { ...TYPED, exp_month: '01', exp_year: '20' });
    await refused(page);
    const shared = element(page, 'shared');
    expect([shared.hidden, shared.textContent]).toEqual([false, 'The card has expired']);
    expect(invalid(page)).toEqual([null, null, 'true', 'true', null]);
    change(page.control('exp_year'));
    expect([shared.hidden, shared.textContent]).toEqual([true, '']);
    expect(invalid(page)).toEqual([null, null, null, null, null]);
  });

  test('two fields share one: it shows the first text, and leaves no empty box', async () => {
    const number = '<input autocomplete="cc-number" aria-describedby="both">';
    const cvv = `<input autocomplete="cc-csc" aria-describedby="both">${message('both', 'hidden')}`;
    const page = open(html({ number, cvv }));
    bind(page.form);
    fill(page, { name: TYPED.name, expiry: TYPED.expiry });
    await refused(page);
    const both = element(page, 'both');
    expect([both.hidden, both.textContent]).toEqual([false, 'Enter the card number']);
    for (const field of ['number', 'cvv']) change(page.control(field));
    expect([both.hidden, both.textContent]).toEqual([true, '']);
  });
});

describe('the browser validates as without the library', () => {
  test('the page’s own controls before the card, and no validity is set', async () => {
    const page = open(`<input name="email" type="email" required>${html()}`);
    const before = page.form.getAttributeNames();
    bind(page.form);
    fill(page, { ...TYPED, cvv: '' });
    const email = page.form.elements.namedItem('email') as HTMLInputElement;
    page.button().click();
    expect([focused(page), page.errors, page.passes]).toEqual([email, [], 0]);
    email.value = 'z@example.com';
    expect((await refused(page)).field).toBe('cvv');
    expect(page.controls().every(({ validity }) => validity.valid)).toBe(true);
    expect(page.form.getAttributeNames()).toEqual(before);
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
});

// Claim no-silent-press
test('axe finds nothing: at rest, with messages, while waiting, and after', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise, keyTimeoutMs: Infinity });
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
