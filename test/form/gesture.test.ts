/**
 * What the shopper has pressed, where the element that they press is no button of the form: G3. Only
 * clicks of a real pointer count, so these run where Playwright drives the engine. What counts when a
 * click is over is asked directly.
 */
import type { CDPSession } from 'playwright';
import { describe, expect, test, vi } from 'vitest';
import { cdp, server } from 'vitest/browser';
import type { EncryptedCard } from '../../src/core/index.ts';
import {
  isMadeByBrowser,
  isModified,
  notePress,
  rememberGesture,
  withoutGesture,
} from '../../src/form/page/gesture.ts';
import { decrypt } from '../support/core.ts';
import {
  BUTTON,
  bind,
  blockIn,
  blockOf,
  CARD,
  deferred,
  EMPTY,
  FIELDS,
  fill,
  hasRealInput,
  html,
  KEPT,
  next,
  open,
  type Page,
  settled,
  statusOf,
  testRealInput,
  textRead,
  user,
  values,
} from '../support/form.ts';

/** How elements submit that are no button of a form. */
const WAYS: [name: string, html: string][] = [
  ['makes up a button, as Shoelace and Ionic do', 'x-now'],
  ['submits in a timer of its own, as Material Web does', 'x-later'],
  ['has a submit button in its shadow root', 'x-shadow'],
  ['is a link with a script', 'a'],
];

const formOf = (element: Element) => element.closest('form')!;

class Now extends HTMLElement {
  readonly type = 'submit';
  constructor() {
    super();
    this.addEventListener('click', () => {
      const button = document.createElement('button');
      formOf(this).append(button);
      button.click();
      button.remove();
    });
  }
}

class Later extends HTMLElement {
  readonly type = 'submit';
  constructor() {
    super();
    this.addEventListener('click', () => setTimeout(() => formOf(this).requestSubmit()));
  }
}

class Shadow extends HTMLElement {
  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    root.innerHTML = '<button type="submit"><slot></slot></button>';
    root.firstElementChild!.addEventListener('click', () => formOf(this).requestSubmit());
  }
}

customElements.define('x-now', Now);
customElements.define('x-later', Later);
customElements.define('x-shadow', Shadow);

/** A page with such an element, which other elements may surround. */
function openWith(name: string, attributes = '', around = 'IT'): Page {
  const element = `<${name} id="it" ${attributes}>Press</${name}>`;
  const page = open(html() + around.replace('IT', element));
  if (name === 'a') {
    page.form.querySelector('a')!.onclick = () => page.form.requestSubmit();
  }
  return page;
}

const pressIt = (page: Page) => user.click(page.form.querySelector('#it')!);

testRealInput.each(WAYS)(
  'data-cardseal-skip on an element that %s: the press passes, without a block',
  async (_, name) => {
    const page = openWith(name, 'data-cardseal-skip');
    await bind(page.form).ready;
    fill(page);
    const arrived = page.arrived();
    await pressIt(page);
    const [sent] = await arrived;
    expect([sent!.body, page.encrypted, values(page)]).toEqual([[], [], KEPT]);
    const paid = page.arrived();
    await user.click(page.button());
    expect(await decrypt(blockOf((await paid)[1]!))).toEqual(CARD);
  },
);

testRealInput.each(WAYS)('without it, an element that %s pays', async (_, name) => {
  const page = openWith(name);
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  await pressIt(page);
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

testRealInput.each(WAYS)(
  'after onEncrypted, a second press of an element that %s hands over the same block',
  async (_, name) => {
    const page = openWith(name);
    const blocks: EncryptedCard[] = [];
    bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
    fill(page);
    await pressIt(page);
    await vi.waitUntil(() => blocks.length === 1);
    await settled(page);
    await pressIt(page);
    await vi.waitUntil(() => blocks.length === 2);
    expect([blocks[1], await page.sent()]).toEqual([blocks[0], []]);
  },
);

// The task in which the library calls onEncrypted begins before the timer after the click.
testRealInput.each(WAYS)(
  'onEncrypted that submits at once after a press of an element that %s: the browser sends the form',
  async (_, name) => {
    const page = openWith(name);
    await bind(page.form, { onEncrypted: () => page.form.requestSubmit() }).ready;
    for (const count of [1, 2]) {
      fill(page);
      const arrived = page.arrived();
      await pressIt(page);
      const sent = await arrived;
      expect(sent.length).toBe(count);
      expect(await decrypt(blockOf(sent[count - 1]!))).toEqual(CARD);
    }
  },
);

// Claim nothing-left. Chromium opens the answer of such a click in another tab.
testRealInput.each([
  ['', BUTTON],
  [' of a card button that submits', '<button data-cardseal-button>Pay</button>'],
])('a click with a modifier key%s pays in the page, as any other', async (_, button) => {
  const page = open(html().replace(BUTTON, button));
  let isRefused = true;
  page.form.addEventListener('submit', (event) => {
    if (isRefused) event.preventDefault();
  });
  await bind(page.form).ready;
  fill(page);
  await user.click(page.button());
  await vi.waitUntil(() => blockIn(page));
  await settled(page);
  isRefused = false;
  const arrived = page.arrived();
  await user.click(page.button(), { modifiers: ['Control'] } as object);
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

testRealInput.each([
  ['around a button of the form', `<div data-cardseal-skip>${html()}</div>`, 'FORM'],
  [
    'around one whose page submits by itself',
    `<div data-cardseal-skip>${html()}</div>`,
    '<div onclick="this.firstElementChild.requestSubmit()">FORM</div>',
  ],
  [
    'around the form',
    `${FIELDS}<a onclick="this.parentNode.requestSubmit()">Pay</a>`,
    '<div data-cardseal-skip>FORM</div>',
  ],
])('the mark does not count %s', async (_, content, around) => {
  const page = open(content, undefined, around);
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  await user.click(page.form.querySelector('button, a')!);
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

testRealInput('the mark counts for what the press does, and for nothing later', async () => {
  const page = openWith('span', 'data-cardseal-skip');
  await bind(page.form).ready;
  fill(page);
  await pressIt(page);
  await settled(page);
  const arrived = page.arrived();
  page.form.requestSubmit();
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

/** A dialog with a button that closes it. Its `close` event comes in a task of its own. */
function openWithDialog(attributes = ''): { page: Page; dialog: HTMLDialogElement } {
  const button = '<button type="button" onclick="this.parentNode.close()">Yes</button>';
  const page = open(html(), undefined, `FORM<dialog ${attributes}>${button}</dialog>`);
  return { page, dialog: page.host.querySelector('dialog')! };
}

testRealInput(
  'onEncrypted that submits when the shopper has closed a dialog: the form is sent',
  async () => {
    const { page, dialog } = openWithDialog();
    bind(page.form, {
      async onEncrypted() {
        dialog.showModal();
        await next(dialog, 'close');
        page.form.requestSubmit();
      },
    });
    fill(page);
    const arrived = page.arrived();
    await user.click(page.button());
    await vi.waitUntil(() => dialog.open);
    await user.click(dialog.querySelector('button')!);
    expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
  },
);

testRealInput('the mark of a dialog does not count when it is closed', async () => {
  const { page, dialog } = openWithDialog('data-cardseal-skip');
  bind(page.form);
  fill(page);
  dialog.addEventListener('close', () => page.form.requestSubmit());
  dialog.showModal();
  const arrived = page.arrived();
  await user.click(dialog.querySelector('button')!);
  expect(await decrypt(blockOf((await arrived)[0]!))).toEqual(CARD);
});

testRealInput.each([
  ['a click', (page: Page) => user.click(page.host.querySelector('#other button')!)],
  ['Enter', (page: Page) => pressKey(page.host.querySelector('#other input')!, '{Enter}')],
  [
    'Enter in a form without a button',
    async (page: Page) => {
      page.host.querySelector('#other button')?.remove();
      await pressKey(page.host.querySelector('#other input')!, '{Enter}');
    },
  ],
])(
  'a submit listener of another form that submits this one: %s while onEncrypted works sends nothing',
  async (_, pressOther) => {
    const other = '<form id="other"><input><button>Order</button></form>';
    const page = open(html(), undefined, `FORM${other}`);
    const { seen, work } = await bindWorking(page);
    page.host.querySelector('#other')!.addEventListener('submit', (event) => {
      event.preventDefault();
      page.form.requestSubmit();
    });
    fill(page);
    await pressOther(page);
    await vi.waitUntil(() => seen.length === 1);
    await pressOther(page);
    await settled(page);
    expect([page.passes, seen.length]).toEqual([0, 1]);
    work.resolve();
    await settled(page);
  },
);

testRealInput('a script of a skipping element that collects the data finds no block', async () => {
  const page = openWith('span', 'data-cardseal-skip');
  page.form.addEventListener('submit', (event) => event.preventDefault());
  bind(page.form);
  fill(page);
  await user.click(page.button());
  await vi.waitUntil(() => blockIn(page));
  const collected: (string | null)[] = [];
  page.form.querySelector('span')!.onclick = () => collected.push(blockIn(page));
  await pressIt(page);
  expect(collected).toEqual([null]);
});

testRealInput(
  'data-cardseal-button on an element with a submit button in its shadow root',
  async () => {
    const page = openWith('x-shadow', 'data-cardseal-button');
    const found: unknown[] = [];
    page.form.addEventListener('submit', (event) => event.preventDefault());
    page.form.querySelector<HTMLElement>('#it')!.onclick = () =>
      found.push(JSON.parse(blockIn(page) ?? 'null'), values(page));
    bind(page.form);
    fill(page);
    await pressIt(page);
    await vi.waitUntil(() => found.length > 0);
    const [block, inFields] = found;
    expect([await decrypt(block as EncryptedCard), inFields]).toEqual([CARD, EMPTY]);
  },
);

/** Ways to press an element that is no button, with the event at which its page submits. */
const PRESSES: [name: string, type: string, press: (element: HTMLElement) => Promise<void>][] = [
  ['the space bar goes up', 'keyup', (element) => pressKey(element, ' ')],
  ['the space bar goes down', 'keydown', (element) => pressKey(element, ' ')],
  ['the space bar is pressed', 'keypress', (element) => pressKey(element, ' ')],
  ['the pointer goes down', 'pointerdown', (element) => user.click(element)],
  ['the pointer goes up', 'pointerup', (element) => user.click(element)],
  ['the mouse button goes down', 'mousedown', (element) => user.click(element)],
  ['the mouse button goes up', 'mouseup', (element) => user.click(element)],
  ['something is typed', 'input', (element) => pressKey(element, 'y')],
];

async function pressKey(element: HTMLElement, key: string): Promise<void> {
  element.focus();
  await user.keyboard(key);
}

async function touch(element: HTMLElement): Promise<void> {
  element.scrollIntoView();
  const frame = window.frameElement!.getBoundingClientRect();
  const scale = frame.width / window.innerWidth;
  const { x, y } = element.getBoundingClientRect();
  const point = { x: frame.x + (x + 5) * scale, y: frame.y + (y + 5) * scale };
  const driver = cdp() as CDPSession;
  await driver.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
  await driver.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** An element that is no button, and submits the form at an event. */
function pressable(page: Page, type: string, attributes = ''): HTMLElement {
  page.form.insertAdjacentHTML(
    'beforeend',
    `<div role="button" tabindex="0" ${attributes}>Go</div>`,
  );
  const element = page.form.lastElementChild as HTMLElement;
  if (type === 'input') element.contentEditable = 'true';
  element.addEventListener(type, () => page.form.requestSubmit());
  return element;
}

/** Binds with an `onEncrypted` that works until `work` is resolved. */
async function bindWorking(page: Page) {
  const seen: EncryptedCard[] = [];
  const work = deferred<void>();
  const onEncrypted = async (block: EncryptedCard) => {
    seen.push(block);
    await work.promise;
  };
  await bind(page.form, { onEncrypted }).ready;
  return { seen, work };
}

async function expectOneCall(type: string, press: (element: HTMLElement) => Promise<void>) {
  const page = open(FIELDS);
  const { seen, work } = await bindWorking(page);
  const element = pressable(page, type);
  fill(page);
  await press(element);
  await vi.waitUntil(() => seen.length === 1);
  await press(element);
  expect([page.passes, seen.length]).toEqual([0, 1]);
  work.resolve();
  await settled(page);
}

// Claim one-post
testRealInput.each(PRESSES)(
  'a page that submits when %s: a second press sends nothing beside onEncrypted',
  (_, type, press) => expectOneCall(type, press),
);

async function expectSkipped(type: string, press: (element: HTMLElement) => Promise<void>) {
  const page = open(FIELDS);
  await bind(page.form).ready;
  const element = pressable(page, type, 'data-cardseal-skip');
  fill(page);
  await press(element);
  await settled(page);
  expect([page.passes, page.encrypted.length, values(page)]).toEqual([1, 0, KEPT]);
}

// Claim other-press
testRealInput.each(PRESSES)(
  'a page that submits when %s: data-cardseal-skip counts there, too',
  (_, type, press) => expectSkipped(type, press),
);

// Of the drivers, only that of Chromium makes touches.
const testTouch = test.runIf(hasRealInput && server.browser === 'chromium');
testTouch.each([
  ['up', 'touchend'],
  ['down', 'touchstart'],
])('a page that submits when the finger goes %s: data-cardseal-skip counts there, too', (_, type) =>
  expectSkipped(type, touch),
);

// Claim one-post
testTouch.each([
  ['up', 'touchend'],
  ['down', 'touchstart'],
])(
  'a page that submits when the finger goes %s: a second touch sends nothing beside onEncrypted',
  (_, type) => expectOneCall(type, touch),
);

// Claim other-press
testRealInput(
  'another way to pay that the shopper chooses by a key, and that hides the card’s fields, carries no block',
  async () => {
    const method = '<select name="method"><option>card<option>invoice</select>';
    const page = open(`${method}<fieldset>${FIELDS}</fieldset><button>Pay</button>`);
    const given: EncryptedCard[] = [];
    bind(page.form, { onEncrypted: (block) => void given.push(block) });
    const select = page.form.querySelector('select')!;
    const sent: (string | null)[] = [];
    page.form.addEventListener('submit', (event) => {
      event.preventDefault();
      sent.push(blockIn(page));
    });
    select.addEventListener('change', () => {
      page.form.querySelector('fieldset')!.hidden = true;
      page.form.requestSubmit();
    });
    fill(page);
    page.button().click();
    await vi.waitUntil(() => given.length === 1);
    await settled(page);
    await pressKey(select, 'i');
    await pressKey(select, '{Enter}');
    await vi.waitUntil(() => sent.length > 0);
    expect(sent).toEqual([null]);
  },
);

// Claim one-post
testRealInput(
  'a held Enter that the page itself makes a submit sends nothing beside onEncrypted',
  async () => {
    const page = open(html());
    const { seen, work } = await bindWorking(page);
    fill(page);
    const cvv = page.control('cvv');
    const keys: boolean[] = [];
    cvv.addEventListener('keydown', (event) => {
      keys.push((event as KeyboardEvent).repeat);
      page.form.requestSubmit();
    });
    cvv.focus();
    await user.keyboard('{Enter}');
    await vi.waitUntil(() => seen.length === 1);
    await user.keyboard('{Enter>3/}');
    expect(keys.includes(true)).toBe(true);
    expect([page.passes, seen.length]).toEqual([0, 1]);
    work.resolve();
    await settled(page);
  },
);

testRealInput('data-cardseal-enable on a custom element, defined or not', async () => {
  class Lock extends HTMLElement {
    static observedAttributes = ['disabled'];
    disabled = false;
    attributeChangedCallback(_name: string, _before: unknown, value: string | null) {
      this.disabled = value !== null;
    }
  }
  class Flag extends HTMLElement {
    disabled = true; // no attribute says so
  }
  customElements.define('x-lock', Lock);
  customElements.define('x-flag', Flag);
  const marks = 'disabled data-cardseal-enable';
  const page = open(
    `${FIELDS}<x-lock ${marks}></x-lock><x-none ${marks}></x-none>` +
      `<x-flag data-cardseal-enable></x-flag>${BUTTON}`,
  );
  const flag = page.form.querySelector<Flag>('x-flag')!;
  const lock = page.form.querySelector<Lock>('x-lock')!;
  const none = page.form.querySelector('x-none')!;
  const state = () => [
    ...[lock.hasAttribute('disabled'), none.hasAttribute('disabled')],
    ...[lock.disabled, flag.disabled],
  ];
  expect(state()).toEqual([true, true, true, true]);
  const binding = bind(page.form);
  expect(state()).toEqual([false, false, false, false]);
  binding.unbind();
  expect(state()).toEqual([true, true, true, true]);
  expect('disabled' in none).toBe(false); // it would hide what the element has once it is defined
});

testRealInput.each([
  ['all of its fields', (page: Page) => page.controls()],
  ['one of its fields', (page: Page) => [page.control('cvv')]],
  ['one part of a date', (page: Page) => [page.control('exp_year')]],
])(
  'a page that replaces %s while the pointer is down: the shopper reads what is wrong',
  async (_, replaced) => {
    const month = '<input autocomplete="cc-exp-month">';
    const page = open(html({ expiry: `${month}<input autocomplete="cc-exp-year">` }));
    pressable(page, 'mousedown').addEventListener('mousedown', () => {
      for (const control of replaced(page)) control.replaceWith(control.cloneNode());
    });
    bind(page.form);
    await user.click(page.form.lastElementChild!);
    const text = () => statusOf(page) ?? textRead(page);
    expect(text()).toBe('Enter the card number');
    fill(page);
    for (const control of page.controls()) {
      control.dispatchEvent(new Event('input', { bubbles: true }));
    }
    expect(text()).toBe(undefined);
  },
);

describe('a click or Enter that is over', () => {
  /** A form, and what a click on its innermost element passes. */
  function inForm(html: string) {
    const { form } = open(`<div>${html}</div>`);
    const path: EventTarget[] = [];
    let it = form.querySelector(':not(:has(*))');
    for (; it; it = it.parentElement) path.push(it);
    return { form, path };
  }

  const nextTimer = () => new Promise((resolve) => setTimeout(resolve));
  const click = (path: EventTarget[], keys = {}) =>
    rememberGesture(new MouseEvent('click', keys), path);

  test('a click makes a submit by the button that it passes, and no other', () => {
    const { form, path } = inForm('<button><b>Pay</b></button>');
    const other = document.createElement('button');
    click(path);
    const buttons = [path[1] as HTMLElement, other, null];
    expect(buttons.map((it) => isMadeByBrowser(form, it))).toEqual([true, false, false]);
  });

  test('Enter makes a submit of the form of its control, and of no other', () => {
    const { form, path } = inForm('<input>');
    rememberGesture(new KeyboardEvent('keydown', { key: 'Enter' }), path);
    expect([form, open().form].map((it) => isMadeByBrowser(it, null))).toEqual([true, false]);
  });

  test.each(['altKey', 'ctrlKey', 'metaKey', 'shiftKey'])(
    'is modified by %s until the first timer',
    async (key) => {
      const { form, path } = inForm('<button>Pay</button>');
      const state = () => [isModified(), isMadeByBrowser(form, path[0] as HTMLElement)];
      click(path);
      expect(state()).toEqual([false, true]);
      click(path, { [key]: true });
      expect(state()).toEqual([true, true]);
      await nextTimer();
      expect(state()).toEqual([false, false]);
    },
  );

  test('what the library does by itself is not its doing, and what comes after is', () => {
    const { form, path } = inForm('<button>Pay</button>');
    const isMade = () => isMadeByBrowser(form, path[0] as HTMLElement);
    click(path);
    withoutGesture(() => expect(isMade()).toBe(false));
    expect(isMade()).toBe(true);
    expect(() =>
      withoutGesture(() => {
        throw new Error('of a listener');
      }),
    ).toThrow();
    expect(isMade()).toBe(true);
    withoutGesture(() => click([form]));
    expect(isMade()).toBe(false);
  });

  test.each([
    ['a custom element that says of itself that it submits', '<x-now></x-now>', true],
    ['what stands in it', '<x-now><b>Pay</b></x-now>', true],
    ['another custom element', '<x-none></x-none>', false],
    ['a button of the form in such an element', '<x-now><button>Pay</button></x-now>', false],
    ['a button of no form', '<button form="none">Pay</button>', false],
  ])('one timer later, it may still cause the first press if it hit %s', async (_, html, may) => {
    const { form, path } = inForm(html);
    click(path);
    await nextTimer();
    expect([notePress(form, null), notePress(form, null)]).toEqual([may, false]);
    click(path);
    await nextTimer();
    await nextTimer();
    expect(notePress(form, null)).toBe(false);
  });

  test('such an element around the form causes nothing', async () => {
    const around = document.createElement('x-now');
    const { form, path } = inForm('<span>Pay</span>');
    click([...path.slice(0, path.indexOf(form) + 1), around]);
    await nextTimer();
    expect(notePress(form, null)).toBe(false);
  });

  test('the second of two in quick succession has its own time', async () => {
    const { form, path } = inForm('<x-now></x-now>');
    click(path);
    await nextTimer();
    click(path);
    await nextTimer();
    expect(notePress(form, null)).toBe(true);
  });
});
