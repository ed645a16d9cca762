/**
 * What the shopper has pressed, where the element that they press is no button of the form: G3. Only
 * clicks of a real pointer count, so these run where Playwright drives the engine.
 */
import { expect, vi } from 'vitest';
import type { EncryptedCard } from '../../src/core/index.ts';
import { decrypt } from '../support/core.ts';
import {
  BUTTON,
  bind,
  blockIn,
  blockOf,
  CARD,
  CONTROLS,
  deferred,
  EMPTY,
  fill,
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

testRealInput('the mark does not count around a button of the form', async () => {
  const page = open(`<div data-cardseal-skip>${html()}</div>`);
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  await user.click(page.button());
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
  ['the pointer goes up', 'pointerup', (element) => user.click(element)],
  ['the mouse button goes down', 'mousedown', (element) => user.click(element)],
];

async function pressKey(element: HTMLElement, key: string): Promise<void> {
  element.focus();
  await user.keyboard(key);
}

/** An element that is no button, and submits the form at an event. */
function pressable(page: Page, type: string, attributes = ''): HTMLElement {
  page.form.insertAdjacentHTML(
    'beforeend',
    `<div role="button" tabindex="0" ${attributes}>Go</div>`,
  );
  const element = page.form.lastElementChild as HTMLElement;
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

// Claim one-post
testRealInput.each(PRESSES)(
  'a page that submits when %s: a second press sends nothing beside onEncrypted',
  async (_, type, press) => {
    const page = open(Object.values(CONTROLS).join(''));
    const { seen, work } = await bindWorking(page);
    const element = pressable(page, type);
    fill(page);
    await press(element);
    await vi.waitUntil(() => seen.length === 1);
    await press(element);
    expect([page.passes, seen.length]).toEqual([0, 1]);
    work.resolve();
    await settled(page);
  },
);

// Claim other-press
testRealInput.each(PRESSES)(
  'a page that submits when %s: data-cardseal-skip counts there, too',
  async (_, type, press) => {
    const page = open(Object.values(CONTROLS).join(''));
    await bind(page.form).ready;
    const element = pressable(page, type, 'data-cardseal-skip');
    fill(page);
    await press(element);
    await settled(page);
    expect([page.passes, page.encrypted.length, values(page)]).toEqual([1, 0, KEPT]);
  },
);

// Claim other-press
testRealInput(
  'another way to pay that the shopper chooses by a key, and that hides the card’s fields, carries no block',
  async () => {
    const method = '<select name="method"><option>card<option>invoice</select>';
    const page = open(
      `${method}<fieldset>${Object.values(CONTROLS).join('')}</fieldset><button>Pay</button>`,
    );
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
    `${Object.values(CONTROLS).join('')}<x-lock ${marks}></x-lock><x-none ${marks}></x-none>` +
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
