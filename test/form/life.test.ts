/** The life of a bound form: restarts, bindings, pages that are left; and what is emptied and zeroed then. */
import { describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { bindCardForm, type CardFormBinding } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  cancelled,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  next,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  values,
  wrongFields,
} from '../support/form.ts';
import { watchMemory } from '../support/watch-memory.ts';

const away = (persisted = false) =>
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted }));
const back = (persisted: boolean) =>
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted }));

// Control memory-zeroed
test('restart() after a decline: another card under another key', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const blocks: EncryptedCard[] = [];
  const binding = bind(page.form, { key: ask, onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => blocks.length === 1);
  await binding.restart();
  fill(page, { ...TYPED, cvv: '999' });
  page.button().click();
  await vi.waitUntil(() => blocks.length === 2);
  const [first, second] = blocks;
  expect(first!.key_id).not.toBe(second!.key_id);
  expect((await decrypt(second!)).cvv).toBe('999');
  expect([ask.mock.calls.length, page.ready, page.encrypted.length]).toEqual([2, 2, 2]);
});

test.each<[string, (binding: CardFormBinding, page: Page) => void]>([
  ['restart()', (binding) => void binding.restart()],
  [
    'unbind() and binding the form again, as a component does',
    (binding, page) => {
      binding.unbind();
      bind(page.form);
    },
  ],
])(
  '%s in a submit listener that lets the press go stops it: the browser would send it without a block',
  async (_, begin) => {
    const page = open();
    const binding = bind(page.form);
    page.form.addEventListener('submit', () => begin(binding, page), { once: true });
    fill(page);
    page.button().click();
    await vi.waitUntil(() => statusOf(page));
    expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
    expect([await page.sent(), values(page)]).toEqual([[], EMPTY]);
    fill(page);
    const [sent] = await posted(page);
    expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  },
);

test('unbind() in a submit listener that takes the form out and puts it back stops the press, too', async () => {
  const page = open();
  const binding = bind(page.form);
  page.form.addEventListener('submit', () => {
    page.form.remove();
    binding.unbind();
    page.host.append(page.form);
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  expect([await page.sent(), values(page)]).toEqual([[], EMPTY]);
  expect(statusOf(page)).toBeUndefined(); // a page that takes its form out speaks itself
});

test('unbind() in a submit listener that has cancelled it and sends by itself is told to nobody', async () => {
  const page = open();
  const binding = bind(page.form);
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    binding.unbind();
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  expect(statusOf(page)).toBe(undefined);
});

test.each<[string, 'close' | 'unbind', string | undefined]>([
  [
    'close() ends a press that waits for its key, and the shopper reads nothing',
    'close',
    undefined,
  ],
  ['control: unbind() tells them', 'unbind', 'Press the button again.'],
])('%s', async (_, name, text) => {
  const page = open();
  const binding = bind(page.form, { key: () => new Promise<never>(() => {}) });
  fill(page);
  page.button().click();
  const block = binding.encrypt(); // told to wait
  expect(statusOf(page)).toBe('One moment, please.');
  binding[name]();
  await settled(page);
  expect([statusOf(page), await block]).toEqual([text, undefined]);
  expect(values(page)).toEqual(name === 'close' ? EMPTY : KEPT);
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
});

test('close() in a submit listener stops the press without a text, and binding again works', async () => {
  const page = open();
  const binding = bind(page.form);
  page.form.addEventListener('submit', () => binding.close(), { once: true });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  expect([statusOf(page), values(page), await page.sent()]).toEqual([undefined, EMPTY, []]);
  bind(page.form);
  fill(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('restart() without a key: the error says so, and the next press asks again, or says reload', async () => {
  const [page, fixed] = [open(), open()];
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask });
  fill(page);
  await posted(page);
  ask.mockImplementationOnce(() => {
    throw new Error('the network');
  });
  await expect(binding.restart()).rejects.toMatchObject({ code: 'key_unavailable' });
  expect(page.errors.map(({ code }) => code)).toEqual(['key_unavailable']);
  fill(page);
  expect((await posted(page)).length).toBe(2);

  await expect(bind(fixed.form, { key: freshKey() }).restart()).rejects.toMatchObject({
    code: 'key_unavailable',
    message: expect.stringContaining('reload the page'),
  });
});

test.each<[string, (key: ReturnType<typeof deferred<CardEncryptionKey>>) => void]>([
  ['comes', (key) => key.resolve(freshKey())],
  ['fails', (key) => key.reject(new Error('the network'))],
])('restart(): a key of the time before that %s late concerns nobody', async (_, answer) => {
  const page = open();
  const old = deferred<CardEncryptionKey>();
  const ask = vi.fn(() =>
    ask.mock.calls.length === 1 ? old.promise : new Promise<never>(() => {}),
  );
  const binding = bind(page.form, { key: ask });
  binding.restart();
  answer(old);
  await binding.ready.catch(() => {});
  await settled(page);
  expect([page.errors, page.ready, ask.mock.calls.length]).toEqual([[], 0, 2]);
});

test('when the page goes away, what is marked but no control does not keep the rest from being emptied', async () => {
  const page = open(`<textarea autocomplete="cc-number"></textarea>${html()}`);
  const uncaught = vi.fn((event: Event) => event.preventDefault());
  addEventListener('error', uncaught);
  await bind(page.form).ready.catch(() => {});
  for (const control of page.controls()) control.value = '4929';
  away(false);
  removeEventListener('error', uncaught);
  expect([values(page).slice(1), uncaught.mock.calls]).toEqual([EMPTY, []]);
});

// Claim emptied-when-left
// Claim nothing-left
test('back out of the back/forward cache: nothing of the card is there, a new key is asked for, paying works', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  bind(page.form, { key: ask });
  fill(page);
  await posted(page);
  await vi.waitUntil(() => page.ready === 2); // the answer went into a frame: a new key was asked for
  away(true);
  fill(page); // as a browser may that restores what was typed
  back(true);
  expect([values(page), [...new FormData(page.form)]]).toEqual([EMPTY, []]);
  expect(ask).toHaveBeenCalledTimes(3);
  await vi.waitUntil(() => page.ready === 3);
  fill(page, { ...TYPED, cvv: '999' });
  const [, sent] = await posted(page);
  expect((await decrypt(blockOf(sent!))).cvv).toBe('999');
});

test('back out of the back/forward cache: a form that has left the page asks for no key', async () => {
  const [left, stays] = [open(), open()];
  const asks = [left, stays].map(({ form }) => {
    const ask = vi.fn(() => freshKey());
    bind(form, { key: ask });
    return ask;
  });
  const counts = () => asks.map(({ mock }) => mock.calls.length);
  expect(counts()).toEqual([1, 1]);
  left.form.remove();
  away(true);
  back(true);
  expect(counts()).toEqual([1, 2]);
  left.host.append(left.form); // its first key is old by now
  fill(left);
  await posted(left);
  expect(left.encrypted.length).toBe(1);
  expect(asks[0]!.mock.calls.length).toBeGreaterThan(1);
});

// Claim pollution
test('a polluted Object.prototype sets no option, and keeps no listener from hearing again', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  const pollution = { onEncrypted: vi.fn(), fieldName: 'polluted', once: true, passive: true };
  Object.assign(Object.prototype, pollution);
  try {
    const binding = bindCardForm(page.form, { key: ask });
    await binding.ready;
    for (const asked of [2, 3]) {
      fill(page);
      away(true);
      expect(values(page)).toEqual(EMPTY);
      await new Promise((resolve) => setTimeout(resolve)); // a page comes back in another task
      back(true);
      expect(ask).toHaveBeenCalledTimes(asked);
    }
    fill(page);
    const [sent] = await posted(page);
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
    binding.unbind();
  } finally {
    for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name);
  }
});

// Claim pollution
test('a polluted Object.prototype keeps no text from the shopper that stands out of view', async () => {
  const page = open();
  page.control('number').style.height = '150vh'; // its text is out of view, also at the focus
  bind(page.form);
  const pollution = { behavior: 'odd' }; // Firefox throws at such an option of scrollIntoView()
  Object.assign(Object.prototype, pollution);
  try {
    await refused(page);
    expect(textRead(page)).toBe('Enter the card number');
    expect(wrongFields(page)).toEqual(['number', 'name', 'expiry', 'cvv']);
  } finally {
    Reflect.deleteProperty(Object.prototype, 'behavior');
  }
});

// Claim pollution
test('an Object.prototype that keeps lists from being joined hides no control', async () => {
  const page = open();
  Reflect.set(Object.prototype, Symbol.isConcatSpreadable, false);
  try {
    bind(page.form);
    fill(page);
    page.button().click();
    await vi.waitUntil(() => page.encrypted.length === 1);
  } finally {
    Reflect.deleteProperty(Object.prototype, Symbol.isConcatSpreadable);
  }
  expect(page.errors).toEqual([]);
});

test('a polluted Object.prototype gives no block to anybody else', async () => {
  const page = open();
  const pollution = {
    ...{ resolve: vi.fn(), event: 'polluted', ready: 'polluted', id: 1 },
    ...{ isCard: false, isQuiet: true, destinationError: 'polluted' },
  };
  Object.assign(Object.prototype, pollution);
  try {
    const got: EncryptedCard[] = [];
    const binding = bind(page.form, { onEncrypted: (block) => void got.push(block) });
    fill(page);
    page.button().click();
    await vi.waitUntil(() => got.length === 1, { timeout: 3000 });
    expect(await binding.encrypt()).toEqual(got[0]);
    expect(pollution.resolve).not.toHaveBeenCalled();
  } finally {
    for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name);
  }
});

// Claim pollution
test('a polluted Object.prototype lets a reset empty what scripts have written', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  page.control('number').setAttribute('value', TYPED.number);
  Object.assign(Object.prototype, { press: null });
  try {
    page.form.reset();
    await vi.waitUntil(() => !page.control('number').hasAttribute('value'), { timeout: 1000 });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'press');
  }
});

// Control emptied-when-left
test('a page that is shown for the first time keeps its key and its values', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  await bind(page.form, { key: ask }).ready;
  fill(page);
  back(false);
  expect([values(page), ask.mock.calls.length]).toEqual([KEPT, 1]);
});

test('bound twice: the second works, the late cleanup of the first does nothing', async () => {
  const page = open();
  const keys = [freshKey(), freshKey()];
  const first = bindCardForm(page.form, { key: keys[0]! });
  bind(page.form, { key: keys[1]!, fieldName: 'second' });
  first.unbind();
  await first.restart();
  fill(page);
  const [sent, more] = await posted(page);
  expect(more).toBeUndefined();
  expect(sent!.body.map(([name]) => name)).toEqual(['second']);
  expect(page.encrypted).toEqual([keys[1]!.id]);
});

test('bound again by a listener of what binding it raises: the outer call counts', async () => {
  const page = open();
  bind(page.form, { key: () => new Promise(() => {}) });
  fill(page);
  page.button().click();
  await settled(page);
  const inner = vi.fn();
  const bindInner = () => bind(page.form, { onEncrypted: inner });
  page.form.addEventListener('cardseal:settled', bindInner, { once: true });
  const outer = vi.fn();
  bind(page.form, { onEncrypted: outer });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => outer.mock.calls[0]);
  expect([outer.mock.calls.length, inner.mock.calls.length]).toEqual([1, 0]);
});

test('unbind() leaves a form as it was, but for the marks for recorders', async () => {
  const page = open();
  page.control('cvv').setAttribute('aria-invalid', 'false');
  const before = page.form.outerHTML;
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask, maskForRecorders: false }); // see marks.test.ts
  page.button().click();
  await idle(page);
  expect(wrongFields(page)).toEqual(['number', 'name', 'expiry', 'cvv']);
  fill(page);
  binding.unbind();
  expect([page.form.outerHTML, values(page)]).toEqual([before, KEPT]);

  away(false);
  back(true);
  await binding.restart();
  expect([values(page), ask.mock.calls.length]).toEqual([KEPT, 1]);
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([]); // by the browser alone: no card, since no control has a name, and no block
  expect([page.encrypted, page.errors.length]).toEqual([[], 1]);
  page.control('number').name = 'number';
  expect(new FormData(page.form).has('number')).toBe(true);
});

test('unbind() with a submit under way: it comes to nothing, and nothing is said', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const before = { ready: page.ready, errors: page.errors.length };
  binding.unbind();
  expect(page.form.hasAttribute('aria-busy')).toBe(false);
  key.resolve({ ...freshKey(), public_key: '' });
  await expect(binding.ready).rejects.toMatchObject({ code: 'invalid_key' });
  expect({ ready: page.ready, errors: page.errors.length }).toEqual(before);
  expect([page.encrypted, page.passes, values(page)]).toEqual([[], 0, KEPT]);
});

test.each([
  ['in the element of the page', '<p data-cardseal-status></p>', '[data-cardseal-status]'],
  ['in a line of the library', '', '[data-cardseal-line]'],
])(
  'a form that is bound anew while the key is awaited says so %s, until it is pressed again',
  async (_, status, place) => {
    const page = open(html() + status);
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    bind(page.form, { key: () => freshKey(), onEncrypted: () => {} });
    const text = () => page.form.querySelector(place)?.textContent ?? '';
    expect(text()).toBe('Press the button again.');
    page.button().click();
    await vi.waitUntil(() => page.encrypted.length === 1);
    expect(text()).toBe('');
  },
);

// Since 0.3.0 a form listens for `beforeunload` while a submit is on its way, and not longer.
test('a page with a bound form can be kept in the back/forward cache: nothing keeps listening for unload', async () => {
  const added = vi.spyOn(window, 'addEventListener');
  const removed = vi.spyOn(window, 'removeEventListener');
  const page = open();
  bind(page.form);
  fill(page);
  await posted(page);
  const types = added.mock.calls.map(([type]) => type);
  expect(types).toContain('pagehide');
  expect(types).not.toContain('unload');
  const isAsking = ([type]: [string, ...unknown[]]) => type === 'beforeunload';
  const listeners = added.mock.calls.filter(isAsking).map(([, listener]) => listener);
  expect(listeners.length).toBe(1);
  expect(removed.mock.calls.filter(isAsking).map(([, listener]) => listener)).toEqual(listeners);
});

/** A page whose own listener cancels each submit: fields and block stay. */
async function declined(content = html()) {
  const page = open(content);
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const ask = vi.fn(() => freshKey());
  const binding = bind(page.form, { key: ask });
  fill(page);
  const passed = next(page.form, 'submit');
  page.button().click();
  await passed;
  await idle(page);
  expect([values(page), blockIn(page)]).toEqual([KEPT, expect.any(String)]);
  return { page, binding, ask };
}

/** The parts of the card that do not occur by chance, in ASCII: the watch compares bytes. */
const PARTS = [CARD.number, 'Quillow', CARD.exp_year];

const ENDS: Record<string, (page: Page, binding: CardFormBinding) => void | Promise<void>> = {
  'the page is left': () => void away(),
  'the form is reset': (page) => {
    page.form.reset();
    return settled(page);
  },
  'the form is restarted': (_, binding) => void binding.restart().catch(() => {}),
  'the form is unbound': (_, binding) => binding.unbind(),
};

test.each(Object.entries(ENDS))(
  'when %s while the key is awaited, no byte of the card stays in memory',
  async (_, end) => {
    const page = open();
    const key = deferred<CardEncryptionKey>();
    const binding = bind(page.form, { key: () => key.promise });
    fill(page);
    const memory = watchMemory(PARTS);
    page.button().click();
    expect(memory.everHeld(PARTS)).toBe(true);
    await end(page, binding);
    memory.unwatch();
    expect(memory.holds()).toBe(0);
    expect(page.form.hasAttribute('aria-busy')).toBe(false);
  },
);

// Claim emptied-when-left. Why: src/form/card-form.ts ends the press and empties the fields at each
// of these moments.
test.each(Object.entries(ENDS))(
  'when %s after a cancelled submit, fields, value attributes, block and memory are empty',
  async (_, end) => {
    const memory = watchMemory(PARTS);
    const { page, binding } = await declined();
    const inputs = page.controls() as HTMLInputElement[];
    for (const input of inputs) input.setAttribute('value', input.value); // as a floating label does
    expect([memory.everHeld(PARTS), page.form.outerHTML.includes(KEPT[0]!)]).toEqual([true, true]);
    await end(page, binding);
    memory.unwatch();
    expect([values(page), blockIn(page), memory.holds()]).toEqual([EMPTY, null, 0]);
    expect(inputs.some((input) => input.hasAttribute('value'))).toBe(false);
    page.form.reset();
    expect(values(page)).toEqual(EMPTY);
    expect(page.form.querySelector('[name=encrypted_card]')).toBe(null);
    expect(page.form.outerHTML).not.toContain(KEPT[0]);
  },
);

// Claim memory-zeroed
test('the card of a block that waits stays in memory until the next card press encrypts another one, and no longer', async () => {
  const memory = watchMemory(PARTS);
  const { page, binding } = await declined();
  expect(memory.holds()).toBeGreaterThan(0); // an exception of the claim
  fill(page, { number: '4111 1111 1111 1111', name: 'Ada Lovelace', expiry: '01/47' });
  await settled(page);
  expect(memory.holds()).toBeGreaterThan(0); // its block would be offered again
  const passed = next(page.form, 'submit');
  page.button().click();
  await passed;
  await idle(page);
  expect([memory.holds(), page.errors]).toEqual([1, []]); // that of the new card
  binding.unbind();
  memory.unwatch();
  expect(memory.holds()).toBe(0);
});

// Control emptied-when-left
test('a form that is not bound any more keeps what is typed into it, also when the page is left', () => {
  const page = open();
  bind(page.form).unbind();
  fill(page);
  away();
  expect(values(page)).toEqual(KEPT);
});

// Control emptied-when-left
test('a reset that a listener cancels keeps the card, and the same card brings the same block', async () => {
  const name = `<input autocomplete="cc-name" value="${TYPED.name}">`; // from the server
  const { page } = await declined(html({ name }));
  const block = blockIn(page);
  page.form.addEventListener('reset', (event) => event.preventDefault());
  page.form.reset();
  await settled(page);
  expect(values(page)).toEqual(KEPT);
  expect((page.control('name') as HTMLInputElement).defaultValue).toBe(TYPED.name);
  const passed = next(page.form, 'submit');
  page.button().click();
  await passed;
  expect(blockIn(page)).toBe(block);
});

test('a script that resets the form and reads it at once finds nothing of the card, and a shared name', async () => {
  const shared =
    '<input autocomplete="cc-name" name="holder" data-cardseal-shared value="Ada Byrd">';
  const page = open(html({ name: shared }));
  bind(page.form);
  fill(page);
  for (const control of page.controls()) {
    if (control !== page.control('name')) control.setAttribute('value', control.value);
  }
  page.form.reset();
  expect(values(page)).toEqual(['', 'Ada Byrd', '', '']);
});

test('a reset before any press asks for no new key; after a block was made it does', async () => {
  const page = open();
  const ask = vi.fn(() => freshKey());
  await bind(page.form, { key: ask }).ready;
  page.form.reset();
  await settled(page);
  expect([ask.mock.calls.length, page.ready]).toEqual([1, 1]);
  const after = await declined();
  after.page.form.reset();
  await settled(after.page);
  expect(after.ask).toHaveBeenCalledTimes(2);
});

test('a reset and an unbind() in one task, while the key is awaited: the shopper reads that it ended', async () => {
  const page = open();
  const binding = bind(page.form, { key: () => new Promise<never>(() => {}) });
  fill(page);
  page.button().click();
  page.form.reset();
  binding.unbind();
  const text = statusOf(page);
  await new Promise((resolve) => setTimeout(resolve)); // the reset is over
  expect([text, statusOf(page)]).toEqual([expect.stringContaining('again'), text]);
});

test('a when() that collects the form’s data itself: code of the page finds the block', async () => {
  const { page } = await cancelled(`${html()}<input name="method" value="card">`, {
    when: () => new FormData(document.forms[0]).get('method') === 'card',
  });
  expect(blockIn(page)).not.toBe(null);
});

const UNBIND = (_: Page, binding: CardFormBinding) => binding.unbind();
const BIND_AGAIN = (page: Page) => void bind(page.form);
test.each([
  ['unbind()', UNBIND],
  ['binding again', BIND_AGAIN],
])('%s empties fields that hold the card of a block, and keeps any other card', async (_, end) => {
  const page = open();
  const binding = bind(page.form);
  fill(page);
  end(page, binding);
  expect(values(page)).toEqual(KEPT);
  const paid = await declined();
  end(paid.page, paid.binding);
  expect(values(paid.page)).toEqual(EMPTY);
  const changed = await declined();
  fill(changed.page, { cvv: '999' });
  end(changed.page, changed.binding);
  expect(values(changed.page)).toEqual([...KEPT.slice(0, 3), '999']);
});

describe('when the page has cancelled the submit', () => {
  test('an event of a field that has not changed leaves the block where it is', async () => {
    const shared = '<input autocomplete="cc-name" name="holder" data-cardseal-shared>';
    const { page } = await cancelled(html({ name: shared }));
    for (const field of ['number', 'name']) {
      page.control(field).dispatchEvent(new Event('input', { bubbles: true }));
    }
    expect(blockIn(page)).not.toBe(null);
  });

  test('a page that calls restart() at each change does not loop', async () => {
    const { page, binding } = await cancelled();
    let calls = 0;
    page.form.addEventListener('input', () => {
      calls += 1;
      if (calls < 50) binding.restart();
    });
    await binding.restart();
    expect([values(page), calls]).toEqual([EMPTY, 4]);
  });
});

/** What a script that saves the form at each change finds of a block. */
async function pressedAndSaved() {
  const { page, binding } = await cancelled();
  const found: [boolean, boolean][] = [];
  page.form.addEventListener('change', () => {
    const input = page.form.querySelector<HTMLInputElement>('[name=encrypted_card]');
    // In the controls, as `serialize()` of jQuery reads them, and in the form's data.
    found.push([Boolean(input?.value), Boolean(blockIn(page))]);
  });
  return { page, binding, found };
}

test.each<[string, (pressed: Awaited<ReturnType<typeof pressedAndSaved>>) => unknown]>([
  ['restart()', ({ binding }) => binding.restart()],
  ['unbind()', ({ binding }) => binding.unbind()],
  ['the end of the page', () => away()],
  ['a reset', ({ page }) => page.form.reset()],
])('a page that saves its form at each change saves no block: %s', async (_, end) => {
  const pressed = await pressedAndSaved();
  await end(pressed);
  await vi.waitFor(() => expect(pressed.found.length).toBeGreaterThan(0));
  expect(pressed.found.flat()).not.toContain(true);
});
