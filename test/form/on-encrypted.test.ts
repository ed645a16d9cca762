/** `onEncrypted` and `encrypt()`: code of the page gets the block, and sends it by itself. */
import { expect, type Mock, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  bind,
  blockOf,
  CARD,
  CARD_BUTTON,
  clickAsShopper,
  deferred,
  EMPTY,
  FIELDS,
  fill,
  html,
  idle,
  KEPT,
  later,
  next,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  posted,
  press,
  settled,
  statusOf,
  TYPED,
  testRealInput,
  textRead,
  user,
  values,
} from '../support/form.ts';

// Claim emptied-before-code. Why: src/form/decide.ts has them emptied, and looked at, before code
// of the page gets the block, because such code often sends every control.
// Claim listeners-once
test('onEncrypted is called instead of the submit, with the block and the button, and with the fields empty', async () => {
  const page = open(`${html()}<button>Later</button>`, 'method="get"');
  const calls: unknown[][] = [];
  bind(page.form, { onEncrypted: (...args) => void calls.push([...args, values(page)]) });
  fill(page);
  page.button('Later').click();
  await next(page.form, 'cardseal:encrypted');
  await idle(page);
  const [keyId] = page.encrypted;
  const block = { payload: expect.any(String), key_id: keyId, layout: expect.any(Array) };
  expect(calls).toEqual([[block, page.button('Later'), EMPTY]]);
  expect([page.passes, await page.sent()]).toEqual([0, []]);
});

// Claim listeners-once
test('onEncrypted that calls requestSubmit(): the browser sends the form, with the block', async () => {
  const page = open();
  const submit = () => {
    // A key press that a script makes is not the shopper's.
    page
      .control('cvv')
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    page.form.requestSubmit();
  };
  const heard: unknown[] = [];
  const note = () => void heard.push([values(page), page.form.getAttribute('aria-busy')]);
  page.form.addEventListener('submit', note);
  bind(page.form, { onEncrypted: submit });
  fill(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  expect(heard).toEqual([[EMPTY, 'true']]);
});

test('onEncrypted that locks the fields and submits the form: it is sent with the block', async () => {
  const page = open(`<fieldset>${html()}</fieldset>`);
  bind(page.form, {
    onEncrypted() {
      page.form.querySelector('fieldset')!.disabled = true;
      page.form.requestSubmit();
    },
  });
  fill(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

testRealInput('after a press of the shopper, too', async () => {
  const page = open();
  bind(page.form, { onEncrypted: () => page.form.requestSubmit() });
  fill(page);
  const arrived = page.arrived();
  await clickAsShopper(page);
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

test.each<[string, (() => never) | undefined | 'mock']>([
  ['with reportError', 'mock'],
  ['without reportError, as in Chrome 94 and Firefox 92', undefined],
  [
    'with a reportError of the page, which throws',
    () => {
      throw new TypeError('for the ids of elements');
    },
  ],
])(
  'it rejects: the shopper reads that there is no answer, and the developer gets the error, %s',
  async (_, ofPage) => {
    const report = vi.mocked(window.reportError);
    const reported = ofPage === 'mock' ? undefined : uncaught();
    if (ofPage !== 'mock') window.reportError = ofPage as never;
    later(() => {
      window.reportError = report;
    });
    const page = open();
    const reason = new Error('the network');
    bind(page.form, { onEncrypted: () => Promise.reject(reason) });
    fill(page);
    await press(page);
    await vi.waitUntil(() => statusOf(page));
    expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
    expect((await reported) ?? report.mock.calls[0]![0]).toBe(reason);
    expect(page.errors).toEqual([]);
  },
);

test('it resolves to no_answer: the shopper reads that, the developer gets no error, and the next press hands over the same block', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  bind(page.form, {
    async onEncrypted(block) {
      blocks.push(structuredClone(block));
      Object.assign(block, { payload: 'of the page' }); // a copy: changes of the page do not stay
      block.layout.length = 0;
      return 'no_answer' as const;
    },
  });
  fill(page);
  for (const count of [1, 2]) {
    await press(page); // by a script, too
    await vi.waitUntil(() => blocks.length === count);
    await idle(page);
    expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
  }
  expect(blocks[1]).toEqual(blocks[0]);
  expect(await decrypt(blocks[1]!)).toEqual(CARD);
  expect(vi.mocked(window.reportError)).not.toHaveBeenCalled();
});

/** The next exception that reaches the page as uncaught, which Vitest does not get to see then. */
function uncaught(): Promise<unknown> {
  return new Promise((resolve) => {
    const listener = (event: ErrorEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      resolve(event.error);
    };
    addEventListener('error', listener, { once: true, capture: true });
  });
}

// Claim one-post
testRealInput(
  'while it works, the shopper’s presses are answered, and nothing is handed over',
  async () => {
    const page = open();
    const accepted = deferred<void>();
    const onEncrypted = vi.fn(() => accepted.promise);
    bind(page.form, { onEncrypted });
    fill(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => onEncrypted.mock.calls[0]);
    expect(page.form.getAttribute('aria-busy')).toBe('true');
    page.control('cvv').focus();
    const enter = () => user.keyboard('{Enter}');
    const submitByScript = () => {
      page.form.addEventListener('keydown', (event) => {
        event.preventDefault();
        page.form.requestSubmit();
      });
      return enter();
    };
    for (const press of [() => user.click(page.button()), enter, submitByScript]) {
      await press();
      expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
    }
    expect([page.passes, onEncrypted.mock.calls.length]).toEqual([0, 1]);
    accepted.resolve();
    await idle(page);
    expect(statusOf(page)).toBe(undefined); // a text that asks to wait goes when the wait is over
  },
);

test('a script that has the block of another card may press again, and hands over the card on the screen', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  await press(page);
  await vi.waitUntil(() => blocks.length === 1);
  await idle(page);
  fill(page, OTHER); // without an event
  await press(page);
  expect(statusOf(page)).toBe('Press the button again.');
  await press(page);
  await vi.waitUntil(() => blocks.length === 2);
  expect(await decrypt(blocks[1]!)).toEqual(OTHER_CARD);
});

// A select may show an option again, and a shared name is not emptied: nothing but the event tells.
test.each([
  ['a select', 'exp_month', 'change'],
  ['a shared name', 'name', 'input'],
] as const)(
  '%s that the shopper changes while onEncrypted works begins another card',
  async (_, field, type) => {
    const expiry =
      '<select autocomplete="cc-exp-month"><option value="">Month<option>11</select>' +
      '<select autocomplete="cc-exp-year"><option value="">Year<option>2049</select>';
    const name = '<input autocomplete="cc-name" name="holder" data-cardseal-shared>';
    const page = open(html({ expiry, name }));
    const onEncrypted = vi.fn(async () => {
      page.control(field).value = TYPED[field];
      page.control(field).dispatchEvent(new Event(type, { bubbles: true }));
      throw new Error('no answer');
    });
    bind(page.form, { onEncrypted });
    fill(page);
    await press(page);
    await vi.waitUntil(() => statusOf(page) === 'There is no answer yet. Press the button again.');
    await press(page);
    expect(page.errors).toEqual([expect.objectContaining({ code: 'invalid_card' })]);
    expect(onEncrypted).toHaveBeenCalledTimes(1);
  },
);

/** Presses, and lets 30 s pass after `onEncrypted` was called. */
async function callAndWait(
  page: Page,
  onEncrypted: Mock<() => void | Promise<void>>,
  whenCalled = async () => {},
) {
  await bind(page.form, { onEncrypted }).ready;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fill(page);
  page.button().click();
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitUntil(() => onEncrypted.mock.calls[0]);
  await whenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  vi.useRealTimers();
}

testRealInput(
  'it has answered: the card of a later press stays in the fields, also when 30 seconds are over',
  async () => {
    const page = open(`${html()}<button data-cardseal-skip>Other</button>`);
    page.form.addEventListener('submit', (event) => event.preventDefault());
    await callAndWait(page, vi.fn(), async () => {
      fill(page);
      page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
      // The block of this card is made, and its press ends.
      page.form.addEventListener('cardseal:encrypted', () => page.button('Other').click());
      page.button().click();
      await vi.waitUntil(() => page.encrypted.length === 2);
    });
    expect(values(page)).toEqual(KEPT);
    expect(statusOf(page)).toBe('Press the button again.');
  },
);

testRealInput(
  'its answer comes late: after 30 seconds the shopper reads that there is none, until there is',
  async () => {
    const page = open();
    const answer = deferred<void>();
    const onEncrypted = vi.fn(() => answer.promise);
    await callAndWait(page, onEncrypted);
    expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
    answer.resolve();
    await settled(page);
    expect(statusOf(page)).toBe(undefined);
  },
);

testRealInput('its answer comes while another press passes, which it does not end', async () => {
  const page = open(`${html()}${CARD_BUTTON}`);
  const answer = deferred<void>();
  const onEncrypted = vi.fn(() => answer.promise);
  await callAndWait(page, onEncrypted);
  page.button('Send').addEventListener('click', () => answer.resolve());
  page.button('Send').addEventListener('click', () => page.form.requestSubmit());
  const arrived = page.arrived();
  await clickAsShopper(page, page.button('Send'));
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
  expect(onEncrypted).toHaveBeenCalledTimes(1);
});

test('a mask that writes the old value back: no code of the page gets the block, and the developer is told (G12)', async () => {
  const page = open();
  const number = page.control('number');
  let isMasked = true;
  number.addEventListener('input', () => {
    if (isMasked) number.value = TYPED.number;
  });
  const onEncrypted = vi.fn();
  const binding = bind(page.form, { onEncrypted });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.errors[0]);
  fill(page);
  expect(await binding.encrypt()).toBe(undefined);
  await new Promise((ends) => setTimeout(ends)); // nobody types in the same task
  const told = { code: 'invalid_form', message: expect.stringContaining('fills the emptied') };
  expect(page.errors).toEqual([expect.objectContaining(told), expect.objectContaining(told)]);
  expect(statusOf(page)).toBe('Card payment is not available at the moment.');
  expect([onEncrypted.mock.calls, new FormData(page.form).get('encrypted_card')]).toEqual([
    [],
    null,
  ]);
  isMasked = false;
  fill(page);
  expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
});

test('a script that fills the name again: no code of the page gets the block (G12)', async () => {
  const page = open();
  const name = page.control('name');
  name.addEventListener('input', () => {
    name.value = TYPED.name;
  });
  const binding = bind(page.form);
  fill(page);
  expect(await binding.encrypt()).toBe(undefined);
  expect(page.errors).toEqual([expect.objectContaining({ code: 'invalid_form' })]);
});

test('no listener that hears of an emptied field finds another one full (G12)', async () => {
  const page = open();
  const found: string[][] = [];
  page.form.addEventListener('input', () => void found.push(values(page)));
  const binding = bind(page.form);
  fill(page);
  await binding.encrypt();
  expect(found.length).toBeGreaterThan(3);
  expect(new Set(found.flat())).toEqual(new Set(['']));
});

// Claim emptied-before-code
test('encrypt() resolves to the block, with the fields empty, and submits nothing', async () => {
  const page = open();
  const onEncrypted = vi.fn();
  const asked = vi.fn();
  page.form.addEventListener('cardseal:submit', asked);
  const binding = bind(page.form, { onEncrypted });
  fill(page);
  const block = await binding.encrypt();
  expect(values(page)).toEqual(EMPTY);
  expect(await decrypt(block!)).toEqual(CARD);
  await settled(page);
  expect([page.passes, onEncrypted.mock.calls, asked.mock.calls.length]).toEqual([0, [], 1]);
  expect(await binding.encrypt()).toEqual(block);
});

/** A page whose own submit listener cancels the submit and calls `encrypt()`. */
function encryptingAtSubmit() {
  const page = open();
  const binding = bind(page.form);
  const given: (EncryptedCard | undefined)[] = [];
  page.form.addEventListener('submit', async (event) => {
    event.preventDefault();
    given.push(await binding.encrypt());
  });
  return { page, binding, given };
}

// Changed: it resolved to undefined, with a text that went in the same task.
test('encrypt() in the page’s own submit listener gives the block of that submit, and so does a retry', async () => {
  const { page, binding, given } = encryptingAtSubmit();
  fill(page);
  for (const count of [1, 2]) {
    page.button().click();
    await vi.waitUntil(() => given.length === count);
    await settled(page);
    expect([values(page), statusOf(page), binding.isBusy]).toEqual([EMPTY, undefined, false]);
  }
  expect(await decrypt(given[0]!)).toEqual(CARD);
  expect(given[1]).toEqual(given[0]);
});

test('encrypt() in a submit listener gives the block also to a page that fills a field again at once', async () => {
  const { page, given } = encryptingAtSubmit();
  const cvv = page.control('cvv');
  fill(page);
  cvv.addEventListener('input', () => {
    cvv.value = TYPED.cvv;
  });
  page.button().click();
  await vi.waitUntil(() => given.length === 1);
  expect(await decrypt(given[0]!)).toEqual(CARD);
});

test('a page that locks the fields while a press is under way is paid at', async () => {
  const page = open(`<fieldset>${html()}</fieldset>`);
  const lock = (isLocked: boolean) =>
    page.form.querySelector('fieldset')!.toggleAttribute('disabled', isLocked);
  const given: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void given.push(block) });
  page.form.addEventListener('cardseal:submit', () => queueMicrotask(() => lock(true)));
  page.form.addEventListener('cardseal:settled', () => lock(false));
  fill(page);
  page.button().click();
  await vi.waitUntil(() => given.length === 1);
  expect(await decrypt(given[0]!)).toEqual(CARD);
});

test('a page that locks the fields at a press that brings a block again is paid at', async () => {
  const page = open(`<fieldset>${FIELDS}</fieldset><button>Pay</button>`);
  const cancel = (event: Event) => event.preventDefault();
  bind(page.form);
  page.form.addEventListener('submit', cancel, { once: true });
  fill(page);
  const isOver = next(page.form, 'cardseal:settled');
  page.button().click();
  await isOver;
  page.form.addEventListener('cardseal:submit', () => {
    page.form.querySelector('fieldset')!.disabled = true;
  });
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('encrypt() works in a form that could not be submitted, and does not ask when(): the page has decided', async () => {
  const page = open(html(), 'method="get"');
  const binding = bind(page.form, { when: () => false });
  binding.ready.catch(() => {});
  fill(page);
  expect(await decrypt((await binding.encrypt())!)).toEqual(CARD);
});

test('encrypt() resolves to undefined when the card is wrong, no key comes, cardseal:submit is cancelled, a press is under way, and after unbind()', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const ask = vi.fn(() => key.promise);
  ask.mockRejectedValueOnce(new Error('the network'));
  const binding = bind(page.form, { key: ask });
  await binding.ready.catch(() => {});
  expect(await binding.encrypt()).toBe(undefined);
  expect(textRead(page)).toBe('Enter the card number');
  fill(page);
  ask.mockRejectedValueOnce(new Error('the network'));
  expect(await binding.encrypt()).toBe(undefined);
  expect([statusOf(page), values(page)]).toEqual([expect.stringContaining('again'), KEPT]);
  page.form.addEventListener('cardseal:submit', (event) => event.preventDefault(), { once: true });
  expect(await binding.encrypt()).toBe(undefined);
  const first = binding.encrypt();
  expect(await binding.encrypt()).toBe(undefined);
  expect(statusOf(page)).toBe('One moment, please.');
  key.resolve(freshKey());
  expect(await decrypt((await first)!)).toEqual(CARD);
  binding.unbind();
  expect(await binding.encrypt()).toBe(undefined);
});
