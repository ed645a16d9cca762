/** The rule for a press: what is sent, when, and how often. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import type { CardFormBinding, CardFormOptions } from '../../src/form/index.ts';
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
  later,
  letSubmitsGo,
  next,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  posted,
  pressEnter,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  user,
  values,
  wrongFields,
} from '../tools/support/form.ts';

/** A page whose own submit listener cancels every submit; `blocks` has the block of each. */
function cancelling(content = html()) {
  const page = open(content);
  const blocks: (string | null)[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    blocks.push(blockIn(page));
  });
  return { page, blocks };
}

const press = async (page: Page, button = page.button()) => {
  button.click();
  await settled(page);
};

/** Presses until a submit gets past the library. */
const passed = async (page: Page, button = page.button()) => {
  const submit = next<SubmitEvent>(page.form, 'submit');
  button.click();
  return submit;
};

test('a cancelled submit leaves the fields and the block, and the same card brings the same block', async () => {
  const encryptions = countEncryptions();
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  expect([values(page), blockIn(page)]).toEqual([KEPT, blocks[0]]);
  await passed(page);
  expect(blocks[1]).toBe(blocks[0]);
  expect(encryptions()).toBe(1);
});

test('another card after a cancelled submit is the card that is sent, under another key', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  fill(page, OTHER); // without an event, as autofill may
  await passed(page);
  const [first, second] = blocks.map((block) => JSON.parse(block!) as EncryptedCard);
  expect([await decrypt(first!), await decrypt(second!)]).toEqual([CARD, OTHER_CARD]);
  expect(second!.key_id).not.toBe(first!.key_id);
});

test.each([
  ['number', '1234'],
  ['name', ''],
  ['expiry', '13/49'],
  ['cvv', 'x'],
])(
  'nonsense in %s after a cancelled submit is refused, and nothing is sent',
  async (field, nonsense) => {
    const { page, blocks } = cancelling();
    bind(page.form);
    fill(page);
    await passed(page);
    await idle(page);
    fill(page, { [field]: nonsense });
    expect((await refused(page)).code).toBe('invalid_card');
    expect([blocks.length, blockIn(page)]).toEqual([1, null]);
  },
);

test('a changed field takes the block out of the form at once, and the old card brings it back', async () => {
  const encryptions = countEncryptions();
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  page.control('cvv').value = '9';
  page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
  expect(page.form.querySelector('[name=encrypted_card]')).toBe(null);
  page.control('cvv').value = TYPED.cvv;
  await passed(page);
  expect([blocks[1] === blocks[0], encryptions()]).toEqual([true, 1]);
});

test('form data that the page collects after the card changed without an event has no block', async () => {
  const { page } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  expect(blockIn(page)).not.toBe(null);
  page.control('cvv').value = '999';
  expect(blockIn(page)).toBe(null);
});

test('the listeners of the page run once per press, with the fields filled and the block in a hidden input', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  const seen: string[] = [];
  const look = (event: Event) => {
    event.preventDefault();
    // As $(form).serialize() does: it reads the controls that have names.
    const named = [...page.form.querySelectorAll<HTMLInputElement>('input[name]')];
    const serialized = named.map(({ name, value }) => `${name}=${value}`);
    expect(serialized.slice(1)).toEqual([
      `encrypted_card=${new FormData(page.form).get('encrypted_card')}`,
    ]);
    expect(serialized[0]).toBe('email=z@example.com');
    expect(values(page)).toEqual(KEPT);
    seen.push(serialized[1]!);
  };
  page.form.addEventListener('submit', look);
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  await passed(page);
  expect(seen.length).toBe(2);
  const block = JSON.parse(seen[0]!.slice('encrypted_card='.length));
  expect(await decrypt(block)).toEqual(CARD);
});

test('form.submit() in a submit listener of the page sends the block', async () => {
  const { page } = cancelling();
  page.form.addEventListener('submit', () => page.form.submit());
  bind(page.form);
  fill(page);
  const [sent, more] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
  expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(CARD);
  expect(more).toBeUndefined();
});

test('the block is in the form when cardseal:encrypted is raised', async () => {
  const { page } = cancelling();
  const blocks: (string | null)[] = [];
  page.form.addEventListener('cardseal:encrypted', () => blocks.push(blockIn(page)));
  bind(page.form);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
});

test('a submit that a listener stops before it reaches the form counts as cancelled', async () => {
  const page = open();
  bind(page.form);
  const stopped = vi.fn((event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  window.addEventListener('submit', stopped, { capture: true, once: true });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => stopped.mock.calls[0]);
  await idle(page);
  expect([page.passes, values(page)]).toEqual([0, KEPT]);
  expect((await posted(page)).length).toBe(1);
});

test('a press that a listener of the page cancelled before the library sees it is left alone', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const asked = vi.fn();
  bind(page.form);
  page.form.addEventListener('cardseal:submit', asked);
  fill(page);
  const press = new SubmitEvent('submit', { bubbles: true, cancelable: true });
  press.preventDefault();
  page.form.dispatchEvent(press);
  await settled(page);
  expect([asked.mock.calls, encryptions(), page.passes]).toEqual([[], 0, 1]);
});

test.each([
  ['another card', { ...TYPED, cvv: '999' }],
  ['another name', { ...TYPED, name: 'Ada Lovelace' }],
])(
  '%s typed while the key is awaited: nothing is sent, and the shopper is asked to press again',
  async (_, typed) => {
    const encryptions = countEncryptions();
    const page = open();
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    page.button().click();
    fill(page, typed);
    key.resolve(freshKey());
    await idle(page);
    await settled(page);
    expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
    expect([page.passes, encryptions(), values(page)]).toEqual([
      0,
      0,
      [typed.number, typed.name, typed.expiry, typed.cvv],
    ]);
    const [sent] = await posted(page);
    const card = { ...CARD, name: typed.name, cvv: typed.cvv };
    expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(card);
  },
);

test('a card that becomes invalid while the key is awaited is refused, with its own message', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  fill(page, { cvv: '1' });
  key.resolve(freshKey());
  await idle(page);
  expect(page.errors.map(({ code, field }) => [code, field])).toEqual([['invalid_card', 'cvv']]);
  expect(textRead(page)).toBe('Check the security code');
  expect(encryptions()).toBe(0);
});

test('a shopper who types elsewhere while the key is awaited does not end the press', async () => {
  const page = open(`${html()}<input name="comment">`);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const comment = page.form.querySelector<HTMLInputElement>('[name=comment]')!;
  comment.dispatchEvent(new Event('input', { bubbles: true }));
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect(Object.fromEntries((await arrived)[0]!.body).encrypted_card).toBeTruthy();
});

test('a when() that restarts the form while the key is awaited ends the press without a word', async () => {
  const page = open();
  const answer = deferred<void>();
  let isAwaited = false;
  const binding: CardFormBinding = bind(page.form, {
    key: () => answer.promise.then(() => freshKey()),
    when() {
      if (isAwaited) binding.restart();
      return !isAwaited;
    },
  });
  fill(page);
  page.button().click();
  isAwaited = true;
  answer.resolve();
  await vi.waitUntil(() => values(page)[0] === '');
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
});

test('a name that cannot be encrypted is not reported any more when the press has ended', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  let isAwaited = false;
  const binding: CardFormBinding = bind(page.form, {
    key: () => key.promise,
    when() {
      if (isAwaited) queueMicrotask(() => binding.restart()); // before the encryption has failed
      return true;
    },
  });
  fill(page, { ...TYPED, name: 'Z\u0001' });
  page.button().click();
  isAwaited = true;
  key.resolve(freshKey());
  await vi.waitUntil(() => values(page)[0] === '');
  await settled(page);
  expect(wrongFields(page)).toEqual([]);
});

test('restart() before the submit is repeated ends the press without a word', async () => {
  const page = open();
  const binding = bind(page.form);
  page.form.addEventListener('cardseal:encrypted', () => {
    setTimeout(() => binding.restart());
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.ready === 2);
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
});

test('another payment method chosen while the key is awaited: nothing is sent, and the shopper is asked to press again', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  let isCard = true;
  bind(page.form, { key: () => key.promise, when: () => isCard });
  fill(page);
  page.button().click();
  isCard = false;
  key.resolve(freshKey());
  await idle(page);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect([page.passes, encryptions()]).toEqual([0, 0]);
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([]);
});

test('a block that is older than keyMaxAgeMs is replaced', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { page, blocks } = cancelling();
  bind(page.form, { keyMaxAgeMs: 60_000 });
  fill(page);
  await passed(page);
  await idle(page);
  vi.setSystemTime(Date.now() + 55_000); // waiting moves the clock, too
  await passed(page);
  expect(blocks[1]).toBe(blocks[0]);
  vi.setSystemTime(Date.now() + 60_001);
  await passed(page);
  expect(blocks[2]).not.toBe(blocks[0]);
  expect(await decrypt(JSON.parse(blocks[2]!))).toEqual(CARD);
});

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

test('a second press right after a submit that passes sends nothing', async () => {
  const { page } = await cancelled();
  letSubmitsGo(page);
  page.button().click();
  page.button().click();
  await settled(page);
  expect(page.passes).toBe(2);
  expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
});

function leaving(content = html()) {
  const page = open(content);
  letSubmitsGo(page);
  return page;
}

test('a listener of the submit that restarts the form opens it', async () => {
  const page = leaving();
  const binding = bind(page.form);
  const restart = () => void binding.restart();
  page.form.addEventListener('submit', restart, { once: true });
  fill(page);
  await passed(page);
  await vi.waitUntil(() => page.ready === 2);
  fill(page, OTHER);
  await passed(page);
  expect(page.passes).toBe(2);
});

test.each([
  ['unbind()', 1],
  ['restart()', 2],
] as const)('a target elsewhere: after %s no other key is asked for', async (what, asked) => {
  const page = open(); // it posts into a frame
  const key = vi.fn(() => freshKey());
  const binding = bind(page.form, { key });
  const end = () => void (what === 'unbind()' ? binding.unbind() : binding.restart());
  page.form.addEventListener('submit', () => {
    setTimeout(end); // before the form's own timer
  });
  fill(page);
  await posted(page);
  await settled(page);
  expect([key.mock.calls.length, page.ready]).toEqual([asked, asked]);
});

test('a target elsewhere: a fixed key is not asked for again, and nothing is said', async () => {
  const page = open();
  bind(page.form, { key: freshKey() });
  fill(page);
  await posted(page);
  await settled(page);
  expect([page.errors, statusOf(page)]).toEqual([[], undefined]);
});

test('another way to pay, chosen while a card payment is under way, does not end it', async () => {
  const page = leaving();
  let isCard = true;
  bind(page.form, { when: () => isCard });
  fill(page);
  await passed(page);
  await settled(page);
  isCard = false;
  page.button().click();
  expect(page.passes).toBe(2);
  isCard = true;
  page.button().click();
  expect([page.passes, statusOf(page)]).toEqual([2, 'Your payment is under way. Please wait.']);
});

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
  page.button().click();
  expect(blocks.length).toBe(2);
  expect(blocks[1]).toBe(blocks[0]);
});

test('formnovalidate: a control of the page that is not valid does not hold up a block that is there', async () => {
  const { page, blocks } = cancelling(
    `${html()}<input name="email" required><button formnovalidate>Anyway</button>`,
  );
  bind(page.form);
  fill(page);
  await passed(page, page.button('Anyway'));
  await idle(page);
  page.button('Anyway').click();
  expect(blocks.length).toBe(2);
  expect(blocks[1]).toBe(blocks[0]);
});

test('a page that makes its button another kind while it waits still sends, and the next card is its own', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  const button = page.button();
  page.form.addEventListener('cardseal:submit', () => {
    button.type = 'button';
  });
  fill(page);
  await passed(page, button);
  await idle(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
  button.type = 'submit';
  fill(page, OTHER);
  await passed(page, button);
  expect(await decrypt(JSON.parse(blocks[1]!))).toEqual(OTHER_CARD);
});

test('the card is changed during its encryption: no script gets a block, and the shopper reads why', async () => {
  const page = open();
  const binding = bind(page.form);
  await binding.ready;
  const ciphertext = deferred<ArrayBuffer>();
  const encrypt = vi.spyOn(crypto.subtle, 'encrypt').mockReturnValueOnce(ciphertext.promise);
  fill(page);
  const block = binding.encrypt();
  await vi.waitUntil(() => encrypt.mock.calls.length === 1);
  fill(page, OTHER);
  ciphertext.resolve(new ArrayBuffer(256));
  expect(await block).toBe(undefined);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
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
  base.target = 'another frame';
  const page = leaving();
  page.form.removeAttribute('target');
  bind(page.form);
  fill(page);
  await passed(page);
  await settled(page);
  expect([blockIn(page), values(page)]).toEqual([null, EMPTY]);
});

test('a form whose submit would open a window is not submitted when Safari would block the window', async () => {
  const encryptions = countEncryptions();
  const { page, blocks } = cancelling();
  page.form.target = '_blank';
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  await new Promise((resolve) => setTimeout(resolve, 1000)); // Safari has forgotten the press
  key.resolve(freshKey());
  await vi.waitUntil(() => page.encrypted.length === 1);
  await idle(page);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect(blocks).toEqual([]);
  const submit = next(page.form, 'submit');
  page.button().click();
  expect(blocks.length).toBe(1); // at once: the block is fresh
  await submit;
  expect([statusOf(page), encryptions()]).toEqual([undefined, 1]);
});

test('a form whose submit opens no window is submitted although its key comes late', async () => {
  const late = deferred<void>();
  const pages = [open(), open()]; // each has a frame of its own
  pages[1]!.form.target = '_self';
  for (const page of pages) {
    page.form.addEventListener('submit', (event) => event.preventDefault());
    bind(page.form, { key: () => late.promise.then(() => freshKey()) });
    fill(page);
    page.button().click();
  }
  await new Promise((resolve) => setTimeout(resolve, 1000)); // Safari has forgotten the press
  late.resolve();
  for (const page of pages) await vi.waitUntil(() => page.passes === 1);
});

test('a listener that makes up another submit does not open a form that is on its way', async () => {
  const page = leaving();
  bind(page.form);
  fill(page);
  const makeUp = () => page.form.dispatchEvent(new Event('submit'));
  page.form.addEventListener('submit', makeUp, { once: true });
  await press(page);
  await vi.waitUntil(() => page.passes > 0);
  await settled(page);
  const before = page.passes; // Firefox has no such event while it submits
  await press(page);
  expect([page.passes - before, statusOf(page)]).toEqual([
    0,
    'Your payment is under way. Please wait.',
  ]);
});

test('a page that presses again as it hears of an error starts another press, which pays', async () => {
  const page = leaving();
  let fails = true;
  bind(page.form, { key: () => (fails ? Promise.reject(new Error()) : freshKey()) });
  await vi.waitUntil(() => page.errors.length === 1);
  fill(page);
  const again = () => {
    fails = false;
    page.button().click();
  };
  page.form.addEventListener('cardseal:error', again, { once: true });
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  expect([page.errors.length, page.encrypted.length, statusOf(page)]).toEqual([2, 1, undefined]);
});

test('a page that presses again as it hears of an error, in vain: the shopper reads that nothing was sent', async () => {
  const page = open();
  bind(page.form, { key: () => Promise.reject(new Error()) });
  await vi.waitUntil(() => page.errors.length === 1);
  fill(page);
  const again = () => page.button().click();
  page.form.addEventListener('cardseal:error', again, { once: true });
  page.button().click();
  await vi.waitUntil(() => page.errors.length === 3);
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
});

test('onEncrypted: the fields are empty when it is called', async () => {
  const page = open();
  const seen: string[][] = [];
  bind(page.form, { onEncrypted: () => void seen.push(values(page)) });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => seen[0]);
  expect(seen).toEqual([EMPTY]);
});

test('onEncrypted: a press with empty fields hands over the same block, and a press with a card a new one', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  await press(page);
  await vi.waitUntil(() => blocks.length === 1);
  await idle(page);
  await press(page);
  await vi.waitUntil(() => blocks.length === 2);
  await idle(page);
  expect(blocks[1]).toEqual(blocks[0]);
  fill(page, OTHER);
  await press(page);
  await vi.waitUntil(() => blocks.length === 3);
  expect(await decrypt(blocks[2]!)).toEqual(OTHER_CARD);
  expect(blocks[2]!.key_id).not.toBe(blocks[0]!.key_id);
});

test('onEncrypted: half a card after success is refused, and the old block is not handed over', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  fill(page);
  await press(page);
  await vi.waitUntil(() => blocks.length === 1);
  await idle(page);
  fill(page, { cvv: '999' });
  expect((await refused(page)).code).toBe('invalid_card');
  expect(blocks.length).toBe(1);
});

test('onEncrypted: another way to pay, chosen at the last moment, keeps the card on the screen', async () => {
  const page = open(`${html()}<button data-cardseal-skip>Other</button>`);
  const onEncrypted = vi.fn();
  bind(page.form, { onEncrypted });
  page.form.addEventListener('cardseal:encrypted', async () => {
    for (let i = 0; i < 20; i++) await null; // the form is about to call it
    page.button('Other').click();
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  expect([values(page), onEncrypted.mock.calls]).toEqual([KEPT, []]);
});

test('onEncrypted: while it works, a press hands over nothing and the shopper reads that the payment is under way', async () => {
  const page = open();
  const accepted = deferred<void>();
  const onEncrypted = vi.fn(() => accepted.promise);
  bind(page.form, { onEncrypted });
  fill(page);
  await press(page);
  await vi.waitUntil(() => onEncrypted.mock.calls[0]);
  pressEnter(page); // a submit by a script would be sent
  expect(onEncrypted).toHaveBeenCalledTimes(1);
  expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
  accepted.resolve();
  await idle(page);
});

describe('onEncrypted that submits the form', () => {
  test.each<[string, (page: Page) => void]>([
    ['requestSubmit()', (page) => page.form.requestSubmit()],
    ['a click of the button', (page) => page.button().click()],
  ])('by %s: the browser sends it, with the block', async (_, submit) => {
    const page = open();
    bind(page.form, { onEncrypted: () => submit(page) });
    fill(page);
    const [sent] = await posted(page);
    const { encrypted_card } = Object.fromEntries(sent!.body);
    expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
  });

  test('a second press, 30 seconds later, sends the same block', async () => {
    const page = open();
    letSubmitsGo(page);
    const keyIds: string[] = [];
    const onEncrypted = ({ key_id }: EncryptedCard) => {
      keyIds.push(key_id);
      page.form.requestSubmit();
    };
    await bind(page.form, { onEncrypted }).ready;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    fill(page);
    page.button().click();
    await vi.waitUntil(() => page.passes === 1);
    await vi.advanceTimersByTimeAsync(29_000);
    pressEnter(page);
    expect([page.passes, statusOf(page)]).toEqual([1, 'Your payment is under way. Please wait.']);
    await vi.advanceTimersByTimeAsync(1000);
    pressEnter(page);
    await vi.waitUntil(() => page.passes === 2);
    expect(keyIds).toEqual([keyIds[0], keyIds[0]]);
  });

  test('and whose submit a listener cancels: a press waits, because the script has the block', async () => {
    const page = open();
    page.form.addEventListener('submit', (event) => event.preventDefault());
    const onEncrypted = vi.fn(() => page.form.requestSubmit());
    bind(page.form, { onEncrypted });
    fill(page);
    await press(page);
    await vi.waitUntil(() => page.passes === 1);
    await settled(page);
    pressEnter(page);
    expect([page.passes, onEncrypted.mock.calls.length]).toEqual([1, 1]);
    expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
  });

  test('and may not be sent by the browser: the error says so', async () => {
    const page = open(html(), 'method="get"');
    bind(page.form, { onEncrypted: () => page.form.requestSubmit() });
    fill(page);
    expect((await refused(page)).message).toContain('must have method="post"');
    expect(await page.sent()).toEqual([]);
  });
});

test('cardseal:submit can be cancelled: nothing is read, and a later press pays', async () => {
  const encryptions = countEncryptions();
  const page = open();
  bind(page.form);
  const events: CustomEvent[] = [];
  const refuse = (event: CustomEvent) => {
    event.preventDefault();
    events.push(event);
  };
  document.addEventListener('cardseal:submit', refuse as EventListener);
  fill(page);
  await press(page);
  document.removeEventListener('cardseal:submit', refuse as EventListener);
  const [event] = events;
  expect([event!.detail, event!.bubbles, event!.composed]).toEqual([
    { submitter: page.button() },
    true,
    true,
  ]);
  expect([page.passes, encryptions(), page.form.hasAttribute('aria-busy'), page.errors]).toEqual([
    0,
    0,
    false,
    [],
  ]);
  await posted(page);
  expect(encryptions()).toBe(1);
});

test('the events of the form have exactly these details, bubble and leave a shadow root', async () => {
  const page = open();
  const events: [string, unknown, boolean, boolean, boolean][] = [];
  for (const type of ['ready', 'submit', 'encrypted', 'error']) {
    page.form.addEventListener(`cardseal:${type}`, (event) => {
      const { detail, bubbles, composed, cancelable } = event as CustomEvent;
      events.push([type, detail, bubbles, composed, cancelable]);
    });
  }
  await bind(page.form).ready;
  const error = await refused(page);
  fill(page);
  await posted(page);
  const submitter = page.button();
  expect(events.slice(0, 5)).toEqual([
    ['ready', null, true, true, false],
    ['submit', { submitter }, true, true, true],
    ['error', error, true, true, false],
    ['submit', { submitter }, true, true, true],
    ['encrypted', { key_id: page.encrypted[0] }, true, true, false],
  ]);
});

test('a hidden input of the page with the name of the block carries it, and is empty without it', async () => {
  const page = open(`${html()}<input type="hidden" name="encrypted_card" value="before">`);
  const input = page.form.querySelector<HTMLInputElement>('[name=encrypted_card]')!;
  const seen: string[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    seen.push(input.value);
  });
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  expect(await decrypt(JSON.parse(seen[0]!))).toEqual(CARD);
  expect(page.form.querySelectorAll('[name=encrypted_card]').length).toBe(1);
  page.control('cvv').value = '9';
  page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
  expect(input.value).toBe(''); // the value could be a block that the server has rendered again
});

test.each([
  ['a text input', '<input name="encrypted_card">'],
  ['a select', '<select name="encrypted_card"></select>'],
  ['a button', '<button type="button" name="encrypted_card">x</button>'],
  ['two hidden inputs', '<input type="hidden" name="encrypted_card">'.repeat(2)],
])('%s with the name of the block is invalid_form', async (_, control) => {
  const page = open(html() + control);
  await expect(bind(page.form).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining('encrypted_card'),
  });
  fill(page);
  await refused(page);
  expect([page.passes, values(page)]).toEqual([0, KEPT]);
});

test('a text input with the name of the block keeps what stands in it', async () => {
  const page = open(`${html()}<input name="encrypted_card" value="of the page">`);
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(page.form.querySelector<HTMLInputElement>('[name=encrypted_card]')!.value).toBe(
    'of the page',
  );
});

test('Enter that is held is one press; other keys, and Enter in a text of many lines, repeat', () => {
  const page = open(`${html()}<textarea></textarea>`);
  bind(page.form);
  /** Whether the key does in the control what it usually does. */
  const press = (control: Element, key: string, repeat: boolean) =>
    control.dispatchEvent(
      new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true }),
    );
  const cvv = page.control('cvv');
  const enter = [false, true, true].map((repeat) => press(cvv, 'Enter', repeat));
  expect(enter).toEqual([true, false, false]);
  expect(press(cvv, 'Backspace', true)).toBe(true);
  expect(press(page.form.querySelector('textarea')!, 'Enter', true)).toBe(true);
});

test('presses while the key is on its way send one POST, and the shopper reads that it takes a moment', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  expect(statusOf(page)).toBe(undefined);
  page.button().click();
  expect(statusOf(page)).toBe('One moment, please.');
  await user.dblClick(page.button());
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect([page.passes, encryptions(), statusOf(page)]).toEqual([1, 1, undefined]);
});

const REACH: [string, (page: Page) => void][] = [
  [
    'a shadow root',
    (page) =>
      page.host
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'open' })
        .append(page.form),
  ],
  [
    'a closed shadow root',
    (page) =>
      page.host
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'closed' })
        .append(page.form),
  ],
  [
    'a shadow root in another',
    (page) => {
      const outer = page.host
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'open' });
      outer
        .appendChild(document.createElement('div'))
        .attachShadow({ mode: 'open' })
        .append(page.form);
    },
  ],
];
test.each(REACH)(
  'a form in %s: a native submit, a cancelled one, and another card',
  async (_, move) => {
    const { page, blocks } = cancelling();
    move(page);
    bind(page.form);
    fill(page);
    await passed(page);
    await idle(page);
    fill(page, OTHER);
    await passed(page);
    const cards = await Promise.all(blocks.map((block) => decrypt(JSON.parse(block!))));
    expect(cards).toEqual([CARD, OTHER_CARD]);
  },
);

test('a form that a page moves into a shadow root after binding pays', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  REACH[0]![1](page);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
});

test('a form of another window pays', async () => {
  const frame = document.body.appendChild(document.createElement('iframe'));
  later(() => frame.remove());
  const page = open();
  frame.contentDocument!.body.append(page.form);
  const blocks: (string | null)[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    blocks.push(blockIn(page));
  });
  bind(page.form);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
});

test('novalidate and the enabled button come back at the next press after a page has rendered the form again', async () => {
  const page = open(
    html().replace('<button', '<button disabled autocomplete="off" data-cardseal-enable'),
  );
  bind(page.form);
  expect([page.form.noValidate, page.button().disabled]).toEqual([true, false]);
  await refused(page);
  page.form.removeAttribute('novalidate');
  page.button().disabled = true;
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  expect([page.form.noValidate, page.button().disabled]).toEqual([true, false]);
  page.form.removeAttribute('novalidate');
  fill(page);
  expect((await posted(page)).length).toBe(1);
});

test('200,000 pasted characters: reading looks at a bounded number of them', async () => {
  const compared = vi.spyOn(Intl.Collator.prototype, 'compare', 'get');
  let count = 0;
  compared.mockImplementation(() => {
    return (a: string, b: string) => {
      count++;
      return a < b ? -1 : Number(a > b);
    };
  });
  const page = open();
  bind(page.form);
  fill(page, {
    ...TYPED,
    number: '4'.repeat(200_000),
    expiry: '1'.repeat(200_000),
    cvv: '1'.repeat(200_000),
  });
  expect((await refused(page)).code).toBe('invalid_card');
  expect(count).toBeGreaterThan(1000);
  expect(count).toBeLessThan(200_000);
});

test('a name of 200,000 characters is too long, and encodes a bounded number of them', async () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto');
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, name: 'Z'.repeat(200_000) });
  expect((await refused(page)).code).toBe('card_too_long');
  expect(encode.mock.calls.length).toBeGreaterThan(500);
  expect(encode.mock.calls.length).toBeLessThan(5000);
});

test('a block is in no form data any more when a control of its card is gone', async () => {
  const { page } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  expect(blockIn(page)).not.toBe(null);
  page.control('cvv').remove();
  expect(blockIn(page)).toBe(null);
});

test('an image named createElement does not keep the block or the message away', async () => {
  const { page, blocks } = cancelling();
  page.host.insertAdjacentHTML('beforeend', '<img name="createElement">');
  expect(typeof document.createElement).not.toBe('function');
  bind(page.form, {
    key: vi.fn().mockRejectedValueOnce(0).mockImplementation(freshKey) as CardFormOptions['key'],
  }).ready.catch(() => {});
  await vi.waitUntil(() => page.errors.length === 1);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
  fill(page, { cvv: '' });
  page.form.setAttribute('method', 'get');
  expect((await refused(page)).code).toBe('invalid_form');
  expect(statusOf(page)).toBe('Card payment is not available at the moment. Nothing was sent.');
});

let unhandled: unknown[];
beforeEach(() => {
  unhandled = [];
  const note = ({ reason }: PromiseRejectionEvent) => unhandled.push(reason);
  addEventListener('unhandledrejection', note);
  later(() => {
    removeEventListener('unhandledrejection', note);
    expect(unhandled).toEqual([]);
  });
});
