/** What is emptied, zeroed and forgotten when the page is left, reset, restarted or unbound. */
import { describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { bindCardForm } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  CARD,
  cancelled,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  next,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  refused,
  settled,
  statusOf,
  TYPED,
  values,
} from '../tools/support/form.ts';
import { watchMemory } from '../tools/support/watch-memory.ts';

const away = (persisted = false) =>
  dispatchEvent(new PageTransitionEvent('pagehide', { persisted }));

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

const ENDS: Record<string, (page: Page, binding: ReturnType<typeof bind>) => void | Promise<void>> =
  {
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

test.each(Object.entries(ENDS))(
  'when %s after a cancelled submit, fields, block and memory are empty',
  async (_, end) => {
    const memory = watchMemory(PARTS);
    const { page, binding } = await declined();
    expect(memory.everHeld(PARTS)).toBe(true);
    await end(page, binding);
    memory.unwatch();
    expect([values(page), blockIn(page), memory.holds()]).toEqual([EMPTY, null, 0]);
    expect(page.form.querySelector('[name=encrypted_card]')).toBe(null);
  },
);

test.each(Object.entries(ENDS))(
  'when %s, what a script wrote into value attributes is gone, too',
  async (_, end) => {
    const { page, binding } = await declined();
    const inputs = page.controls() as HTMLInputElement[];
    for (const input of inputs) input.setAttribute('value', input.value); // as a floating label does
    expect(page.form.outerHTML).toContain(KEPT[0]);
    await end(page, binding);
    expect([
      inputs.map(({ defaultValue }) => defaultValue),
      inputs.some((input) => input.hasAttribute('value')),
    ]).toEqual([EMPTY, false]);
    page.form.reset();
    expect(values(page)).toEqual(EMPTY);
    expect(page.form.outerHTML).not.toContain(KEPT[0]);
  },
);

test('emptying a select leaves nothing chosen', async () => {
  const expiry =
    '<select autocomplete="cc-exp-month"><option>11<option>12</select><input autocomplete="cc-exp-year">';
  const page = open(html({ expiry }));
  bind(page.form);
  const month = page.control('exp_month') as HTMLSelectElement;
  month.value = '12';
  away();
  expect(month.selectedIndex).toBe(-1);
});

test('a reset that a listener cancels keeps the card, and the same card brings the same block', async () => {
  const { page } = await declined();
  const block = blockIn(page);
  page.form.addEventListener('reset', (event) => event.preventDefault());
  page.form.reset();
  await settled(page);
  expect(values(page)).toEqual(KEPT);
  const passed = next(page.form, 'submit');
  page.button().click();
  await passed;
  expect(blockIn(page)).toBe(block);
});

test('a reset that a listener cancels keeps what the server has filled in', async () => {
  const page = open(html({ name: '<input autocomplete="cc-name" value="Ada Byrd">' }));
  page.form.addEventListener('reset', (event) => event.preventDefault());
  bind(page.form);
  page.form.reset();
  await settled(page);
  const name = page.control('name') as HTMLInputElement;
  expect([name.value, name.defaultValue]).toEqual(['Ada Byrd', 'Ada Byrd']);
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
  fill(page);
  page.form.reset();
  await settled(page);
  expect([values(page), ask.mock.calls.length, page.ready]).toEqual([EMPTY, 1, 1]);
  const after = await declined();
  after.page.form.reset();
  await settled(after.page);
  expect(after.ask).toHaveBeenCalledTimes(2);
  fill(after.page, OTHER);
  const passed = next(after.page.form, 'submit');
  after.page.button().click();
  await passed;
  expect(await decrypt(JSON.parse(blockIn(after.page)!))).toEqual(OTHER_CARD);
});

test('a reset after a block from a fixed key says nothing of the key', async () => {
  const { page } = await cancelled(html(), { key: freshKey() });
  page.form.reset();
  await settled(page);
  expect([page.errors, statusOf(page), values(page)]).toEqual([[], undefined, EMPTY]);
});

test('unbinding in the task of a reset: what a script wrote into value attributes is gone, too', async () => {
  const page = open();
  const binding = bind(page.form);
  page.control('number').setAttribute('value', TYPED.number);
  page.form.reset();
  binding.unbind();
  await settled(page);
  expect(page.control('number').hasAttribute('value')).toBe(false);
});

test('a when() that fails while the form’s data is collected: no block is in them', async () => {
  let fails = false;
  const { page } = await cancelled(html(), {
    when() {
      if (fails) throw new Error();
      return true;
    },
  });
  expect(blockIn(page)).not.toBe(null);
  fails = true;
  expect(blockIn(page)).toBe(null);
});

test('a reset before the first key has come does not hide that it comes', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise });
  page.form.reset();
  await settled(page);
  key.resolve(freshKey());
  await binding.ready;
  expect(page.ready).toBe(1);
});

test('a reset while a press waits for its key ends the press', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  page.form.reset();
  await settled(page);
  key.resolve(freshKey());
  await settled(page);
  expect([page.passes, encryptions(), statusOf(page), page.form.hasAttribute('aria-busy')]).toEqual(
    [0, 0, undefined, false],
  );
});

test.each(['unbind', 'bind again'])('%s keeps a card that no block was made from', async (how) => {
  const page = open();
  const binding = bind(page.form);
  fill(page);
  if (how === 'unbind') binding.unbind();
  else bind(page.form);
  expect(values(page)).toEqual(KEPT);
});

test.each(['unbind', 'bind again'])(
  '%s empties the fields if they hold the card of a block, and keeps another card',
  async (how) => {
    const again = (page: Page, binding: ReturnType<typeof bind>) =>
      how === 'unbind' ? binding.unbind() : void bind(page.form);
    const first = await declined();
    again(first.page, first.binding);
    expect(values(first.page)).toEqual(EMPTY);
    const second = await declined();
    fill(second.page, OTHER);
    again(second.page, second.binding);
    expect(values(second.page)).toEqual([OTHER.number, OTHER.name, OTHER.expiry, OTHER.cvv]);
  },
);

test('binding again while a press waits for its key: the card is kept, and the next press pays under the new binding', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  key.resolve(freshKey());
  await settled(page);
  expect([blocks, values(page)]).toEqual([[], KEPT]);
  page.button().click();
  await vi.waitUntil(() => blocks[0]);
  expect(await decrypt(blocks[0]!)).toEqual(CARD);
});

test('the card is emptied at pagehide in every bound form of the page', async () => {
  const pages = [open(), open()];
  for (const page of pages) bind(page.form);
  for (const page of pages) fill(page);
  away(true);
  expect(pages.map(values)).toEqual([EMPTY, EMPTY]);
});

test('an old answer does not make a newer key look young', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const page = open();
  const [old, current] = [deferred<CardEncryptionKey>(), freshKey()];
  const replacement = freshKey();
  const ask = vi
    .fn()
    .mockReturnValueOnce(old.promise)
    .mockReturnValueOnce(current)
    .mockReturnValueOnce(replacement);
  const handed: string[] = [];
  const onEncrypted = ({ key_id }: EncryptedCard) => void handed.push(key_id);
  const binding = bind(page.form, { key: ask, keyMaxAgeMs: 60_000, onEncrypted });
  await binding.restart();
  vi.setSystemTime(Date.now() + 59_000);
  old.resolve(freshKey());
  await binding.ready;
  vi.setSystemTime(Date.now() + 2000);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => handed[0]);
  expect([handed, ask.mock.calls.length]).toEqual([[replacement.id], 3]);
});

test('the clean-up of React StrictMode keeps a half-typed card', () => {
  const page = open();
  fill(page, { number: '4929' });
  const binding = bindCardForm(page.form, { key: freshKey() });
  binding.unbind();
  bind(page.form);
  expect(values(page)).toEqual(['4929', '', '', '']);
});

test('a wrong card after unbind() is the browser’s business alone', async () => {
  const page = open();
  const binding = bind(page.form);
  await refused(page);
  binding.unbind();
  const submit = next(page.form, 'submit');
  page.form.addEventListener('submit', (event) => event.preventDefault());
  page.button().click();
  expect((await submit).target).toBe(page.form);
});

describe('when the page has cancelled the submit', () => {
  test('and takes a control away, the next press is refused', async () => {
    const { page } = await cancelled();
    expect(blockIn(page)).not.toBe(null);
    page.control('cvv').remove();
    expect((await refused(page)).code).toBe('invalid_form');
    expect(page.passes).toBe(1);
  });

  test('an event of a field that has not changed leaves the block where it is', async () => {
    const { page } = await cancelled();
    page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
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

  test('fields that are empty already get no more events', async () => {
    const { page, binding } = await cancelled();
    await binding.restart();
    let events = 0;
    page.form.addEventListener('change', () => {
      events += 1;
    });
    binding.unbind();
    expect(events).toBe(0);
  });
});
