/** A retry with the block of a card whose fields the library has emptied. */
import { expect, test, vi } from 'vitest';
import {
  bind,
  blockIn,
  CONTROLS,
  EMPTY,
  fill,
  open,
  settled,
  statusOf,
  TYPED,
  values,
} from '../tools/support/form.ts';

const REQUIRED = Object.values(CONTROLS).join('').replaceAll('<input', '<input required');
const CARD_BUTTON = '<button type="button" data-cardseal-button>Send</button>';

/** A page of required fields whose card button has sent the block, and got no answer. */
async function lost(fields = REQUIRED) {
  const page = open(fields + CARD_BUTTON);
  const binding = bind(page.form);
  fill(page, { ...TYPED, given_name: 'Zoë', family_name: 'Quillow' });
  page.button('Send').click();
  await vi.waitUntil(() => page.form.querySelector('[name=encrypted_card]')); // collects nothing
  await settled(page);
  return { page, binding };
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

test.each([
  ['given_name', 'Ada'],
  ['number', '4'],
  ['expiry', '1'],
  ['cvv', '1'],
] as const)(
  '%s in the emptied fields begins another card: all are required again',
  async (field, value) => {
    const names =
      '<input required data-cardseal-field="given_name"> <input autocomplete="cc-family-name">';
    const { page } = await lost(REQUIRED.replace('<input required autocomplete="cc-name">', names));
    page.control(field).value = value;
    page.control(field).dispatchEvent(new Event('input', { bubbles: true }));
    expect(page.controls().filter((control) => control.required).length).toBe(4);
    expect(blockIn(page)).toBe(null);
  },
);

test('unbind() leaves the fields as required as they were', async () => {
  const [first, ...others] = REQUIRED.split('required');
  const { page, binding } = await lost(first + others.join('required="required"'));
  binding.unbind();
  const required = page.controls().map((control) => control.getAttribute('required'));
  expect(required).toEqual([null, 'required', 'required', 'required']);
});

test('a block that has not left the form: the shopper reads so at the next press at the latest', async () => {
  const { page } = await lost(); // its handler sends nothing
  page.button('Send').click();
  await settled(page);
  expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
});
