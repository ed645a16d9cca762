/** Buttons with `data-cardseal-button`: their handlers find the block in the form. */
import { expect, test, vi } from 'vitest';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt } from '../support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  CARD_BUTTON,
  clickAsShopper,
  EMPTY,
  FIELDS,
  fill,
  KEPT,
  later,
  next,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  testRealInput,
  textRead,
  values,
} from '../support/form.ts';

/** What the click handlers of the page find. */
function clicks(page: Page, button: HTMLElement) {
  const seen: { block: string | null; values: string[] }[] = [];
  button.addEventListener('click', () => seen.push({ block: blockIn(page), values: values(page) }));
  return seen;
}

/** Binds the form, and presses until the handlers of the page have run once. */
async function sendOnce(page: Page, seen: unknown[], options?: Partial<CardFormOptions>) {
  await bind(page.form, options).ready;
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
}

// Claim emptied-before-code
test('data-cardseal-button: its handlers run once, with the block in the form and the fields empty', async () => {
  const page = open(`${FIELDS + CARD_BUTTON}<input name="email" required>`); // that is left to the page
  const seen = clicks(page, page.button('Send'));
  const onEncrypted = vi.fn();
  await sendOnce(page, seen, { onEncrypted });
  expect(seen.map((click) => click.values)).toEqual([EMPTY]);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
  page.button('Send').click(); // brings the same block at once
  expect(seen.map(({ block }) => block)).toEqual([seen[0]!.block, seen[0]!.block]);
  expect(onEncrypted).not.toHaveBeenCalled();
});

// Claim card-on-screen
test('a card that the shopper begins before the first timer after a click is another card', async () => {
  const page = open(FIELDS + CARD_BUTTON);
  const seen = clicks(page, page.button('Send'));
  await sendOnce(page, seen);
  const button = page.button('Send');
  button.click(); // its handlers have run, and the timer has not
  const trusted = next(page.form, 'input');
  page.control('cvv').focus();
  document.execCommand('insertText', false, '17');
  expect([(await trusted).isTrusted, blockIn(page)]).toEqual([true, null]);
  await refused(page, button);
  expect(textRead(page)).toBe('Enter the card number');
});

// Claim other-press
test('another way to pay that the shopper chooses before the first timer after a click carries no block', async () => {
  const page = open(`${FIELDS + CARD_BUTTON}<input name="voucher">`);
  let isCard = true;
  const seen = clicks(page, page.button('Send'));
  await sendOnce(page, seen, { when: () => isCard });
  const voucher = page.form.querySelector<HTMLInputElement>('[name=voucher]')!;
  const collected: unknown[] = [];
  voucher.addEventListener('input', ({ isTrusted }) => {
    isCard = false;
    collected.push(isTrusted, blockIn(page));
  });
  page.button('Send').click(); // its handlers have run, and the timer has not
  voucher.focus();
  document.execCommand('insertText', false, 'GIFT');
  expect(collected).toEqual([true, null]);
});

// Claim card-on-screen
test('a script that fills in another card when a click is over gets that card by encrypt()', async () => {
  const page = open(FIELDS + CARD_BUTTON);
  const binding = bind(page.form);
  await binding.ready;
  fill(page);
  const seen = clicks(page, page.button('Send'));
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
  page.button('Send').click(); // its handlers have run, and the timer has not
  fill(page, OTHER);
  expect(await decrypt((await binding.encrypt())!)).toEqual(OTHER_CARD);
});

test('data-cardseal-button: a handler that calls restart() does not keep the others from running', async () => {
  const page = open(FIELDS + CARD_BUTTON);
  const binding = bind(page.form);
  page.button('Send').addEventListener('click', () => void binding.restart());
  const seen = clicks(page, page.button('Send'));
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  expect(seen[0]!.block).toBe(null);
});

test('data-cardseal-button: a click on what stands in the button is a press', async () => {
  const page = open(FIELDS + CARD_BUTTON.replace('Send', '<b>Send</b>'));
  const seen = clicks(page, page.button('Send'));
  await bind(page.form).ready;
  fill(page);
  const label = page.host.querySelector('b')!;
  const onLabel: (string | null)[] = [];
  label.addEventListener('click', () => onLabel.push(blockIn(page)));
  label.click();
  await vi.waitUntil(() => seen.length === 1);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
  expect(onLabel).toEqual([seen[0]!.block]); // its own handlers run, too
});

class PayButton extends HTMLElement {
  readonly inner = this.attachShadow({ mode: 'open' }).appendChild(
    document.createElement('button'),
  );
}
customElements.define('pay-button', PayButton);

test.each([
  ['enabled', false, 'in it'],
  ['disabled while it waits', true, 'on it'],
])(
  'data-cardseal-button on a custom element: a click on a button in its shadow root, %s, is a press',
  async (_, isDisabled, reached) => {
    const page = open(`${FIELDS}<pay-button data-cardseal-button></pay-button>`);
    const host = page.form.querySelector<PayButton>('pay-button')!;
    host.inner.type = 'button';
    const seen: [string, string | null][] = [];
    host.inner.addEventListener('click', () => seen.push(['in it', blockIn(page)]));
    host.addEventListener('click', () => seen.push(['on it', blockIn(page)]));
    page.form.addEventListener('cardseal:submit', () => {
      host.inner.disabled = isDisabled;
    });
    await bind(page.form).ready;
    fill(page);
    host.inner.click();
    await vi.waitUntil(() => seen.length > 0);
    expect(seen[0]![0]).toBe(reached);
    expect(await decrypt(JSON.parse(seen[0]![1]!))).toEqual(CARD);
  },
);

test('data-cardseal-button: a click on its icon, which is SVG, is a press', async () => {
  const page = open(FIELDS + CARD_BUTTON.replace('Send', 'Send<svg></svg>'));
  const seen = clicks(page, page.button('Send'));
  await bind(page.form).ready;
  fill(page);
  page.host.querySelector('svg')!.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  await vi.waitUntil(() => seen.length === 1);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

test('data-cardseal-button that submits: its destination is checked, also where events do not tell the submitter', async () => {
  const submitter = Object.getOwnPropertyDescriptor(SubmitEvent.prototype, 'submitter')!;
  Reflect.deleteProperty(SubmitEvent.prototype, 'submitter');
  later(() => Object.defineProperty(SubmitEvent.prototype, 'submitter', submitter));
  const page = open(`${FIELDS}<button data-cardseal-button formmethod="get">Send</button>`);
  bind(page.form);
  fill(page);
  expect((await refused(page, page.button('Send'))).code).toBe('invalid_form');
  expect(statusOf(page)).toBe('Card payment is not available at the moment.');
  expect(await page.sent()).toEqual([]);
});

test('data-cardseal-button that submits: one press, which the browser sends', async () => {
  const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`);
  const presses = vi.fn();
  page.form.addEventListener('cardseal:submit', presses);
  bind(page.form);
  fill(page);
  const sent = await posted(page, page.button('Send'));
  expect(await decrypt(blockOf(sent[0]!))).toEqual(CARD);
  expect([sent.length, presses.mock.calls.length]).toEqual([1, 1]);
});

testRealInput(
  'data-cardseal-button that submits: a click that brings the same block is one press, too',
  async () => {
    const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`);
    const presses = vi.fn();
    page.form.addEventListener('cardseal:submit', presses);
    page.form.addEventListener('submit', (event) => event.preventDefault());
    bind(page.form);
    fill(page);
    await clickAsShopper(page, page.button('Send'));
    await vi.waitUntil(() => page.passes === 1);
    await settled(page);
    await clickAsShopper(page, page.button('Send'));
    expect([page.passes, presses.mock.calls.length]).toEqual([2, 2]);
  },
);

test('data-cardseal-button: one that the page has replaced meanwhile is not clicked', async () => {
  const page = open(`${FIELDS + CARD_BUTTON}<input required>`); // a click does not ask whether it is valid
  const button = page.button('Send');
  const seen = clicks(page, button);
  page.form.addEventListener('cardseal:encrypted', () =>
    button.replaceWith(button.cloneNode(true)),
  );
  bind(page.form);
  fill(page);
  button.click();
  await vi.waitUntil(() => statusOf(page));
  expect([seen, statusOf(page)]).toEqual([[], 'Press the button again.']);
});

test('a form that is not in the document can be bound, also if a button names it', () => {
  const host = document.createElement('div');
  host.innerHTML = `<form id="apart" method="post">${FIELDS}</form>
    <button data-cardseal-button="apart">Send</button>`;
  expect(() => bind(host.querySelector('form')!)).not.toThrow();
});

const OUTSIDE = (attributes: string) => CARD_BUTTON.replace(' data', ` ${attributes} data`);
const PLACES: [where: string, content: string, id: string, around: string][] = [
  ['around it', FIELDS + CARD_BUTTON, '', 'FORM'],
  [
    'whose id it names',
    FIELDS,
    'id="the-card"',
    `FORM${CARD_BUTTON.replace('-button>', '-button="the-card">')}<form></form>`,
  ],
  ['by its own form attribute', FIELDS, 'id="my-card"', `FORM${OUTSIDE('form="my-card"')}`],
  ['around a link', `${FIELDS}<a href="#x" data-cardseal-button>Send</a>`, '', 'FORM'],
];
test.each(PLACES)(
  'data-cardseal-button belongs to the form %s, and not to another one that is bound',
  async (_, content, id, around) => {
    const warn = vi.spyOn(console, 'warn');
    bind(open().form);
    const page = open(content, `method="post" ${id}`, around);
    const button = page.host.querySelector<HTMLButtonElement>('[data-cardseal-button]')!;
    const seen = clicks(page, button);
    button.addEventListener('click', (event) => event.preventDefault());
    await bind(page.form).ready;
    fill(page);
    button.click();
    await vi.waitUntil(() => seen[0]);
    expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
    expect(warn).not.toHaveBeenCalled();
    expect('disabled' in button).toBe(button.localName === 'button'); // a link does not get it
  },
);

test('data-cardseal-button in a page that has a Node of its own: its handlers find the block and no card', async () => {
  const node = window.Node;
  later(() => Object.assign(window, { Node: node }));
  const page = open(FIELDS + CARD_BUTTON);
  const seen = clicks(page, page.button('Send'));
  await bind(page.form).ready;
  fill(page);
  Object.assign(window, { Node: class {} });
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  expect(seen[0]!.values).toEqual(EMPTY);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

test('data-cardseal-button outside of two bound forms belongs to none of them, and to the other one when one has left the page', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const first = open(FIELDS);
  const second = open(FIELDS, 'method="post"', `FORM${CARD_BUTTON}`);
  for (const { form } of [first, second]) bind(form);
  const button = second.host.querySelector<HTMLElement>('[data-cardseal-button]')!;
  const seen = clicks(second, button);
  fill(second);
  warn.mockClear();
  button.click();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('no bound form')]]);
  expect([seen.length, first.form.hasAttribute('aria-busy')]).toEqual([1, false]);
  first.form.remove();
  button.click();
  await vi.waitUntil(() => seen.length === 2);
  expect(await decrypt(JSON.parse(seen[1]!.block!))).toEqual(CARD);
});

// Changed: it was a warning, also for a form whose script calls encrypt().
test('the developer of a form without a submit button is told of both other ways', async () => {
  const warn = vi.spyOn(console, 'info').mockImplementation(() => {});
  const image = '<input type="image" alt="Pay" formaction="https://elsewhere.example/">';
  const { ready } = bind(open(FIELDS + image).form); // an image submits, too
  await expect(ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(warn).not.toHaveBeenCalled();
  await bind(open(`${FIELDS}<object type="submit"></object>`).form).ready;
  const advice = 'call encrypt(), or mark your button: data-cardseal-button';
  expect(warn.mock.calls).toEqual([[expect.stringContaining(advice)]]);
});

test('the developer is told so when the card is chosen, and comes, after binding', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {});
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const button of ['', '<button formaction="https://elsewhere.example/">Pay</button>']) {
    const page = open('<div></div>');
    let isCard = false;
    await bind(page.form, { when: () => isCard }).ready;
    isCard = true;
    page.form.querySelector('div')!.innerHTML = FIELDS + button;
    for (const control of page.form.querySelectorAll('input')) {
      control.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
    }
  }
  const advice = 'call encrypt(), or mark your button: data-cardseal-button';
  expect(info.mock.calls).toEqual([[expect.stringContaining(advice)]]);
  expect(error.mock.calls).toEqual([[expect.stringContaining('an action on its own origin')]]);
});

test('data-cardseal-button: in a closed shadow root it works, and the form needs no other button', async () => {
  const logged = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')];
  for (const log of logged) log.mockImplementation(() => {});
  const page = open(FIELDS + CARD_BUTTON, 'method="get"');
  page.host.attachShadow({ mode: 'closed' }).append(page.form);
  const seen = clicks(page, page.button('Send'));
  await sendOnce(page, seen);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
  expect([page.errors, ...logged.map(({ mock }) => mock.calls)]).toEqual([[], [], []]);
});

test('data-cardseal-button: in a closed shadow root it works beside its form, too', async () => {
  const page = open(FIELDS);
  page.form.id = 'card';
  const root = page.host.attachShadow({ mode: 'closed' });
  root.append(page.form);
  page.form.insertAdjacentHTML('afterend', CARD_BUTTON.replace('type', 'form="card" type'));
  const seen = clicks(page, page.button('Send'));
  await sendOnce(page, seen);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

testRealInput('data-cardseal-button: in a shadow root, too, a click is one press', async () => {
  const page = open(FIELDS + CARD_BUTTON);
  page.host.attachShadow({ mode: 'open' }).append(page.form);
  const presses = vi.fn();
  page.form.addEventListener('cardseal:submit', presses);
  bind(page.form);
  fill(page);
  await clickAsShopper(page, page.button('Send'));
  await vi.waitUntil(() => blockIn(page));
  await settled(page);
  await clickAsShopper(page, page.button('Send')); // passes at once
  expect(presses).toHaveBeenCalledTimes(2);
});

test('data-cardseal-button: a button that the page disables while it waits is clicked all the same', async () => {
  const page = open(FIELDS + CARD_BUTTON);
  const button = page.button('Send');
  const seen = clicks(page, button);
  page.form.addEventListener('cardseal:submit', () => {
    button.disabled = true;
  });
  bind(page.form);
  fill(page);
  button.click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
  expect(button.disabled).toBe(true);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

test('data-cardseal-button: in a browser without composedPath, too, the shopper reads that it cannot pay', async () => {
  const { composedPath } = Event.prototype;
  later(() => {
    Event.prototype.composedPath = composedPath;
  });
  const page = open(FIELDS + CARD_BUTTON);
  bind(page.form);
  fill(page);
  Event.prototype.composedPath = undefined as never;
  expect((await refused(page, page.button('Send'))).code).toBe('unsupported_browser');
  expect(values(page)).toEqual(KEPT);
});
