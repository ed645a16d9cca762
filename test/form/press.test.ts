/** The rule for a press: a card press with a fresh block passes; any other makes a block first. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import type { CardFormBinding } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  CARD,
  cancelled,
  cancelling,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  later,
  leaving,
  letSubmitsGo,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  passed,
  posted,
  press,
  refused,
  settled,
  statusOf,
  TYPED,
  user,
  values,
} from '../tools/support/form.ts';

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

test('the block is in the form when cardseal:encrypted is raised', async () => {
  const { page } = cancelling();
  const blocks: (string | null)[] = [];
  page.form.addEventListener('cardseal:encrypted', () => blocks.push(blockIn(page)));
  bind(page.form);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
});

test.each(['onEncrypted', 'encrypt()', 'data-cardseal-button'])(
  'with %s, no script finds the block beside the card: not in cardseal:encrypted',
  async (way) => {
    const page = open(`${html()}<button type="button" data-cardseal-button>Send</button>`);
    const binding = bind(page.form, way === 'onEncrypted' ? { onEncrypted() {} } : {});
    const seen: unknown[] = [];
    page.form.addEventListener('cardseal:encrypted', () => {
      seen.push(blockIn(page), page.form.querySelector('[name=encrypted_card]'));
    });
    fill(page);
    if (way === 'encrypt()') binding.encrypt();
    else page.button(way === 'onEncrypted' ? 'Pay' : 'Send').click();
    await vi.waitUntil(() => blockIn(page)); // when the fields are empty
    expect([seen, values(page)]).toEqual([[null, null], EMPTY]);
  },
);

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

// Changed: the age of the key counted at each press. Once a block has passed, only the server knows
// whether it has been paid with.
test('a block that is older than keyMaxAgeMs is replaced, unless it has passed before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { page, blocks } = cancelling();
  bind(page.form, { keyMaxAgeMs: 60_000 });
  page.form.addEventListener('cardseal:encrypted', () => page.form.remove(), { once: true });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  await settled(page);
  page.host.append(page.form);
  vi.setSystemTime(Date.now() + 60_001);
  await passed(page);
  expect(page.encrypted.length).toBe(2);
  await idle(page);
  vi.setSystemTime(Date.now() + 60_001);
  await passed(page);
  expect([page.encrypted.length, blocks[1] === blocks[0]]).toEqual([2, true]);
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

test('however often it is pressed: one encryption, one submit', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.control('cvv').focus();
  await user.keyboard('{Enter}');
  await user.click(page.button());
  await user.dblClick(page.button());
  expect([page.passes, encryptions()]).toEqual([0, 0]);
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect([page.passes, encryptions(), page.errors]).toEqual([1, 1, []]);
});

test('a held Enter is one press; other keys, and Enter in a text of many lines, repeat', () => {
  const page = open(`${html()}<textarea></textarea>`);
  bind(page.form);
  /** Whether the key does in the control what it usually does. */
  const hold = (control: EventTarget, key: string, repeat: boolean) =>
    control.dispatchEvent(
      new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true }),
    );
  const cvv = page.control('cvv');
  expect([false, true, true].map((repeat) => hold(cvv, 'Enter', repeat))).toEqual([
    true,
    false,
    false,
  ]);
  expect(hold(cvv, 'Backspace', true)).toBe(true);
  expect(hold(page.form.querySelector('textarea')!, 'Enter', true)).toBe(true);
  const outside = document.createElement('button');
  page.host.append(outside);
  expect(hold(outside, 'Enter', true)).toBe(true);
  outside.setAttribute('data-cardseal-button', '');
  expect(hold(outside, 'Enter', true)).toBe(false);

  const onError = vi.fn((event: Event) => event.preventDefault());
  window.addEventListener('error', onError);
  onTestFinished(() => window.removeEventListener('error', onError));
  for (const target of [document, window]) hold(target, 'Enter', false); // by a script
  expect(onError).not.toHaveBeenCalled();
});

test('a double click is one payment, and the second click is answered', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  await user.dblClick(page.button());
  expect(statusOf(page)).toBe('One moment, please.');
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect(page.passes).toBe(1);
});

test('cardseal:submit comes for every card press, and can refuse the second one, too', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  const asked: unknown[] = [];
  const refuse = (event: CustomEvent) => {
    asked.push(event.detail);
    event.preventDefault();
  };
  page.form.addEventListener('cardseal:submit', refuse);
  await press(page);
  expect([asked, blocks.length]).toEqual([[{ submitter: page.button() }], 1]);
  page.form.removeEventListener('cardseal:submit', refuse);
  await passed(page);
  expect(blocks[1]).toBe(blocks[0]);
});

test('cardseal:submit comes once for a press, and not for its repeat', async () => {
  const { page, blocks } = cancelling();
  const asked = vi.fn();
  page.form.addEventListener('cardseal:submit', asked);
  bind(page.form);
  fill(page);
  await passed(page);
  await settled(page);
  expect([asked.mock.calls.length, blocks.length]).toEqual([1, 1]);
});

describe('cardseal:settled comes once after each cardseal:submit', () => {
  /** The events of a press, in their order, and what the form is by then. */
  function watch(page: Page, binding: CardFormBinding) {
    const events: string[] = [];
    for (const type of ['submit', 'settled', 'error']) {
      page.form.addEventListener(`cardseal:${type}`, () => {
        events.push(type === 'settled' ? `settled, ${binding.isBusy ? 'sending' : 'idle'}` : type);
      });
    }
    return events;
  }

  test('when the page cancels the press, at once or later', async () => {
    const { page } = cancelling();
    const events = watch(page, bind(page.form));
    const refuse = (event: Event) => event.preventDefault();
    page.form.addEventListener('cardseal:submit', refuse, { once: true });
    fill(page);
    await press(page);
    expect(events.splice(0)).toEqual(['submit', 'settled, idle']);
    for (let time = 0; time < 2; time++) {
      await passed(page);
      await settled(page);
      expect(events.splice(0)).toEqual(['submit', 'settled, idle']);
    }
  });

  test('when the card is wrong, and when no key comes', async () => {
    const page = open();
    const key = vi.fn().mockRejectedValue(new Error('the network'));
    const events = watch(page, bind(page.form, { key }));
    await vi.waitUntil(() => events.splice(0)[0]);
    await refused(page);
    await settled(page);
    expect(events.splice(0).sort()).toEqual(['error', 'settled, idle', 'submit']);
    fill(page);
    await refused(page);
    await settled(page);
    expect(events.splice(0).sort()).toEqual(['error', 'settled, idle', 'submit']);
  });

  test('when the browser sends the form', async () => {
    const page = open();
    letSubmitsGo(page);
    const events = watch(page, bind(page.form));
    fill(page);
    await passed(page);
    await settled(page);
    expect(events).toEqual(['submit', 'settled, sending']);
  });

  test('when onEncrypted is done, and when encrypt() resolves', async () => {
    const page = open();
    const accepted = deferred<void>();
    const binding = bind(page.form, { onEncrypted: () => accepted.promise });
    const events = watch(page, binding);
    fill(page);
    page.button().click();
    await vi.waitUntil(() => page.encrypted[0]);
    await settled(page);
    expect(events).toEqual(['submit']);
    accepted.resolve();
    await idle(page);
    await settled(page);
    await binding.encrypt();
    await settled(page);
    expect(events).toEqual(['submit', 'settled, idle', 'submit', 'settled, idle']);
  });

  test('when restart() ends the press', async () => {
    const page = open();
    const binding = bind(page.form, { key: () => new Promise(() => {}) });
    const events = watch(page, binding);
    fill(page);
    page.button().click();
    binding.restart();
    await settled(page);
    expect(events).toEqual(['submit', 'settled, idle']);
  });
});

test('isBusy tells whether a press is under way, and whether a block is on its way', async () => {
  const page = open();
  letSubmitsGo(page);
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise });
  fill(page);
  expect(binding.isBusy).toBe(false);
  page.button().click();
  expect(binding.isBusy).toBe(true);
  key.resolve(freshKey());
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  expect(binding.isBusy).toBe(true);
});

test('a page that presses again when it gets an error starts another press, which pays', async () => {
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

test('a page that presses again when it gets an error, without success: the shopper reads that nothing was sent', async () => {
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
