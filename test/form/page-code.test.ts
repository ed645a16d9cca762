/** What code of the page does while a press passes belongs to that press. */
import { expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  CARD,
  cancelled,
  fill,
  KEPT,
  letSubmitsGo,
  next,
  OTHER,
  open,
  type Page,
  posted,
  settled,
  statusOf,
  testRealInput,
  user,
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

test.each<[string, (page: Page) => void]>([
  ['makes the fields read-only', (page) => setAll(page, 'readOnly', true)],
  ['disables the fields', (page) => setAll(page, 'disabled', true)],
  ['empties the fields', (page) => fill(page, { number: '', name: '', expiry: '', cvv: '' })],
  ['masks the number', (page) => fill(page, { number: '**** 6509' })],
  ['removes the fields', (page) => page.controls().forEach((control) => void control.remove())],
  ['resets the form', (page) => page.form.reset()],
])('a page that %s in its submit listener sends the block', async (_, lock) => {
  const page = open();
  bind(page.form);
  page.form.addEventListener('submit', () => lock(page));
  fill(page);
  const [sent] = await posted(page);
  const [[name, block]] = sent!.body as [[string, string]];
  expect(name).toBe('encrypted_card');
  expect(await decrypt(JSON.parse(block))).toEqual(CARD);
});

function setAll(page: Page, name: 'readOnly' | 'disabled', value: boolean): void {
  for (const control of page.controls()) Reflect.set(control, name, value);
}

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

/** As a page that asks first: no task runs while `confirm()` is shown. */
const confirmFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

testRealInput(
  'a click handler that asks by confirm(): a press afterwards is the shopper’s',
  async () => {
    const page = open();
    letSubmitsGo(page);
    const handed = vi.fn(() => new Promise<void>(() => {}));
    await bind(page.form, { onEncrypted: handed }).ready;
    page.button().addEventListener('click', () => confirmFor(150));
    fill(page);
    await user.click(page.button());
    await vi.waitUntil(() => handed.mock.calls.length === 1);
    await user.click(page.button());
    expect([page.passes, handed.mock.calls.length]).toEqual([0, 1]);
    expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
  },
);

test('another whole card that a script writes after the press takes the block out of the data', async () => {
  const { page } = await cancelled();
  fill(page, { number: '**** 6509' });
  expect(blockIn(page)).not.toBe(null); // a mask is no other card
  fill(page, OTHER);
  expect(blockIn(page)).toBe(null);
});
