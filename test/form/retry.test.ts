/** A retry with the block of a card whose fields the library has emptied. */
import { expect, test, vi } from 'vitest';
import type { EncryptedCard } from '../../src/core/index.ts';
import { decrypt } from '../tools/support/core.ts';
import {
  BUTTON,
  bind,
  blockIn,
  CONTROLS,
  clickAsShopper,
  EMPTY,
  fill,
  html,
  leaving,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  posted,
  settled,
  statusOf,
  testRealInput,
  values,
} from '../tools/support/form.ts';

test('30 seconds later a press sends the same block at once, although the empty fields are required', async () => {
  const page = leaving(html().replaceAll('<input', '<input required'));
  const blocks: (string | null)[] = [];
  page.form.addEventListener('submit', () => blocks.push(blockIn(page)));
  await bind(page.form).ready;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  fill(page);
  page.button().click();
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitUntil(() => page.passes === 1);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(values(page)).toEqual(EMPTY);
  expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
  page.button().click();
  expect(blocks.length).toBe(2);
  expect(blocks[1]).toBe(blocks[0]);
});

const REQUIRED = Object.values(CONTROLS).join('').replaceAll('<input', '<input required');
const CARD_BUTTON = '<button type="button" data-cardseal-button>Send</button>';

/** A page of required fields whose card button has sent the block, and got no answer. */
async function lost(content = REQUIRED + CARD_BUTTON, onClick = (_: Page) => {}) {
  const page = open(content);
  const blocks: (string | null)[] = [];
  page.button('Send').addEventListener('click', () => {
    onClick(page);
    blocks.push(blockIn(page));
  });
  const binding = bind(page.form);
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => blocks.length === 1);
  await settled(page);
  return { page, blocks, binding };
}

test('the emptied fields are not required until the block is dropped', async () => {
  const { page, binding } = await lost();
  const required = () => page.controls().map((control) => control.required);
  expect([values(page), required(), page.form.checkValidity()]).toEqual([
    EMPTY,
    [false, false, false, false],
    true,
  ]);
  await binding.restart();
  expect(required()).toEqual([true, true, true, true]);
});

test('a field that is changed begins another card: all are required again', async () => {
  const { page } = await lost();
  page.control('number').value = '5';
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  expect(page.controls().map((control) => control.required)).toEqual([true, true, true, true]);
  expect(blockIn(page)).toBe(null);
});

test('unbind() leaves the fields as required as they were', async () => {
  const { page, binding } = await lost(REQUIRED.replace('required', '') + CARD_BUTTON);
  binding.unbind();
  expect(page.controls().map((control) => control.required)).toEqual([false, true, true, true]);
});

test('a click handler that asks checkValidity() first sends the same block again', async () => {
  const refusals: boolean[] = [];
  const { page, blocks } = await lost(undefined, ({ form }) =>
    refusals.push(!form.checkValidity()),
  );
  page.button('Send').click();
  await vi.waitUntil(() => blocks.length === 2);
  expect([refusals, blocks[1] === blocks[0]]).toEqual([[false, false], true]);
});

test('a card button whose handler submits later, by requestSubmit(), sends the block', async () => {
  const page = open(REQUIRED + CARD_BUTTON);
  page.button('Send').addEventListener('click', () => {
    setTimeout(() => page.form.requestSubmit(), 50);
  });
  bind(page.form);
  fill(page);
  const [sent] = await posted(page, page.button('Send'));
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

test.each(['requestSubmit', 'submit'] as const)(
  'a card button whose handler hides the fields, and calls %s() later, sends the block',
  async (how) => {
    const page = open(REQUIRED + CARD_BUTTON);
    page.button('Send').addEventListener('click', () => {
      for (const control of page.controls()) control.hidden = true;
      setTimeout(() => page.form[how](), 50);
    });
    bind(page.form);
    fill(page);
    const [sent] = await posted(page, page.button('Send'));
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
  },
);

test('a card typed again after a lost request is another block, under another key', async () => {
  const { page, blocks } = await lost();
  fill(page, OTHER);
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  page.button('Send').click();
  await vi.waitUntil(() => blocks.length === 2);
  const [first, second] = blocks.map((block) => JSON.parse(block!) as EncryptedCard);
  expect(await decrypt(second!)).toEqual(OTHER_CARD);
  expect(second!.key_id).not.toBe(first!.key_id);
});

test('a block that has not left the form: the shopper reads so at the next press at the latest', async () => {
  const page = open(REQUIRED + CARD_BUTTON); // its handler sends nothing
  const handler = vi.fn();
  page.button('Send').addEventListener('click', handler);
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => handler.mock.calls.length === 1);
  await settled(page);
  page.button('Send').click();
  await settled(page);
  expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
});

testRealInput(
  'onEncrypted: a second press of empty required fields brings the same block',
  async () => {
    const page = open(REQUIRED + BUTTON);
    const ids: string[] = [];
    bind(page.form, { onEncrypted: ({ key_id }) => void ids.push(key_id) });
    fill(page);
    for (const presses of [1, 2]) {
      await clickAsShopper(page);
      await vi.waitUntil(() => ids.length === presses);
      await settled(page);
    }
    expect(ids[1]).toBe(ids[0]);
  },
);
