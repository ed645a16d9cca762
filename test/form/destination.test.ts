/** Where the browser sends the form, and where its answer is shown. */
import { expect, test, vi } from 'vitest';
import type { EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  EMPTY,
  fill,
  html,
  KEPT,
  later,
  leaving,
  OTHER,
  OTHER_CARD,
  open,
  passed,
  posted,
  refused,
  settled,
  statusOf,
  values,
} from '../tools/support/form.ts';

test('a target elsewhere: after the dispatch the fields are empty, the block is gone, and the next press has another key', async () => {
  const page = open(); // it posts into a frame
  bind(page.form);
  fill(page);
  await posted(page);
  await vi.waitUntil(() => page.ready === 2);
  expect([values(page), blockIn(page)]).toEqual([EMPTY, null]);
  expect((await refused(page)).code).toBe('invalid_card');
  fill(page, OTHER);
  const [first, second] = (await posted(page)).map(
    ({ body }) => JSON.parse(body[0]![1]) as EncryptedCard,
  );
  expect([await decrypt(first!), await decrypt(second!)]).toEqual([CARD, OTHER_CARD]);
  expect(second!.key_id).not.toBe(first!.key_id);
});

test('a target elsewhere: a fixed key is not asked for again, and nothing is said', async () => {
  const page = open();
  bind(page.form, { key: freshKey() });
  fill(page);
  await posted(page);
  await settled(page);
  expect([page.errors, statusOf(page)]).toEqual([[], undefined]);
});

test.each(['', '_self', '_SELF', '_parent', '_top', 'shop'])(
  'formtarget="%s" of the button, in a window of the name "shop": the block waits for the next page',
  async (target) => {
    const { name } = window;
    later(() => {
      window.name = name;
    });
    window.name = 'shop';
    const page = leaving(`${html()}<button formtarget="${target}">Here</button>`);
    page.form.target = 'another frame';
    bind(page.form);
    fill(page);
    await passed(page, page.button('Here'));
    await settled(page);
    expect(blockIn(page)).not.toBe(null);
  },
);

test('a form without a target has the one of the page: the answer is elsewhere, and the block goes', async () => {
  const base = document.head.appendChild(document.createElement('base'));
  later(() => base.remove());
  const page = leaving();
  base.target = page.host.parentElement!.querySelector('iframe')!.name;
  page.form.removeAttribute('target');
  bind(page.form);
  fill(page);
  await passed(page);
  await settled(page);
  expect([blockIn(page), values(page)]).toEqual([null, EMPTY]);
});

test('a target that opens a window is refused, at binding and at the press: Safari blocks the window', async () => {
  const page = open();
  page.form.target = '_blank';
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
  fill(page);
  const error = await refused(page);
  expect([error.code, page.passes, values(page)]).toEqual(['invalid_form', 0, KEPT]);
  expect(statusOf(page)).toBe('Card payment is not available at the moment. Nothing was sent.');
});

test('a button whose formtarget opens a window is refused; another button pays', async () => {
  const page = open(`${html()}<button formtarget="_blank">Window</button>`);
  await bind(page.form).ready;
  fill(page);
  expect((await refused(page, page.button('Window'))).code).toBe('invalid_form');
  expect((await posted(page)).length).toBe(1);
});

test('a target that names no frame of the page opens a window, and is refused', async () => {
  const page = open();
  page.form.target = 'nowhere';
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
});

test("a bank's frame declines: the next press pays with another card, under another key", async () => {
  const page = open(); // it posts into a frame of the page
  const binding = bind(page.form);
  fill(page);
  await posted(page);
  await vi.waitUntil(() => page.ready === 2);
  expect([values(page), blockIn(page), binding.isBusy]).toEqual([EMPTY, null, false]);
  fill(page, OTHER); // the frame has said that the card is declined
  const [first, second] = (await posted(page)).map(blockOf);
  expect([await decrypt(first!), await decrypt(second!)]).toEqual([CARD, OTHER_CARD]);
  expect(second!.key_id).not.toBe(first!.key_id);
});
