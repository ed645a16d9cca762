/** What is emptied, zeroed and forgotten when the page is left, reset, restarted or unbound. */
import { describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormBinding } from '../../src/form/index.ts';
import { freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
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
});
