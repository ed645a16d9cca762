/** Presses that are not card payments pass untouched, and never carry a block. */
import { describe, expect, test, vi } from 'vitest';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  CARD,
  CONTROLS,
  cancelling,
  countEncryptions,
  deferred,
  fill,
  html,
  idle,
  KEPT,
  later,
  letSubmitsGo,
  next,
  open,
  type Page,
  passed,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  values,
} from '../tools/support/form.ts';

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

const OTHER_BUTTON = (attributes: string) => `${html()}<button ${attributes}>Other</button>`;
const FOLD = `<div id="card">${Object.values(CONTROLS).join('')}</div><button>Pay</button>`;
const card = (page: Page) => page.form.querySelector<HTMLElement>('#card, fieldset, details')!;
let isCard = true;

const WAYS: Record<string, Way> = {
  'a button with data-cardseal-skip': {
    content: OTHER_BUTTON('data-cardseal-skip'),
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
    content: `<fieldset>${Object.values(CONTROLS).join('')}</fieldset><button>Pay</button>`,
    choose: (page) => card(page).setAttribute('disabled', ''),
    chooseCard: (page) => card(page).removeAttribute('disabled'),
    filled: true,
  },
  'number and code not displayed, and empty': {
    content: FOLD,
    choose: (page) => {
      card(page).hidden = true;
    },
    chooseCard: (page) => {
      card(page).hidden = false;
    },
  },
  'number and code with visibility: hidden, and empty': {
    content: FOLD,
    choose: (page) => {
      card(page).style.visibility = 'hidden';
    },
    chooseCard: (page) => {
      card(page).style.visibility = '';
    },
  },
  'number and code in closed details, and empty': {
    content: `<details open><summary>Card</summary>${Object.values(CONTROLS).join('')}</details><button>Pay</button>`,
    choose: (page) => {
      (card(page) as HTMLDetailsElement).open = false;
    },
    chooseCard: (page) => {
      (card(page) as HTMLDetailsElement).open = true;
    },
  },
};

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

test.each(Object.entries(WAYS))(
  '%s: a block of an earlier press that was cancelled is taken out',
  async (_, way) => {
    isCard = true;
    const page = open(way.content);
    const blocks: (string | null)[] = [];
    page.form.addEventListener('submit', (event) => {
      event.preventDefault();
      blocks.push(blockIn(page));
    });
    bind(page.form, way.options);
    fill(page);
    const passed = next(page.form, 'submit');
    page.button().click();
    await passed;
    await idle(page);
    way.choose?.(page);
    if (!way.filled) fill(page, { number: '', cvv: '' });
    page.button(way.button).click();
    await settled(page);
    expect(blocks).toEqual([expect.any(String), null]);
    expect(page.form.querySelector('[name=encrypted_card]')).toBe(null);
  },
);

test('a card in fields that are not rendered is paid with: the shopper typed it', async () => {
  const page = open(FOLD);
  bind(page.form);
  fill(page);
  card(page).hidden = true;
  const [sent] = await posted(page);
  expect(await decrypt(JSON.parse(sent!.body[0]![1]))).toEqual(CARD);
});

test('empty fields of which the code is rendered are a card payment', async () => {
  const page = open();
  bind(page.form);
  page.control('number').parentElement!.hidden = true;
  expect((await refused(page)).code).toBe('invalid_card');
});

test('empty fields of which the number is rendered are a card payment', async () => {
  const page = open();
  bind(page.form);
  page.control('cvv').parentElement!.hidden = true;
  expect((await refused(page)).code).toBe('invalid_card');
});

test('where nothing has a layout, as in jsdom, empty fields are a card payment', async () => {
  const page = open();
  bind(page.form);
  vi.spyOn(Element.prototype, 'getClientRects').mockReturnValue([] as never);
  expect((await refused(page)).code).toBe('invalid_card');
});

test('fields of which one holds a digit are a card payment, although none is rendered', async () => {
  const page = open(FOLD);
  bind(page.form);
  page.control('number').value = TYPED.number;
  card(page).hidden = true;
  expect((await refused(page)).code).toBe('invalid_card');
});

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

test.each<[string, Partial<CardFormOptions>]>([
  ['natively', {}],
  ['with onEncrypted', { onEncrypted: vi.fn() }],
])('formmethod=dialog closes the dialog %s, and pays nothing', async (_, options) => {
  const encryptions = countEncryptions();
  const page = open(
    `<button formmethod="dialog" value="cancelled">Cancel</button>${html()}`,
    'method="post"',
    '<dialog>FORM</dialog>',
  );
  const dialog = page.host.querySelector('dialog')!;
  bind(page.form, options);
  dialog.showModal();
  fill(page);
  page.button('Cancel').click();
  expect([dialog.open, dialog.returnValue]).toEqual([false, 'cancelled']);
  await settled(page);
  expect([encryptions(), await page.sent(), values(page)]).toEqual([0, [], KEPT]);
  if (options.onEncrypted) expect(options.onEncrypted).not.toHaveBeenCalled();
});

test.each([
  [
    'throws',
    () => {
      throw new Error(TYPED.number);
    },
  ],
])(
  'a when() that %s counts as a card payment, and ends in invalid_form with a message',
  async (_, when) => {
    const page = open();
    bind(page.form, { when });
    fill(page);
    const error = await refused(page);
    expect(error.code).toBe('invalid_form');
    expect(`${error.message}${error.stack}`).not.toContain('4929');
    expect(error.message).toBe('when, or data-cardseal-when, must not fail');
    expect(statusOf(page)).toBe('Card payment is not available at the moment. Nothing was sent.');
    expect([page.passes, values(page)]).toEqual([0, KEPT]);
  },
);

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

test('another way to pay that a listener of cardseal:submit chooses gets no block, of this press or an earlier one', async () => {
  const { page, blocks } = cancelling();
  let isCard = true;
  bind(page.form, { when: () => isCard });
  fill(page);
  const choose = () => {
    isCard = false;
  };
  for (const presses of [1, 2]) {
    page.form.addEventListener('cardseal:submit', choose, { once: true });
    page.button().click();
    await vi.waitUntil(() => statusOf(page) === 'Nothing was sent. Press the button again.');
    expect([blocks.length, values(page)]).toEqual([presses - 1, KEPT]);
    isCard = true;
    await passed(page); // a card press, which the page cancels
    await idle(page);
  }
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

test('a when() that returns nothing counts as a card payment', async () => {
  const page = open();
  bind(page.form, { when: () => undefined as never });
  expect((await refused(page)).code).toBe('invalid_card');
});

// Changed: the library set `novalidate` and validated itself. Now the browser does, as without it.
describe('another way to pay is validated by the browser, as without the library', () => {
  const press = async (content: string, attributes = '') => {
    const page = open(html() + content, `method="post" ${attributes}`);
    await bind(page.form, { when: () => false }).ready;
    page.button().click();
    await settled(page);
    return page;
  };
  const EMAIL = '<input name="email" required>';

  test("the page's own controls have to be valid", async () => {
    const page = await press(EMAIL);
    expect([page.passes, statusOf(page)]).toEqual([0, undefined]);
    expect((document.activeElement as Input).name).toBe('email'); // with the browser's bubble
    page.form.querySelector<Input>('[name=email]')!.value = 'ada@example.org';
    const [sent] = await posted(page);
    expect(sent!.body).toEqual([['email', 'ada@example.org']]);
  });

  test("the page's novalidate counts", async () => {
    expect((await press(EMAIL, 'novalidate')).passes).toBe(1);
  });

  test('a card control that is required has to be filled in: the page takes that off, or skips', async () => {
    const page = await press('<button formnovalidate>Invoice</button>');
    for (const control of page.controls()) control.required = true;
    page.button().click();
    expect(page.passes).toBe(1);
    page.button('Invoice').click();
    expect(page.passes).toBe(2);
  });
});

test('after a card press that the page has refused, a script that sends another way to pay finds no block', async () => {
  const page = open();
  isCard = true;
  bind(page.form, { when: () => isCard });
  page.form.addEventListener('submit', (event) => event.preventDefault());
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.encrypted.length === 1);
  await settled(page);
  await idle(page);
  expect(blockIn(page)).not.toBe(null);
  isCard = false;
  expect(blockIn(page)).toBe(null);
  isCard = true;
  page.button().click();
  await settled(page);
  expect(blockIn(page)).not.toBe(null);
});

test('a press that ends during its own submit leaves no block for another way to pay', async () => {
  const page = open(OTHER_BUTTON('data-cardseal-skip'));
  const blocks: (string | null)[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    blocks.push(blockIn(page));
  });
  bind(page.form);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => blocks.length === 1);
  await settled(page);
  page.button('Other').click();
  expect(blocks).toEqual([expect.any(String), null]);
});

test('another way to pay that a script sends while the card is on its way has no block', async () => {
  let isCard = true;
  const page = open();
  letSubmitsGo(page);
  bind(page.form, { when: () => isCard });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  expect(blockIn(page)).toEqual(expect.any(String));
  isCard = false;
  expect(blockIn(page)).toBe(null);
});

test('a block that stands in the form when it is bound never goes with anything', async () => {
  const hidden = '<input type="hidden" name="encrypted_card" value="of another card">';
  const page = open(html() + hidden);
  const input = page.form.querySelector<Input>('[name=encrypted_card]')!;
  bind(page.form);
  expect([input.value, blockIn(page)]).toEqual(['', '']);
  input.value = 'rendered again';
  fill(page);
  expect(blockIn(page)).toBe(null);
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

test('a hidden block that the server has rendered again never goes with another way to pay', async () => {
  const hidden = '<input type="hidden" name="encrypted_card" value="an old block">';
  const page = open(html() + hidden);
  bind(page.form, { when: () => false });
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([['encrypted_card', '']]);
});

test('the placeholder of a mask in a hidden panel is no card', async () => {
  const page = open(`<div hidden>${Object.values(CONTROLS).join('')}</div><button>Pay</button>`);
  bind(page.form);
  fill(page, { number: '____ ____', cvv: '___' });
  const arrived = page.arrived();
  page.button().click();
  expect((await arrived)[0]!.body).toEqual([]);
});
