/** The status line: where it stands, what it says, and how long. */
import { describe, expect, test, vi } from 'vitest';
import {
  CardEncryptionError,
  type CardEncryptionErrorCode,
  type CardEncryptionKey,
  encryptCard,
} from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { card, freshKey } from '../support/core.ts';
import {
  bind,
  deferred,
  FAR,
  FIELDS,
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
  textRead,
  values,
} from '../support/form.ts';

const UNAVAILABLE = 'Card payment is not available at the moment.';
const RELOAD = 'Reload the page and enter the card again.';
const AGAIN = 'Press the button again.';

const OWN = '<p data-cardseal-status></p>';
const ownLine = (page: Page) => page.host.querySelector<HTMLElement>('[data-cardseal-status]');
const addedLine = (page: Page) => page.host.querySelector<HTMLElement>('[data-cardseal-line]');

const rejecting = (code: CardEncryptionErrorCode) => () =>
  Promise.reject(new CardEncryptionError(code, 'planted'));

/** A page whose first press finds no key. */
async function withoutKey(content = html(), code: CardEncryptionErrorCode = 'key_unavailable') {
  const page = open(content);
  bind(page.form, { key: rejecting(code) }).ready.catch(() => {});
  fill(page);
  await refused(page);
  return page;
}

/** A press that waits for a key, which fails. */
function waiting() {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  return { page, fail: () => key.reject(new Error('the network')) };
}

async function usedKey(): Promise<CardEncryptionKey> {
  const key = freshKey();
  await encryptCard(key, card());
  return key;
}

/** What can go wrong and is not the shopper's to correct, with a key function and with a fixed key. */
const PROBLEMS: [
  code: CardEncryptionErrorCode,
  text: string,
  makeKey: () => CardFormOptions['key'] | Promise<CardFormOptions['key']>,
][] = [
  ['key_unavailable', AGAIN, () => () => Promise.reject(new Error('the network'))],
  ['key_already_used', AGAIN, () => usedKey().then((key) => () => key)],
  ['key_already_used', RELOAD, usedKey],
  ['invalid_key', UNAVAILABLE, () => ({ ...freshKey(), public_key: '' })],
  ['unsupported_scheme', UNAVAILABLE, () => () => ({ ...freshKey(), scheme: 'RSA_V99' as never })],
  ['unsupported_browser', UNAVAILABLE, () => rejecting('unsupported_browser')],
];

// Claim no-silent-press
test.each(PROBLEMS)(
  '%s shows "%s", before the submit button, as an alert, until the next press',
  async (code, text, makeKey) => {
    const page = open();
    const key = await makeKey();
    bind(page.form, { key }).ready.catch(() => {});
    fill(page);
    expect((await refused(page)).code).toBe(code);
    await idle(page);
    const line = addedLine(page)!;
    expect([line.textContent, line.getAttribute('role')]).toEqual([text, 'alert']);
    expect(line.nextElementSibling).toBe(page.button());
    expect(line.getClientRects().length).toBe(1);
    expect([page.passes, values(page)]).toEqual([0, KEPT]);
    fill(page, { cvv: '' });
    await refused(page);
    expect(page.host.querySelectorAll('[data-cardseal-line]').length).toBe(1);
    expect([statusOf(page), textRead(page)]).toEqual([undefined, 'Enter the security code']);
  },
);

describe('the element with data-cardseal-status', () => {
  // Changed: the library showed a hidden one at binding, and its margins moved the button.
  test('stays hidden while it has no text, and is used', async () => {
    const page = open(`<p data-cardseal-status hidden></p>${html()}`);
    const status = ownLine(page)!;
    let fails = true;
    const key = () => (fails ? Promise.reject(new Error()) : freshKey());
    bind(page.form, { key }).ready.catch(() => {});
    const state = () => [status.textContent, status.hidden, status.getAttribute('role')];
    expect(state()).toEqual(['', true, 'alert']);
    await vi.waitUntil(() => page.errors[0]);
    expect(status.textContent).toBe(''); // nobody has pressed
    fill(page);
    await refused(page);
    expect([...state(), addedLine(page)]).toEqual([AGAIN, false, 'alert', null]);
    fails = false;
    await posted(page);
    expect(state()).toEqual(['', true, 'alert']);
  });

  test.each(['aria-live="polite"', 'role="status"', 'role="alert"', 'role="log"'])(
    'and %s is live already, and stays as it is; a second one stays empty',
    async (live) => {
      const page = await withoutKey(`<p data-cardseal-status="" ${live}></p>${OWN}${html()}`);
      const [first, second] = page.form.querySelectorAll('[data-cardseal-status]');
      expect(first!.outerHTML).toBe(`<p data-cardseal-status="" ${live}>${AGAIN}</p>`);
      expect(second!.textContent).toBe('');
      await idle(page);
      fill(page, { cvv: '' });
      await refused(page);
      expect(first!.textContent).toBe('Enter the security code');
    },
  );

  test('is not hidden if the page did not hide it', async () => {
    const page = await withoutKey(OWN + html());
    page.form.reset();
    await settled(page);
    expect([ownLine(page)!.textContent, ownLine(page)!.hidden]).toEqual(['', false]);
  });

  test('is announced, whatever other role it has', async () => {
    const page = await withoutKey(`<p data-cardseal-status role="region"></p>${OWN}${html()}`);
    const line = page.form.querySelector('[data-cardseal-status]')!;
    expect([line.textContent, line.getAttribute('aria-live')]).toEqual([AGAIN, 'assertive']);
  });

  test('loses a text that a copy of the form has brought, and stays when the binding ends', () => {
    const page = open(`<p data-cardseal-status>${AGAIN}</p>${html()}`);
    const binding = bind(page.form);
    expect(ownLine(page)!.textContent).toBe('');
    binding.unbind();
    expect(ownLine(page)).not.toBe(null);
  });

  test.each([
    'display: none',
    'position: absolute; width: 1px; height: 1px; overflow: hidden', // for screen readers only
    'position: absolute; left: -9999px',
    'opacity: 0',
  ])('is not used, nor brought into view, if nobody sees it: %s', async (style) => {
    window.scrollTo(0, 0); // the test before has scrolled
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
    const hidden = `<p data-cardseal-status style="${style}"></p>`;
    const page = await withoutKey(`${hidden}${FIELDS}${FAR}<button>Pay</button>`);
    expect([ownLine(page)!.textContent, addedLine(page)!.textContent]).toEqual(['', AGAIN]);
    expect(scroll.mock.contexts).toEqual([addedLine(page)]);
  });
});

test('a field that changes while the page hears that a press is over takes no text away', async () => {
  const page = open();
  page.form.addEventListener('cardseal:settled', () => {
    page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  });
  bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
  fill(page);
  await refused(page);
  expect(statusOf(page)).toBe(AGAIN);
  page.control('name').dispatchEvent(new Event('input', { bubbles: true })); // nor one afterwards
  expect(statusOf(page)).toBe(AGAIN);
});

test('the page hears of an error also while it has no body', async () => {
  const { page, fail } = waiting();
  const { body } = document;
  body.remove();
  later(() => document.documentElement.append(body));
  const raised = next<CustomEvent>(page.form, 'cardseal:error');
  fail();
  expect((await raised).detail.code).toBe('key_unavailable');
});

describe('the line of the library', () => {
  /** The line at the end of the page. */
  const lineAtEnd = async () => {
    const isThere = () => document.body.lastElementChild!.hasAttribute('data-cardseal-line');
    await vi.waitUntil(isThere);
    const line = document.body.lastElementChild!;
    later(() => line.remove());
    return [line.textContent, line.getAttribute('role')];
  };

  test('takes no room while it has no text, whatever the styles of the page are', async () => {
    const page = open();
    page.host.insertAdjacentHTML(
      'beforeend',
      '<style>p { margin: 20px 0; padding: 5px; border: 1px solid; min-height: 30px }</style>',
    );
    const top = () => page.button().getBoundingClientRect().top;
    const before = top();
    bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
    expect(top()).toBe(before);
    fill(page);
    await refused(page);
    expect(top()).toBeGreaterThan(before);
    page.form.reset();
    await settled(page);
    expect(top()).toBe(before);
  });

  test('is replaced when the page has hidden the button that it stood before', async () => {
    const fields = FIELDS;
    const page = open(`${fields}<div><button>Pay</button></div><button>Other</button>`);
    bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
    page.form.querySelector('div')!.hidden = true;
    fill(page);
    await refused(page, page.button('Other'));
    const lines = page.form.querySelectorAll('[data-cardseal-line]');
    expect([lines.length, lines[0]!.nextElementSibling]).toEqual([1, page.button('Other')]);
  });

  test('is not missed when the page has removed it', async () => {
    const page = open();
    bind(page.form);
    addedLine(page)!.remove();
    await refused(page);
    expect(textRead(page)).toBe('Enter the card number');
  });

  test('stands at the end of a form without a submit button', async () => {
    const page = open(FIELDS);
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const binding = bind(page.form, { key: rejecting('key_unavailable') });
    binding.ready.catch(() => {});
    fill(page);
    await binding.encrypt();
    expect(page.form.lastElementChild).toBe(addedLine(page));
  });

  /** A form whose button stands in a box beside it, and the texts of the lines in that box. */
  const withButtonOutside = () => {
    const page = open(FIELDS);
    page.form.id = 'card-form';
    page.form.insertAdjacentHTML('afterend', '<div><button form="card-form">Pay</button></div>');
    const lines = () => page.host.querySelectorAll('div > [data-cardseal-line]');
    return { page, texts: () => [...lines()].map(({ textContent }) => textContent) };
  };

  test('stands before a button outside the form, once, and goes with the binding', async () => {
    const { page, texts } = withButtonOutside();
    const key = () => Promise.reject(new Error('the network'));
    const binding = bind(page.form, { key });
    binding.ready.catch(() => {});
    for (let i = 0; i < 2; i++) {
      fill(page);
      await refused(page);
      expect(texts()).toEqual([AGAIN]);
    }
    page.form.reset();
    await settled(page);
    expect(texts()).toEqual(['']);
    binding.unbind();
    expect(texts()).toEqual([]);
  });

  test('outside the form keeps a text for the next binding, which takes it away', async () => {
    const { page, texts } = withButtonOutside();
    const binding = bind(page.form, { key: () => new Promise(() => {}) });
    fill(page);
    page.host.querySelector('button')!.click();
    binding.unbind(); // while the press waits for a key
    expect(texts()).toEqual([AGAIN]);
    const next = bind(page.form);
    expect(texts()).toEqual([AGAIN]);
    await next.restart();
    expect(texts()).toEqual(['']);
  });

  test('stands at the end of the page if the form is hidden as a whole', async () => {
    const page = open();
    page.host.hidden = true;
    bind(page.form, { key: rejecting('key_unavailable') }).ready.catch(() => {});
    fill(page);
    await refused(page);
    expect(await lineAtEnd()).toEqual([AGAIN, 'alert']);
  });

  // Claim no-silent-press
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
      const { page, fail } = waiting();
      page.form.remove();
      fail();
      expect(await lineAtEnd()).toEqual([AGAIN, 'alert']);
    },
  );
});

describe('a page that renders its form anew', () => {
  /** When the observer has been told. */
  const noticed = () => new Promise((resolve) => setTimeout(resolve));

  test.each<[string, string, typeof ownLine, (line: HTMLElement) => void]>([
    ['the line', html(), addedLine, (line) => line.remove()],
    ['the text in its own element', OWN + html(), ownLine, (line) => line.replaceChildren('\n')],
    [
      'its own element, and puts it in again',
      OWN + html(),
      ownLine,
      (line) => {
        line.outerHTML = OWN;
      },
    ],
  ])('removes %s: it is restored, five times at most', async (_, content, find, remove) => {
    const page = await withoutKey(content);
    const text = () => (find(page)?.textContent ?? '').trim();
    for (let time = 1; time <= 5; time++) {
      remove(find(page)!);
      expect(text()).toBe('');
      await noticed();
      expect(text(), `time ${time}`).toBe(AGAIN);
    }
    remove(find(page)!);
    await noticed();
    expect(text()).toBe('');
  });

  test('a browser that translates the text: the translation stays until the next press', async () => {
    const page = await withoutKey();
    const line = addedLine(page)!;
    line.innerHTML = '<font><font>Appuyez encore une fois.</font></font>';
    await noticed();
    expect(line.textContent).toBe('Appuyez encore une fois.');
    await refused(page);
    expect(line.textContent).toBe(AGAIN);
  });

  test('makes an element of its own out of the line: that one stays, and the text is restored', async () => {
    const page = await withoutKey();
    const morphed = addedLine(page)!;
    for (const name of morphed.getAttributeNames()) morphed.removeAttribute(name);
    morphed.firstChild!.nodeValue = 'Total: 20.00';
    await noticed();
    expect([addedLine(page)!.textContent, morphed.textContent]).toEqual([AGAIN, 'Total: 20.00']);
    expect(morphed.isConnected).toBe(true);
  });
});

test('a page whose console has neither error nor warn: the shopper reads what has happened all the same', async () => {
  const { console } = window;
  later(() => Object.assign(window, { console }));
  Object.assign(window, { console: { log() {} } });
  const page = open();
  const key = () => Promise.reject(new Error('the network'));
  const binding = bind(page.form, { key, messages: { unknown: 'x' } as object });
  await expect(binding.ready).rejects.toThrow('The key did not come');
  fill(page);
  await refused(page);
  expect(statusOf(page)).toBe('Press the button again.');
  expect(await binding.encrypt()).toBe(undefined);
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

test('data-cardseal-enable: a button that the page renders anew is enabled, too', async () => {
  const button = '<button disabled data-cardseal-enable>Pay</button>';
  const page = open(`${FIELDS}<span>${button}</span>`);
  const binding = bind(page.form);
  const place = page.form.querySelector('span')!;
  place.innerHTML = button.replace('Pay', 'Pay $20');
  await vi.waitFor(() => expect(page.button('Pay $20').disabled).toBe(false));
  binding.unbind();
  place.innerHTML = button;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(page.button().disabled).toBe(true);
});

test('data-cardseal-enable: binding enables a disabled button once, even if it fails, and unbind() disables it again', async () => {
  const buttons =
    '<button disabled data-cardseal-enable>Pay</button>' +
    '<button disabled>Other</button><button data-cardseal-enable>Free</button>' +
    '<button form="another" disabled data-cardseal-enable>Coupon</button>';
  const outside =
    '<button type="button" disabled data-cardseal-enable data-cardseal-button="c">Send</button>';
  const content = FIELDS + buttons;
  const page = open(content, 'method="get" id="c"', `FORM${outside}`);
  const disabled = () => [...page.host.querySelectorAll('button')].map((it) => it.disabled);
  bind(open().form);
  expect(disabled()).toEqual([true, true, false, true, true]);
  const binding = bind(page.form);
  await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(disabled()).toEqual([false, true, false, true, false]);
  page.button().disabled = true; // a spinner of the page
  page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
  expect(disabled()).toEqual([true, true, false, true, false]);
  binding.unbind();
  expect(disabled()).toEqual([true, true, false, true, true]);
});
