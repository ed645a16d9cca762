/** Presses that are not card payments pass untouched, and never carry a block. */
import { expect, test, vi } from 'vitest';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt } from '../support/core.ts';
import { withoutAddresses } from '../support/find-card.ts';
import {
  BUTTON,
  bind,
  blockIn,
  CARD,
  CONTROLS,
  countEncryptions,
  deferred,
  FIELDS,
  fill,
  html,
  idle,
  KEPT,
  later,
  open,
  type Page,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  textRead,
  values,
} from '../support/form.ts';

type Input = HTMLInputElement;

interface Way {
  content?: string;
  options?: Partial<CardFormOptions>;
  /** Makes the next press another payment method. */
  choose?: (page: Page) => void;
  /** Makes the next press a card payment again. */
  chooseCard?: (page: Page) => void;
  button?: string;
  /** Whether a card can stand in the fields while the other method is chosen. */
  filled?: boolean;
}

const FOLD = `<div id="card">${FIELDS}</div>${BUTTON}`;
const card = (page: Page) => page.form.querySelector<HTMLElement>('#card, fieldset, details')!;
let isCard = true;

const WAYS: Record<string, Way> = {
  'a button with data-cardseal-skip': {
    content: `${html()}<button data-cardseal-skip>Other</button>`,
    button: 'Other',
    filled: true,
  },
  'when() is false': {
    options: { when: () => isCard },
    choose: () => {
      isCard = false;
    },
    chooseCard: () => {
      isCard = true;
    },
    filled: true,
  },
  'all card controls disabled': {
    content: `<fieldset>${FIELDS}</fieldset>${BUTTON}`,
    choose: (page) => card(page).setAttribute('disabled', ''),
    chooseCard: (page) => card(page).removeAttribute('disabled'),
    filled: true,
  },
  'number and code not displayed, and empty': {
    content: FOLD,
    choose: (page) => card(page).setAttribute('hidden', ''),
    chooseCard: (page) => card(page).removeAttribute('hidden'),
  },
  'number and code with visibility: hidden, and empty': {
    content: FOLD,
    choose: (page) => card(page).style.setProperty('visibility', 'hidden'),
    chooseCard: (page) => card(page).style.removeProperty('visibility'),
  },
  'number and code in closed details, and empty': {
    content: `<details open><summary>Card</summary>${FIELDS}</details>${BUTTON}`,
    choose: (page) => card(page).removeAttribute('open'),
    chooseCard: (page) => card(page).setAttribute('open', ''),
  },
};

// Claim other-press. Why: src/form/page/card-payment.ts decides what is one. Any other press takes
// the block out of the form's data.
test.each(Object.entries(WAYS))(
  '%s: the press passes at once, without a block, and nothing is read',
  async (_, way) => {
    isCard = true;
    const encryptions = countEncryptions();
    const page = open(way.content, 'method="post"');
    const asked = vi.fn();
    page.form.addEventListener('cardseal:submit', asked);
    await bind(page.form, way.options).ready;
    page.form.insertAdjacentHTML('beforeend', '<input name="coupon" value="SUMMER">');
    way.choose?.(page);
    if (way.filled) fill(page);
    const [sent] = await posted(page, page.button(way.button));
    expect(sent!.body).toEqual([['coupon', 'SUMMER']]);
    expect([encryptions(), asked.mock.calls, page.errors, statusOf(page)]).toEqual([
      0,
      [],
      [],
      undefined,
    ]);
    expect(values(page)).toEqual(way.filled ? KEPT : ['', '', '', '']);

    way.chooseCard?.(page);
    fill(page);
    const [, paid] = await posted(page);
    expect(await decrypt(JSON.parse(Object.fromEntries(paid!.body).encrypted_card!))).toEqual(CARD);
  },
);

test('a form is not checked at binding while another way to pay is chosen', async () => {
  const page = open(FOLD, 'method="get"');
  card(page).hidden = true;
  await bind(page.form).ready;
  card(page).hidden = false;
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
});

// Control other-press
test('a card in fields that are not rendered is paid with: the shopper typed it', async () => {
  const page = open(FOLD);
  bind(page.form);
  fill(page);
  card(page).hidden = true;
  const [sent] = await posted(page);
  expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(CARD);
});

test.each<[string, (page: Page) => void]>([
  [
    'empty fields of which the code is rendered',
    (page) => {
      page.control('number').parentElement!.hidden = true;
    },
  ],
  [
    'fields of which one holds a digit, although none is rendered,',
    (page) => {
      page.control('number').value = '4';
      card(page).hidden = true;
    },
  ],
  [
    'empty fields where nothing has a layout, as in jsdom,',
    () => vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue([] as never),
  ],
])('%s are a card payment', async (_, change) => {
  const page = open(FOLD);
  bind(page.form);
  change(page);
  expect((await refused(page)).code).toBe('invalid_card');
});

// Control other-press
test('one disabled card control is no other way to pay', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  page.control('cvv').disabled = true;
  expect((await refused(page)).code).toBe('invalid_form');
  expect(page.passes).toBe(0);
});

test('a button that pays otherwise may stand first, and lead to another origin', async () => {
  const other = '<button data-cardseal-skip formaction="https://elsewhere.example/">Other</button>';
  const page = open(other + html());
  await bind(page.form).ready;
  expect(page.errors).toEqual([]);
});

test('formmethod=dialog closes the dialog, and pays nothing', async () => {
  const encryptions = countEncryptions();
  const cancel = '<button formmethod="dialog" value="cancelled">Cancel</button>';
  const page = open(cancel + html(), 'method="post"', '<dialog>FORM</dialog>');
  const dialog = page.host.querySelector('dialog')!;
  bind(page.form);
  dialog.showModal();
  fill(page);
  page.button('Cancel').click();
  expect([dialog.open, dialog.returnValue]).toEqual([false, 'cancelled']);
  await settled(page);
  expect([encryptions(), await page.sent(), values(page)]).toEqual([0, [], KEPT]);
});

test.each<[string, () => boolean, string]>([
  ['returns nothing', () => undefined as never, 'The shopper has to correct the card'],
  [
    'throws',
    () => {
      throw new Error(TYPED.number);
    },
    'when, or data-cardseal-when, must not fail',
  ],
])('a when() that %s counts as a card payment', async (_, when, message) => {
  const page = open();
  bind(page.form, { when });
  const error = await refused(page);
  expect(error.message).toBe(message);
  expect(withoutAddresses(error.stack!)).not.toContain('4929');
  expect([page.passes, textRead(page)]).toEqual([0, expect.any(String)]);
});

test('a when() that throws while a block is on its way: nobody reads that nothing was sent', async () => {
  const page = open();
  const pending = deferred<void>();
  let isBroken = false;
  const when = () => {
    if (isBroken) throw new Error('planted');
    return true;
  };
  const onEncrypted = vi.fn(() => pending.promise);
  bind(page.form, { when, onEncrypted });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => onEncrypted.mock.calls.length === 1);
  isBroken = true;
  expect((await refused(page)).code).toBe('invalid_form');
  expect(statusOf(page)).toBe('There is no answer yet. Press the button again.');
  pending.resolve();
});

test('a when() that throws just before the block goes out: nothing is sent, and the developer is told', async () => {
  const page = open();
  let isBroken = false;
  const when = () => {
    if (isBroken) throw new Error('planted');
    return true;
  };
  page.form.addEventListener('cardseal:encrypted', () => {
    isBroken = true;
  });
  const binding = bind(page.form, { when });
  fill(page);
  expect((await refused(page)).code).toBe('invalid_form');
  await settled(page);
  expect([page.passes, await page.sent(), binding.isBusy]).toEqual([0, [], false]);
});

test('fields that are hidden are another way to pay, and fields that are seen are not, where the engine has no checkVisibility', async () => {
  const { checkVisibility } = Element.prototype;
  Reflect.deleteProperty(Element.prototype, 'checkVisibility');
  later(() => {
    Element.prototype.checkVisibility = checkVisibility;
  });
  const page = open(`<div>${html()}</div><button>Invoice</button>`);
  bind(page.form);
  expect((await refused(page)).code).toBe('invalid_card');
  await idle(page);
  page.form.querySelector('div')!.hidden = true;
  expect((await posted(page, page.button('Invoice'))).length).toBe(1);
});

// Claim other-press
test('entries that contain the typed number stay behind, and the rest of the data is sent', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const note = '<input name="note"><input name="coupon" value="SUMMER">';
  const page = open(note + html());
  await bind(page.form, { when: () => false }).ready;
  fill(page);
  page.form.querySelector<Input>('[name=note]')!.value = `mine: ${TYPED.number}, and ${TYPED.cvv}`;
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([['coupon', 'SUMMER']]);
});

// Claim no-clear-text
test.each(['4242.4242.4242.4242', `Visa ${TYPED.number}`, `${TYPED.number} 12/31`])(
  'a copy of the number stays behind, whatever is typed beside its digits: %s',
  async (typed) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const page = open(`<input type="hidden" name="cc">${html()}`);
    await bind(page.form, { when: () => false }).ready;
    fill(page);
    page.control('number').value = typed;
    page.form.querySelector<Input>('[name=cc]')!.value = typed.replace(/\D/g, '');
    const [sent] = await posted(page);
    expect(sent!.body).toEqual([]);
  },
);

// Changed: the library set `novalidate` and validated itself. Now the browser does, as without it.
// Claim other-press
test("for another way to pay, too, the page's own controls have to be valid", async () => {
  const page = open(`${html()}<input name="email" required>`);
  await bind(page.form, { when: () => false }).ready;
  page.button().click();
  await settled(page);
  expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
  const email = page.form.querySelector<Input>('[name=email]')!;
  expect(document.activeElement).toBe(email); // with the browser's bubble
  email.value = 'ada@example.org';
  const [sent] = await posted(page);
  expect(sent!.body).toEqual([['email', 'ada@example.org']]);
});

// Claim card-on-screen
test('a block that stands in the form when it is bound never goes with anything', async () => {
  const hidden = '<input type="hidden" name="encrypted_card" value="of another card">';
  const page = open(html() + hidden);
  const input = page.form.querySelector<Input>('[name=encrypted_card]')!;
  bind(page.form);
  expect([input.value, blockIn(page)]).toEqual(['', '']);
  input.value = 'rendered again';
  fill(page);
  expect(blockIn(page)).toBe(null);
  const second = input.cloneNode() as Input;
  input.value = '';
  page.form.append(second); // 'rendered again' is its entry, behind an empty one
  expect(new FormData(page.form).getAll('encrypted_card')).toEqual([]);
});

test('a press that pays in another way empties the hidden input also if the page has filled it', async () => {
  const hidden = '<input type="hidden" name="encrypted_card">';
  const page = open(`${html()}<button data-cardseal-skip>Other</button>${hidden}`);
  const input = page.form.querySelector<Input>('[name=encrypted_card]')!;
  const found: string[] = [];
  page.form.addEventListener('submit', () => void found.push(input.value));
  bind(page.form);
  input.value = 'rendered again';
  await posted(page, page.button('Other'));
  expect(found).toEqual(['']);
});

const SHARED_NAME = '<input name="billing_name" autocomplete="cc-name" data-cardseal-shared>';

test('a name that the shop needs itself does not make another way to pay a card payment', async () => {
  const page = open(html({ name: SHARED_NAME }));
  bind(page.form);
  fill(page);
  for (const field of ['number', 'expiry', 'cvv']) page.control(field).disabled = true;
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([['billing_name', TYPED.name]]);
});

test('number and code tell whether the shopper sees the fields: a name that is seen does not', async () => {
  const { number, name, expiry, cvv } = CONTROLS;
  const page = open(`<div hidden>${number}${cvv}</div>${name}${expiry}${BUTTON}`);
  bind(page.form);
  expect((await posted(page)).length).toBe(1);
  expect(page.errors).toEqual([]);
});

test('the placeholder of a mask in a hidden panel is no card', async () => {
  const page = open(`<div hidden>${FIELDS}</div>${BUTTON}`);
  bind(page.form);
  fill(page, { number: '____ ____', cvv: '___' });
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([]);
});
