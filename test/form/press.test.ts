/** The rule for a press: a card press with a fresh block passes; any other makes a block first. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  BUTTON,
  bind,
  blockIn,
  blockOf,
  CARD,
  CARD_BUTTON,
  cancelled,
  cancelling,
  countEncryptions,
  deferred,
  EMPTY,
  FIELDS,
  fill,
  html,
  idle,
  KEPT,
  later,
  next,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  passed,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  user,
  values,
} from '../support/form.ts';

// Control card-on-screen
test('a cancelled submit leaves the fields and the block, and the same card brings the same block', async () => {
  const encryptions = countEncryptions();
  const { page, blocks } = cancelling();
  const busy: (string | null)[] = [];
  page.form.addEventListener('submit', () => busy.push(page.form.getAttribute('aria-busy')));
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  expect([values(page), blockIn(page)]).toEqual([KEPT, blocks[0]]);
  await passed(page);
  expect(blocks[1]).toBe(blocks[0]);
  expect(encryptions()).toBe(1);
  expect(busy).toEqual([null, null]);
});

test('a listener can cancel after it has clicked a label, which WebKit counts as a click of the shopper', async () => {
  const page = open(`${html()}<label id="terms">Terms <input type="checkbox"></label>`);
  const refuse = (event: Event) => {
    page.form.querySelector<HTMLLabelElement>('#terms')!.click();
    event.preventDefault();
  };
  page.form.addEventListener('submit', refuse, { once: true });
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

// Claim card-on-screen
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

test('the block of a card that is typed again after a press without a card is sent, and is the same', async () => {
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  fill(page, { number: '', name: '', expiry: '', cvv: '' });
  await refused(page); // which takes the block out, because there is no card to send
  expect(blockIn(page)).toBeNull();
  fill(page);
  await passed(page);
  expect(blocks[1]).toBe(blocks[0]);
});

// Claim card-on-screen
test('form data that the page collects after the card changed without an event has no block', async () => {
  const encryptions = countEncryptions();
  const { page, blocks } = cancelling();
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  const changes = [
    ['number', OTHER.number],
    ['name', 'Ada Byrd'],
    ['expiry', '12/49'],
    ['expiry', '11/48'],
    ['cvv', '999'],
  ] as const;
  for (const [field, value] of changes) {
    fill(page, { [field]: value });
    expect(blockIn(page)).toBe(null);
    fill(page); // the card of the block again
    await passed(page);
    await settled(page);
    expect(blocks.pop()).toBe(blocks[0]);
  }
  expect(encryptions()).toBe(1);
});

// Control emptied-before-code
// Claim listeners-once. Why: A press is stopped before they run, and repeated once when its block
// is there: `announced` and `ready` in src/form/decide.ts.
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

// Claim emptied-before-code
test.each(['onEncrypted', 'encrypt()', 'data-cardseal-button'])(
  'with %s, no script finds the block beside the card: not in cardseal:encrypted',
  async (way) => {
    const page = open(`${html()}${CARD_BUTTON}`);
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

// Claim listeners-once
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

/** Sees the errors of listeners. */
function watchErrors() {
  const failed = vi.fn((event: Event) => event.preventDefault());
  addEventListener('error', failed);
  later(() => removeEventListener('error', failed));
  return failed;
}

test('a click beside the buttons, and one that a script makes of the document, are left alone', () => {
  const page = open();
  bind(page.form);
  const failed = watchErrors();
  page.form.click();
  document.dispatchEvent(new MouseEvent('click'));
  expect(failed).not.toHaveBeenCalled();
});

test('what is typed into a form that is not bound is left alone', () => {
  bind(open().form);
  const other = open();
  const failed = watchErrors();
  for (const type of ['input', 'change', 'focusin']) {
    other.control('cvv').dispatchEvent(new Event(type, { bubbles: true, composed: true }));
  }
  expect(failed).not.toHaveBeenCalled();
});

// Control listeners-once
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
  expect(page.passes).toBe(0); // a form that is not in the page is not submitted
  page.host.append(page.form);
  vi.setSystemTime(Date.now() + 60_001);
  await passed(page);
  expect(page.encrypted.length).toBe(2);
  await idle(page);
  vi.setSystemTime(Date.now() + 60_001);
  await passed(page);
  expect([page.encrypted.length, blocks[1] === blocks[0]]).toEqual([2, true]);
});

// Claim memory-zeroed
// Claim one-post. Why: While a block is made or sent, further presses are stopped: `pressed` in
// src/form/decide.ts. A held Enter is stopped in src/form/page/listeners.ts.
test('presses while the key is on its way send one POST, and the shopper reads that it takes a moment', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const binding = bind(page.form, { key: () => key.promise, keyTimeoutMs: Infinity });
  fill(page);
  expect(binding.isBusy).toBe(false);
  page.button().click();
  expect([binding.isBusy, page.form.ariaBusy, statusOf(page)]).toEqual([true, 'true', undefined]);
  page.button().click();
  expect(statusOf(page)).toBe('One moment, please.');
  await user.dblClick(page.button());
  page.control('cvv').focus();
  await user.keyboard('{Enter}');
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect([page.passes, encryptions(), statusOf(page), page.errors]).toEqual([1, 1, undefined, []]);
});

/** A form whose press waits for its key. */
function waiting() {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  const ask = vi.fn(() => freshKey() as CardEncryptionKey | Promise<CardEncryptionKey>);
  ask.mockReturnValueOnce(key.promise);
  bind(page.form, { key: ask });
  fill(page);
  page.button().click();
  return { page, key };
}

test('fields that the page makes read-only while the key is awaited: the card is sent', async () => {
  const { page, key } = waiting();
  for (const control of page.controls()) control.setAttribute('readonly', '');
  key.resolve(freshKey());
  await idle(page);
  expect([page.passes, statusOf(page)]).toEqual([1, undefined]);
});

test('a control replaced by a re-render while the key is awaited: the new one is read, and both are emptied', async () => {
  const { page, key } = waiting();
  const old = page.control('cvv') as HTMLInputElement;
  const arrived = page.arrived();
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = TYPED.cvv;
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect((await decrypt(blockOf(sent!))).cvv).toBe(TYPED.cvv);
  expect([old.value, fresh.value]).toEqual(['', '']);
});

const PASSES_ROOTS = { bubbles: true, composed: true };

// Claim one-post
test('a held Enter is one press, also in a custom element; other keys, and Enter in a text of many lines, repeat', () => {
  const page = open(`${html()}<textarea></textarea>`);
  bind(page.form);
  /** Whether the key does in the control what it usually does. */
  const hold = (control: EventTarget, key: string, repeat: boolean) =>
    control.dispatchEvent(
      new KeyboardEvent('keydown', { key, repeat, ...PASSES_ROOTS, cancelable: true }),
    );
  /** An element in a custom element of the form, as design systems have it. */
  const inShadow = (html: string) => {
    const root = page.form
      .appendChild(document.createElement('div'))
      .attachShadow({ mode: 'open' });
    root.innerHTML = html;
    return root.firstElementChild!;
  };
  const cvv = page.control('cvv');
  expect([false, true, true].map((repeat) => hold(cvv, 'Enter', repeat))).toEqual([
    true,
    false,
    false,
  ]);
  expect(hold(cvv, 'Backspace', true)).toBe(true);
  expect(hold(inShadow('<input>'), 'Enter', false)).toBe(true);
  expect(hold(inShadow('<input>'), 'Enter', true)).toBe(false);
  expect(hold(inShadow('<button>'), 'Enter', true)).toBe(false);
  for (const text of ['<textarea></textarea>', '<p contenteditable>']) {
    expect(hold(inShadow(text), 'Enter', true)).toBe(true);
  }
  expect(hold(page.form.querySelector('textarea')!, 'Enter', true)).toBe(true);
  const outside = document.createElement('button');
  page.host.append(outside);
  expect(hold(outside, 'Enter', true)).toBe(true);
  outside.setAttribute('data-cardseal-button', '');
  expect(hold(outside, 'Enter', true)).toBe(false);

  const failed = watchErrors();
  for (const target of [document, window]) hold(target, 'Enter', false); // by a script
  expect(failed).not.toHaveBeenCalled();
});

/** Moves the form of the page into a shadow root, in another one. */
function moveIntoShadow(page: Page, mode: ShadowRootMode) {
  const inner = document.createElement('div');
  page.host.attachShadow({ mode }).append(inner);
  inner.attachShadow({ mode }).append(page.form);
}

test.each([
  ['open', 'before'],
  ['closed', 'before'],
  ['open', 'after'],
] as const)('a form in a shadow root (%s) of another, %s binding, pays', async (mode, when) => {
  const { page, blocks } = cancelling();
  if (when === 'after') bind(page.form);
  moveIntoShadow(page, mode);
  if (when === 'before') bind(page.form);
  fill(page);
  await passed(page);
  expect(await decrypt(JSON.parse(blocks[0]!))).toEqual(CARD);
});

// Claim listeners-once
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

test('a submit event that a script makes, and that can be cancelled, sends the form, also again', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  const trusted: boolean[] = [];
  page.form.addEventListener('submit', (event) => {
    trusted.push(event.isTrusted);
    if (trusted.length === 1) event.preventDefault();
  });
  const pressByScript = () =>
    page.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }));
  pressByScript();
  await vi.waitUntil(() => trusted.length === 1);
  await settled(page);
  const arrived = page.arrived();
  pressByScript();
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
  expect(trusted).toEqual([true, true]);
});

test('a submit event that a script makes and that is over ends no submit that still passes', async () => {
  const page = open();
  bind(page.form);
  page.form.addEventListener('submit', (event) => {
    if (!event.isTrusted) return;
    page.form.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }));
    page.control('name').dispatchEvent(new Event('input', { bubbles: true }));
    event.preventDefault();
  });
  fill(page);
  page.button().click();
  await next(page.form, 'cardseal:settled');
  expect(values(page)).toEqual(KEPT); // in a frame, a card that was sent goes at once
});

// As a page does that renders its form anew and keeps the inputs that it knows.
test('a page that removes the hidden input after a cancelled press: the next press puts it back', async () => {
  const { page, blocks } = cancelling();
  const found: (string | undefined)[] = [];
  const inputIn = () => page.form.querySelector<HTMLInputElement>('[name=encrypted_card]');
  page.form.addEventListener('submit', () => {
    found.push(inputIn()?.value);
    inputIn()?.remove();
  });
  bind(page.form);
  fill(page);
  await passed(page);
  await idle(page);
  await passed(page);
  expect(found).toEqual([blocks[0], blocks[0]]);
});

test('fields that are gone after the press leave the block in the data', async () => {
  const { page } = await cancelled();
  page.control('cvv').remove();
  expect(blockIn(page)).not.toBe(null);
});

test('another whole card that a script writes after the press takes the block out of the data', async () => {
  const { page } = await cancelled();
  fill(page, { number: '**** 6509' });
  expect(blockIn(page)).not.toBe(null); // a mask is no other card
  fill(page, OTHER);
  expect(blockIn(page)).toBe(null);
});

const REQUIRED = FIELDS.replaceAll('<input', '<input required');

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
  page.control('cvv').dispatchEvent(new Event('input', { bubbles: true })); // it is still empty
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
  ['onEncrypted', '<button>Pay</button>', { onEncrypted: () => 'no_answer' as const }],
  ['a card button', '<button data-cardseal-button>Pay</button>', {}],
])(
  'a page that locks its button while a field is missing: the emptied fields do not lock it, with %s',
  async (_, button, options) => {
    const page = open(REQUIRED + button);
    const lock = () => {
      page.button().disabled = !page.form.checkValidity();
    };
    page.form.addEventListener('input', lock);
    bind(page.form, options);
    fill(page);
    lock();
    page.button().click();
    await vi.waitFor(() => expect(values(page)).toEqual(EMPTY));
    await settled(page);
    expect(page.button().disabled).toBe(false);
  },
);

test('the emptied fields are not required as soon as encrypt() has the block', async () => {
  const page = open(REQUIRED);
  const binding = bind(page.form);
  fill(page);
  await binding.encrypt();
  expect(page.form.checkValidity()).toBe(true); // the page's own button may send the rest
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

test('what follows more than is read makes another card', async () => {
  const { page } = await cancelled();
  page.control('number').value += ' '.repeat(1000) + OTHER.number;
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  expect(blockIn(page)).toBe(null);
});

test.each([
  ['more than is read', `${' '.repeat(1001)}${OTHER.number}`, 'another card'],
  ['as much as is read, without a digit', ' '.repeat(1000), 'no other card'],
])('%s in the emptied fields is %s', async (_, value, expected) => {
  const { page } = await lost();
  page.control('number').value = value;
  page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
  expect(blockIn(page) ? 'no other card' : 'another card').toBe(expected);
});

test.each([
  ['its empty option', '', 'no other card'],
  ['a month', '11', 'another card'],
])(
  'a list in the emptied fields in which the shopper chooses %s is %s',
  async (_, value, expected) => {
    const month =
      '<select autocomplete="cc-exp-month"><option value="">Month<option selected>11</select>';
    const year = '<input autocomplete="cc-exp-year" value="2049">';
    const { page } = await lost(html({ expiry: month + year }));
    const list = page.form.querySelector('select')!;
    list.value = value;
    list.dispatchEvent(new Event('change', { bubbles: true }));
    expect(blockIn(page) ? 'no other card' : 'another card').toBe(expected);
  },
);

test('a select of the page that is not of the card leaves the block of the emptied fields', async () => {
  const { page } = await lost(`${REQUIRED}<select id="size"><option>40<option>41</select>`);
  const size = page.form.querySelector<HTMLSelectElement>('#size')!;
  size.value = '41';
  size.dispatchEvent(new Event('change', { bubbles: true }));
  expect(blockIn(page)).not.toBe(null);
});

test('unbind() leaves the fields as required as they were', async () => {
  const [first, ...others] = REQUIRED.split('required');
  const { page, binding } = await lost(first + others.join('required="required"'));
  binding.unbind();
  const required = page.controls().map((control) => control.getAttribute('required'));
  expect(required).toEqual([null, 'required', 'required', 'required']);
});

// Since 0.3.0: a text that there is no answer stood beside the "Thank you" of a handler that had read
// the input by itself, which raises no event.
test('a click of a card button is the end of what the library says, whatever its handlers collect', async () => {
  const { page } = await lost(); // its handler sends nothing
  for (const handler of [() => {}, () => void new FormData(page.form)]) {
    page.button('Send').addEventListener('click', handler, { once: true });
    page.button('Send').click();
    await settled(page);
    expect(statusOf(page)).toBe(undefined);
  }
});
