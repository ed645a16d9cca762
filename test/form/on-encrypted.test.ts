/** `onEncrypted`: the block is handed to code of the page, which sends it by itself. */
import { expect, test, vi } from 'vitest';
import type { EncryptedCard } from '../../src/core/index.ts';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  clickAsShopper,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
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
  testRealInput,
  user,
  values,
} from '../tools/support/form.ts';

test('onEncrypted is called instead of the submit, with the block and the button, and with the fields empty', async () => {
  const page = open(`${html()}<button formaction="?where=elsewhere">Later</button>`);
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

test('onEncrypted that calls requestSubmit(): the browser sends the form, with the block', async () => {
  const page = open();
  bind(page.form, { onEncrypted: () => page.form.requestSubmit() });
  fill(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

testRealInput(
  'a press with empty fields hands over the same block; a card that is begun has to be whole, and gets a new one',
  async () => {
    const page = open();
    const blocks: EncryptedCard[] = [];
    bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
    fill(page);
    for (const presses of [1, 2]) {
      await clickAsShopper(page);
      await vi.waitUntil(() => blocks.length === presses);
      await idle(page);
    }
    expect(blocks[1]).toEqual(blocks[0]);
    for (const value of ['4', '']) change(page, value); // begun, and cleared again
    await clickAsShopper(page);
    await settled(page);
    expect([page.errors.map(({ code }) => code), blocks.length]).toEqual([['invalid_card'], 2]);
    fill(page, OTHER);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 3);
    expect(await decrypt(blocks[2]!)).toEqual(OTHER_CARD);
    expect(blocks[2]!.key_id).not.toBe(blocks[0]!.key_id);
  },
);

/** Types into the number, as far as a script can. */
function change(page: Page, value: string) {
  page.control('number').value = value;
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
}

testRealInput(
  'a digit typed while onEncrypted works begins another card when it is done',
  async () => {
    const page = open();
    const working = deferred<void>();
    bind(page.form, { onEncrypted: () => working.promise });
    fill(page);
    page.button().click();
    await vi.waitUntil(() => blockIn(page));
    change(page, '5');
    expect(blockIn(page)).not.toBe(null); // onEncrypted may still submit it
    working.resolve();
    await idle(page);
    await settled(page);
    expect(blockIn(page)).toBe(null);
    await clickAsShopper(page);
    expect(page.errors.map(({ code }) => code)).toEqual(['invalid_card']);
  },
);

test('another press while it is pending has no block and ends the card press, and the shopper reads that', async () => {
  const page = open(`${html()}<button data-cardseal-skip>Coupon</button>`);
  const pending = deferred<void>();
  const seen: (string | null)[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    seen.push(blockIn(page));
  });
  bind(page.form, {
    async onEncrypted() {
      await pending.promise;
      page.form.requestSubmit();
    },
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => blockIn(page));
  page.button('Coupon').click();
  const isSettled = next(page.form, 'cardseal:settled');
  setTimeout(() => pending.resolve()); // in a task of its own
  await isSettled;
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(seen).toEqual([null]); // the coupon's
});

testRealInput(
  'it rejects: the shopper reads that there is no answer, the developer gets the error, and the next press brings the same block',
  async () => {
    const encryptions = countEncryptions();
    const page = open();
    const blocks: EncryptedCard[] = [];
    const reason = new Error('the network');
    bind(page.form, {
      async onEncrypted(block) {
        blocks.push(block);
        if (blocks.length === 1) throw reason;
      },
    });
    const report = vi.mocked(window.reportError);
    fill(page);
    await clickAsShopper(page);
    await vi.waitUntil(() => report.mock.calls.length > 0);
    expect(report).toHaveBeenCalledExactlyOnceWith(reason);
    await idle(page);
    expect([page.errors, statusOf(page)]).toEqual([
      [],
      'There is no answer yet. Press the button again.',
    ]);
    await clickAsShopper(page);
    await vi.waitUntil(() => blocks.length === 2);
    expect([blocks[1], encryptions(), statusOf(page)]).toEqual([blocks[0], 1, undefined]);
  },
);

test('reports without reportError, too: Chrome 94 and Firefox 92 have none', async () => {
  const report = window.reportError;
  window.reportError = undefined as never;
  later(() => {
    window.reportError = report;
  });
  const page = open();
  const reason = new Error('the network');
  bind(page.form, { onEncrypted: () => Promise.reject(reason) });
  const reported = uncaught();
  fill(page);
  page.button().click();
  expect(await reported).toBe(reason);
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
    page.control('cvv').focus();
    for (const press of [() => user.click(page.button()), () => user.keyboard('{Enter}')]) {
      await press();
      expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
    }
    for (const control of page.controls()) control.disabled = true; // as a page that locks its form
    await user.click(page.button());
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
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  await press(page);
  await vi.waitUntil(() => blocks.length === 2);
  expect(await decrypt(blocks[1]!)).toEqual(OTHER_CARD);
});

testRealInput(
  'its answer comes late: after 30 seconds the shopper reads that there is none, until there is',
  async () => {
    const page = open();
    const answer = deferred<void>();
    const onEncrypted = vi.fn(() => answer.promise);
    await bind(page.form, { onEncrypted }).ready;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    fill(page);
    page.button().click();
    await vi.advanceTimersByTimeAsync(100);
    await vi.waitUntil(() => onEncrypted.mock.calls[0]);
    await vi.advanceTimersByTimeAsync(29_800);
    expect(statusOf(page)).toBe(undefined);
    await vi.advanceTimersByTimeAsync(200);
    vi.useRealTimers();
    expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
    answer.resolve();
    await settled(page);
    expect(statusOf(page)).toBe(undefined);
  },
);
