/** What code of the page does while a press passes belongs to that press. */
import { expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import {
  BUTTON,
  bind,
  blockIn,
  CARD,
  CONTROLS,
  cancelled,
  fill,
  KEPT,
  next,
  OTHER,
  open,
  type Page,
  posted,
  settled,
  statusOf,
  values,
} from '../tools/support/form.ts';

test('form.submit() after the card is encrypted sends the block', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault()); // as a page does that asks something first
  bind(page.form);
  fill(page);
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
  const arrived = page.arrived();
  page.form.submit();
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

const FIELDS = Object.values(CONTROLS).join('');

test.each<[string, (page: Page) => void]>([
  ['disables the fields', (page) => fieldset(page).setAttribute('disabled', '')],
  ['removes the fields', (page) => fieldset(page).remove()],
  ['resets the form', (page) => page.form.reset()],
])('a page that %s in its submit listener sends the block', async (_, lock) => {
  const page = open(`<fieldset>${FIELDS}</fieldset>${BUTTON}`);
  bind(page.form);
  page.form.addEventListener('submit', () => lock(page));
  fill(page);
  const [sent] = await posted(page);
  const [[name, block]] = sent!.body as [[string, string]];
  expect(name).toBe('encrypted_card');
  expect(await decrypt(JSON.parse(block))).toEqual(CARD);
});

const fieldset = ({ form }: Page) => form.querySelector('fieldset')!;

test('a submit event that a script makes sends nothing by itself: the next press is sent', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  page.form.addEventListener('submit', (event) => event.preventDefault(), { once: true });
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  for (const passes of [2, 3]) {
    page.form.dispatchEvent(new Event('submit')); // which nothing can cancel
    await settled(page);
    expect([page.passes, statusOf(page)]).toEqual([passes, undefined]);
  }
  expect(values(page)).toEqual(KEPT);
});

test('another whole card that a script writes after the press takes the block out of the data', async () => {
  const { page } = await cancelled();
  fill(page, { number: '**** 6509' });
  expect(blockIn(page)).not.toBe(null); // a mask is no other card
  fill(page, OTHER);
  expect(blockIn(page)).toBe(null);
});
