/** What the shopper sees: the status line, messages beside controls, and texts. */
import { describe, expect, test, vi } from 'vitest';
import {
  CardEncryptionError,
  type CardEncryptionErrorCode,
  type CardEncryptionKey,
  encryptCard,
} from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { card, freshKey } from '../tools/support/core.ts';
import {
  bind,
  CONTROLS,
  deferred,
  fill,
  html,
  idle,
  KEPT,
  later,
  next,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  values,
  wrongFields,
} from '../tools/support/form.ts';

const UNAVAILABLE = 'Card payment is not available at the moment. Nothing was sent.';
const RELOAD = 'Nothing was sent. Reload the page and enter the card again.';
const AGAIN = 'Nothing was sent. Press the button again.';

const line = (page: Page) => page.host.querySelector<HTMLElement>('[data-cardseal-line]');
const rejecting = (code: CardEncryptionErrorCode) => () =>
  Promise.reject(new CardEncryptionError(code, 'planted'));

/** Everything that can go wrong and is not the shopper's to correct, with a key function and with a fixed key. */
const PROBLEMS: [
  code: CardEncryptionErrorCode,
  text: string,
  key: () => CardFormOptions['key'] | Promise<CardFormOptions['key']>,
][] = [
  ['key_unavailable', AGAIN, () => rejecting('key_unavailable')],
  ['key_unavailable', AGAIN, () => () => Promise.reject(new Error('the network'))],
  [
    'key_already_used',
    AGAIN,
    async () => {
      const key = await usedKey();
      return () => key;
    },
  ],
  ['encryption_failed', AGAIN, () => rejecting('encryption_failed')],
  ['key_already_used', RELOAD, () => usedKey()],
  ['invalid_key', UNAVAILABLE, () => ({ ...freshKey(), public_key: '' })],
  ['invalid_key', UNAVAILABLE, () => () => ({ ...freshKey(), public_key: '' })],
  [
    'unsupported_scheme',
    UNAVAILABLE,
    () => () => ({ ...freshKey(), scheme: 'RSA_OAEP_SHA256_V99' }),
  ],
  ['insecure_context', UNAVAILABLE, () => rejecting('insecure_context')],
  ['unsupported_browser', UNAVAILABLE, () => rejecting('unsupported_browser')],
  ['invalid_form', UNAVAILABLE, () => rejecting('invalid_form')],
];

async function usedKey(): Promise<CardEncryptionKey> {
  const key = freshKey();
  await encryptCard(key, card());
  return key;
}

test.each(PROBLEMS)(
  '%s shows "%s", before the submit button, as an alert, until the next press',
  async (code, text, makeKey) => {
    const page = open();
    const key = await makeKey();
    bind(page.form, { key }).ready.catch(() => {});
    fill(page);
    expect((await refused(page)).code).toBe(code);
    await idle(page);
    expect(statusOf(page)).toBe(text);
    expect([line(page)!.getAttribute('role'), line(page)!.nextElementSibling]).toEqual([
      'alert',
      page.button(),
    ]);
    expect(line(page)!.getClientRects().length).toBe(1);
    expect([page.passes, values(page)]).toEqual([0, KEPT]);
    fill(page, { cvv: '' });
    await refused(page);
    expect(page.host.querySelectorAll('[data-cardseal-line]').length).toBe(1);
    expect(statusOf(page)).toBe('Enter the security code');
  },
);

test('encryption_failed shows "reload" where the page has a fixed key only', async () => {
  const page = open();
  await bind(page.form, { key: freshKey() }).ready;
  fill(page);
  vi.spyOn(crypto.subtle, 'encrypt').mockRejectedValueOnce(new DOMException('', 'OperationError'));
  expect((await refused(page)).code).toBe('encryption_failed');
  expect(statusOf(page)).toBe(RELOAD);
});

test('the element with data-cardseal-status is the live region from binding on, and is used', async () => {
  const page = open(`<p data-cardseal-status hidden></p>${html()}`);
  const status = page.form.querySelector<HTMLElement>('[data-cardseal-status]')!;
  let fails = true;
  const key = () => (fails ? Promise.reject(new Error()) : freshKey());
  bind(page.form, { key }).ready.catch(() => {});
  const state = () => [status.textContent, status.hidden, status.getAttribute('role')];
  expect(state()).toEqual(['', false, 'alert']);
  await vi.waitUntil(() => page.errors[0]);
  expect(status.textContent).toBe(''); // nobody has pressed
  fill(page);
  await refused(page);
  expect([...state(), line(page)]).toEqual([AGAIN, false, 'alert', null]);
  fails = false;
  await posted(page);
  expect(state()).toEqual(['', false, 'alert']);
});

test.each(['aria-live="polite"', 'role="status"'])(
  'an element with data-cardseal-status and %s is live already, and stays as it is',
  async (live) => {
    const page = open(
      `<p data-cardseal-status="" ${live}></p><p data-cardseal-status></p>${html()}`,
    );
    bind(page.form, { key: rejecting('invalid_form') }).ready.catch(() => {});
    fill(page);
    await refused(page);
    const [first, second] = page.form.querySelectorAll('[data-cardseal-status]');
    expect(first!.outerHTML).toBe(`<p data-cardseal-status="" ${live}>${UNAVAILABLE}</p>`);
    expect(second!.textContent).toBe('');
    await idle(page);
    fill(page, { cvv: '' });
    await refused(page);
    expect(first!.textContent).toBe('Enter the security code');
  },
);

test('only a button counts as a submit button: the line does not stand before an object', async () => {
  const page = open(`<object type="submit">A picture</object>${html()}`);
  bind(page.form, { key: rejecting('invalid_form') }).ready.catch(() => {});
  fill(page);
  await refused(page);
  expect(line(page)!.nextElementSibling).toBe(page.button());
});

test('in a form that is hidden as a whole, the line stands at the end of the page', async () => {
  const page = open();
  page.host.hidden = true;
  bind(page.form, { key: rejecting('invalid_form') }).ready.catch(() => {});
  fill(page);
  await refused(page);
  const inserted = document.body.lastElementChild!;
  later(() => inserted.remove());
  expect([inserted.textContent, inserted.getAttribute('role')]).toEqual([UNAVAILABLE, 'alert']);
});

test.each([
  ['with', () => document.documentElement],
  ['without', () => document.createElement('main')],
])(
  'while a script writes the page anew, %s the form, the line is nowhere, and the page hears of the error',
  async (_, placeOfForm) => {
    const page = open();
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    const { body } = document;
    body.remove();
    later(() => document.documentElement.append(body));
    page.form.hidden = true;
    placeOfForm().append(page.form);
    later(() => page.form.remove());
    key.reject(new Error('the network'));
    await vi.waitUntil(() => page.errors[0]);
    expect(page.errors.map(({ code }) => code)).toEqual(['key_unavailable']);
    expect(document.querySelector('[data-cardseal-line]')).toBe(null);
  },
);

test.each([
  ['the page has a layout', () => {}],
  [
    'nothing has a layout, as in jsdom',
    () => vi.spyOn(document.documentElement, 'getClientRects').mockReturnValue([] as never),
  ],
])(
  'when the form is gone, the line stands at the end of the page, where %s',
  async (_, prepare) => {
    prepare();
    const page = open();
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    page.form.remove();
    key.reject(new Error('the network'));
    await vi.waitUntil(() => document.body.lastElementChild!.hasAttribute('data-cardseal-line'));
    const inserted = document.body.lastElementChild!;
    later(() => inserted.remove());
    expect([inserted.textContent, inserted.getAttribute('role')]).toEqual([AGAIN, 'alert']);
  },
);

test('when the form goes away while the card is encrypted, the shopper reads that nothing was sent', async () => {
  const page = open();
  bind(page.form);
  page.form.addEventListener('cardseal:encrypted', () => page.form.remove());
  fill(page);
  page.button().click();
  await vi.waitUntil(() => document.body.lastElementChild!.hasAttribute('data-cardseal-line'));
  const inserted = document.body.lastElementChild!;
  later(() => inserted.remove());
  expect([inserted.textContent, page.passes]).toEqual([AGAIN, 0]);
});

test('in a form without a submit button the line is at its end', async () => {
  const page = open(Object.values(CONTROLS).join(''));
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const binding = bind(page.form, { key: rejecting('invalid_form') });
  binding.ready.catch(() => {});
  fill(page);
  await binding.encrypt();
  expect(page.form.lastElementChild).toBe(line(page));
});

describe('a page that renders its form anew', () => {
  const inserted = (page: Page) => line(page);
  const own = (page: Page) => page.host.querySelector<HTMLElement>('[data-cardseal-status]');
  const textOf = (element: HTMLElement | null) => element?.textContent ?? '';
  const microtasks = () => new Promise((resolve) => setTimeout(resolve));

  test.each([
    ['the inserted line', '', inserted, (element: HTMLElement) => element.remove()],
    ['its text', '', inserted, (element: HTMLElement) => element.replaceChildren()],
    [
      'the text in its own element',
      '<p data-cardseal-status></p>',
      own,
      (element: HTMLElement) => element.replaceChildren(),
    ],
    [
      'its own element, which it replaces',
      '<p data-cardseal-status></p>',
      own,
      (element: HTMLElement) => {
        element.outerHTML = '<p data-cardseal-status></p>';
      },
    ],
  ])('removes %s: it is restored, five times at most', async (_, controls, find, removeText) => {
    const page = open(`${controls}${html()}`);
    bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
    fill(page);
    await refused(page);
    for (let time = 1; time <= 5; time++) {
      removeText(find(page)!);
      expect(textOf(find(page))).toBe('');
      await microtasks();
      expect(textOf(find(page)), `time ${time}`).toBe(AGAIN);
    }
    removeText(find(page)!);
    await microtasks();
    expect(textOf(find(page))).toBe('');
  });

  test('makes an element of its own out of the line: that one stays, and the text is restored', async () => {
    const page = open();
    bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
    fill(page);
    await refused(page);
    const morphed = line(page)!;
    for (const name of morphed.getAttributeNames()) morphed.removeAttribute(name);
    morphed.firstChild!.nodeValue = 'Total: 20.00';
    await microtasks();
    expect(textOf(line(page))).toBe(AGAIN);
    expect(line(page)).not.toBe(morphed);
    expect(morphed.isConnected).toBe(true);
    expect(textOf(morphed)).toBe('Total: 20.00');
  });

  test('changes other parts: the text stays as it is, and goes at the next press', async () => {
    const page = open();
    let fails = true;
    const key = () => (fails ? Promise.reject(new Error()) : freshKey());
    bind(page.form, { key }).ready.catch(() => {});
    fill(page);
    await refused(page);
    const shown = line(page);
    for (let time = 0; time < 10; time++) {
      page.form.append(document.createElement('span'));
      await microtasks();
    }
    expect(line(page)).toBe(shown);
    fails = false;
    await posted(page);
    page.form.append(document.createElement('span'));
    await microtasks();
    expect(statusOf(page)).toBe(undefined);
  });
});

test('one_moment stands after a second of waiting for the key, and goes with the key', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  await vi.advanceTimersByTimeAsync(999);
  expect(statusOf(page)).toBe(undefined);
  await vi.advanceTimersByTimeAsync(1);
  expect(statusOf(page)).toBe('One moment, please.');
  // A screen reader may not announce what changes in a busy element.
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
  vi.useRealTimers();
  const encrypted = next(page.form, 'cardseal:encrypted');
  key.resolve(freshKey());
  await encrypted;
  expect(statusOf(page)).toBe(undefined);
});

test('a press that has ended neither says that it waits, nor that the next press does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const page = open();
  const [first, second] = [deferred<CardEncryptionKey>(), deferred<CardEncryptionKey>()];
  const key = vi.fn().mockReturnValueOnce(first.promise).mockReturnValueOnce(second.promise);
  const binding = bind(page.form, { key });
  fill(page);
  page.button().click();
  binding.restart();
  await vi.advanceTimersByTimeAsync(1000);
  expect(statusOf(page)).toBe(undefined);
  fill(page);
  page.button().click();
  await vi.advanceTimersByTimeAsync(1000);
  expect(statusOf(page)).toBe('One moment, please.');
  first.resolve(freshKey());
  await vi.advanceTimersByTimeAsync(1);
  expect(statusOf(page)).toBe('One moment, please.');
});

test.each(['payment_unavailable', 'press_again', 'reload_page', 'one_moment'] as const)(
  'the text of %s can be replaced',
  async (problem) => {
    const page = open();
    const slow = deferred<CardEncryptionKey>();
    const keys = {
      payment_unavailable: rejecting('invalid_form'),
      press_again: rejecting('key_unavailable'),
      reload_page: await usedKey(),
      one_moment: () => slow.promise,
    };
    bind(page.form, { key: keys[problem], messages: { [problem]: 'Bitte warten' } }).ready.catch(
      () => {},
    );
    fill(page);
    page.button().click();
    if (problem === 'one_moment') page.button().click();
    await vi.waitUntil(() => statusOf(page));
    expect(statusOf(page)).toBe('Bitte warten');
    slow.resolve(freshKey());
  },
);

test('code of the page that throws in the middle of a press: the shopper reads that there is no payment', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  vi.spyOn(Node.prototype, 'appendChild').mockImplementation(() => {
    throw new Error(`of the page: ${TYPED.number}`);
  });
  const { code, message } = await refused(page);
  expect([code, message]).toEqual([
    'invalid_form',
    'A script of the page keeps the form from working',
  ]);
  expect(statusOf(page)).toBe(UNAVAILABLE);
});

test('an unknown name in messages is a warning in the console', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  bind(open().form, { messages: { number_invalid: 'x', nmber_invalid: 'y' } as object });
  expect(warn.mock.calls).toEqual([[expect.stringContaining('nmber_invalid')]]);
});

// Messages beside controls

const BESIDE = html({
  cvv: '<label>Code <input autocomplete="cc-csc" aria-describedby="hint cvv-text"></label><i id="hint">on the back</i><b id="cvv-text" data-cardseal-message hidden></b>',
  expiry:
    '<label>Expiry <input autocomplete="cc-exp" aria-errormessage="exp-text"></label><b id="exp-text" data-cardseal-message></b>',
});

test('a text of the page beside a field that was corrected stays as the shopper types on', async () => {
  const page = open(BESIDE);
  bind(page.form);
  fill(page, { ...TYPED, expiry: '' });
  await refused(page);
  const expiry = page.control('expiry');
  const text = document.getElementById('exp-text')!;
  expiry.dispatchEvent(new Event('input', { bubbles: true }));
  expect(text.textContent).toBe('');
  text.textContent = 'Month and year';
  expiry.dispatchEvent(new Event('input', { bubbles: true }));
  expect(text.textContent).toBe('Month and year');
});

test('a message stands in the element that the control names, and the first wrong control has focus', async () => {
  const page = open(BESIDE);
  const [hint, expiryText, cvvText] = ['hint', 'exp-text', 'cvv-text'].map(
    (id) => document.getElementById(id)!,
  );
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1', expiry: '' });
  await refused(page);
  expect([expiryText!.textContent, cvvText!.textContent, cvvText!.hidden]).toEqual([
    'Enter the expiry date',
    'Check the security code',
    false,
  ]);
  expect([hint!.textContent, statusOf(page), document.activeElement]).toEqual([
    'on the back',
    undefined,
    page.control('expiry'),
  ]);
  await settled(page);
  expect(expiryText!.textContent).toBe('Enter the expiry date'); // it stays
  fill(page, { cvv: '583' });
  page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
  expect([expiryText!.textContent, cvvText!.textContent, cvvText!.hidden]).toEqual([
    'Enter the expiry date',
    '',
    true,
  ]);
  page.form.reset();
  await settled(page);
  expect(expiryText!.textContent).toBe('');
});

test('the control that has focus is the first wrong one, though only a later one has an element for its message', async () => {
  const page = open(BESIDE);
  bind(page.form);
  fill(page, { ...TYPED, number: '1', cvv: '1' });
  await refused(page);
  expect(document.activeElement).toBe(page.control('number'));
  expect(document.getElementById('cvv-text')!.textContent).toBe('Check the security code');
});

test('elements for messages are found in a shadow root', async () => {
  const page = open(BESIDE);
  const root = page.host.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
  root.append(page.form);
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  expect(root.getElementById('cvv-text')!.textContent).toBe('Check the security code');
  expect(root.activeElement).toBe(page.control('cvv'));
});

test('a text that the page has set on a card control stays, and the browser refuses the press', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  page.control('number').setCustomValidity('We do not take this card');
  const invalid = next(page.control('number'), 'invalid');
  page.button().click();
  await invalid;
  expect([page.encrypted, page.passes]).toEqual([[], 0]);
  page.control('number').setCustomValidity('');
  expect((await posted(page)).length).toBe(1);
});

test('a text that the page sets after the block was made stops the next press', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault());
  bind(page.form);
  fill(page);
  const passed = next(page.form, 'submit');
  page.button().click();
  await passed;
  await idle(page);
  page.control('number').setCustomValidity('Declined');
  page.button().click();
  await settled(page);
  expect(page.passes).toBe(1);
});

test.each([
  ['not displayed', 'style="display: none"'],
  ['inert', 'inert'],
])('the message of a wrong control that is %s stands in the status', async (_, attribute) => {
  const page = open(html({ name: `<div ${attribute}>${CONTROLS.name}</div>` }));
  bind(page.form);
  fill(page, { ...TYPED, name: '' });
  await refused(page);
  expect(statusOf(page)).toBe('Enter the name on the card');
});

test('form.reset() takes messages and status away', async () => {
  const page = open(BESIDE);
  bind(page.form);
  fill(page, { ...TYPED, number: '1', cvv: '1' });
  await refused(page);
  expect([statusOf(page), wrongFields(page)]).toEqual(['Check the card number', ['number', 'cvv']]);
  page.form.reset();
  await settled(page);
  expect([statusOf(page), wrongFields(page)]).toEqual([undefined, []]);
  expect(document.getElementById('cvv-text')!.textContent).toBe('');
});

test('a submit button with data-cardseal-enable is enabled by binding, even if it fails, and disabled again by unbind()', async () => {
  const page = open(
    `${html().replace('<button', '<button disabled data-cardseal-enable')}<button disabled>Other</button>`,
    'method="get"',
  );
  const binding = bind(page.form);
  await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect([page.button().disabled, page.button('Other').disabled]).toEqual([false, true]);
  await refused(page);
  expect(statusOf(page)).toBe(UNAVAILABLE);
  page.button().disabled = true; // a spinner of the page
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(page.button().disabled).toBe(true);
  page.button().disabled = false;
  binding.unbind();
  expect(page.button().disabled).toBe(true);
});

test.each([
  ['in a hidden part', '<div hidden><p data-cardseal-status></p></div>'],
  ['hidden by a style', '<p data-cardseal-status style="display: none"></p>'],
])('a status element %s is not used', async (_, element) => {
  const page = open(html() + element);
  bind(page.form, { key: () => Promise.reject(new Error()) }).ready.catch(() => {});
  fill(page);
  await refused(page);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(page.form.querySelector('[data-cardseal-status]')!.textContent).toBe('');
});

test('a message that month and year share is hidden again when it is corrected', async () => {
  const expiry =
    '<input autocomplete="cc-exp-month" aria-label="Month" aria-describedby="shared-message">' +
    '<input autocomplete="cc-exp-year" aria-label="Year" aria-describedby="shared-message">' +
    '<p id="shared-message" data-cardseal-message hidden></p>';
  const page = open(html({ expiry }));
  bind(page.form);
  fill(page, { number: TYPED.number, name: TYPED.name, cvv: TYPED.cvv });
  await refused(page);
  const message = page.form.querySelector<HTMLElement>('#shared-message')!;
  expect([message.hidden, message.textContent]).toEqual([false, 'Enter the expiry date']);
  page.control('exp_month').value = '11';
  page.control('exp_month').dispatchEvent(new Event('input', { bubbles: true }));
  expect([message.hidden, message.textContent]).toEqual([true, '']);
});

test('two fields that share a message show the first text, and leave no empty box', async () => {
  const shared = 'aria-describedby="both"';
  const number = `<input autocomplete="cc-number" aria-label="Number" ${shared}>`;
  const cvv = `<input autocomplete="cc-csc" aria-label="Code" ${shared}>`;
  const page = open(html({ number, cvv: `${cvv}<p id="both" data-cardseal-message hidden></p>` }));
  bind(page.form);
  fill(page, { name: TYPED.name, expiry: TYPED.expiry });
  await refused(page);
  const message = page.form.querySelector<HTMLElement>('#both')!;
  expect([message.hidden, message.textContent]).toEqual([false, 'Enter the card number']);
  for (const field of ['number', 'cvv']) {
    page.control(field).dispatchEvent(new Event('input', { bubbles: true }));
  }
  expect([message.hidden, message.textContent]).toEqual([true, '']);
});
