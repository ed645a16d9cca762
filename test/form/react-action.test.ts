/** A form whose action is a function, as React 19 has it. */
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import { bind, CARD, CONTROLS, later, OTHER, OTHER_CARD, TYPED } from '../tools/support/form.ts';

async function render(action: (data: FormData) => void | Promise<void>) {
  const host = document.body.appendChild(document.createElement('main'));
  const root = createRoot(host);
  later(() => {
    root.unmount();
    host.remove();
  });
  const inner = {
    __html: `${Object.values(CONTROLS).join('')}<input name="email" value="z@example.com"><button name="how" value="card">Pay</button>`,
  };
  root.render(
    createElement('form', { action }, createElement('div', { dangerouslySetInnerHTML: inner })),
  );
  const form = await vi.waitUntil(() => host.querySelector('form'));
  const fill = ({ number, name, expiry, cvv }: typeof TYPED) =>
    [number, name, expiry, cvv].forEach((value, i) => {
      form.querySelectorAll('input')[i]!.value = value;
    });
  return { form, fill, press: () => form.querySelector('button')!.click() };
}

test('the function gets the block with the other fields once; React resets the form, and the next card has a block of its own', async () => {
  const got: FormData[] = [];
  const { form, fill, press } = await render((data) => void got.push(data));
  bind(form);
  fill(TYPED);
  press();
  await vi.waitUntil(() => got.length === 1);
  const number = form.querySelector('input')!;
  await vi.waitUntil(() => number.value === '' && !form.querySelector('[name=encrypted_card]'));
  await new Promise((resolve) => setTimeout(resolve)); // no shopper types before the reset is over
  fill(OTHER);
  press();
  await vi.waitUntil(() => got.length === 2);
  const all = got.map((data) => Object.fromEntries(data));
  const others = { email: 'z@example.com', how: 'card', encrypted_card: expect.any(String) };
  expect(all[0]).toEqual(others);
  const blocks = all.map(({ encrypted_card }) => JSON.parse(encrypted_card as string));
  expect(await Promise.all(blocks.map(decrypt))).toEqual([CARD, OTHER_CARD]);
});
