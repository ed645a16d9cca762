/** What the browser sends: the block, the rest of the form, and the button. */
import { describe, expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { pageOf } from '../../src/form/page/page.ts';
import { decrypt, freshKey } from '../support/core.ts';
import {
  bind,
  blockOf,
  CARD,
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
  values,
} from '../support/form.ts';

const AGAIN = 'Press the button again.';

// Claim no-clear-text. Why: No control of a card may have a `name`: src/form/controls/fields.ts. The
// destination is checked at each press: src/form/page/destination.ts.
test('posts the block and the rest of the form, and nothing of the card', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  await bind(page.form).ready;
  expect(page.ready).toBe(1);
  fill(page);
  const [sent, more] = await posted(page);
  expect(more).toBeUndefined();
  expect(sent!.method).toBe('POST');
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  expect(page.encrypted).toEqual([blockOf(sent!).key_id]);
  expect(values(page)).toEqual(EMPTY);
  expect(page.form.querySelectorAll('input').length).toBe(5); // no hidden input was made
});

test('posts the block under another name, and as multipart/form-data, where it is told to', async () => {
  const page = open(html(), 'method="post" enctype="multipart/form-data"');
  bind(page.form, { fieldName: 'card' });
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.contentType).toContain('multipart/form-data');
  expect(sent!.body.map(([name]) => name)).toEqual(['card']);
});

const BUTTONS = `${html()}
  <button name="how" value="now">Now</button>
  <button name="how" value="later" formaction="?where=elsewhere">Later</button>
  <button name="how" value="unchecked" formnovalidate>Unchecked</button>
  <input name="email" type="email">`;

test('keeps the button: its name, value and formaction', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  page.button('Later').setAttribute('formaction', `${page.form.action}?where=elsewhere`);
  fill(page);
  const press = next<CustomEvent>(page.form, 'cardseal:submit');
  const [sent] = await posted(page, page.button('Later'));
  expect((await press).detail).toEqual({ submitter: page.button('Later') });
  expect(sent!.query).toEqual([['where', 'elsewhere']]);
  expect(sent!.body).toContainEqual(['how', 'later']);
});

test.each(['<button>Pay</button>', '<input type="submit">', '<input type="image" alt="Pay">'])(
  'listeners of the page see the press of %s as the browser would make it',
  async (button) => {
    const page = open(FIELDS + button);
    const element = page.form.lastElementChild as HTMLButtonElement;
    bind(page.form);
    fill(page);
    expect((await passed(page, element)).submitter).toBe(element);
  },
);

test('where events do not tell the submitter, only a click that has just come to the form counts', async () => {
  const submitter = Object.getOwnPropertyDescriptor(SubmitEvent.prototype, 'submitter')!;
  Reflect.deleteProperty(SubmitEvent.prototype, 'submitter');
  later(() => Object.defineProperty(SubmitEvent.prototype, 'submitter', submitter));
  const page = open(`${html()}<button formmethod="get">Wrong</button>`);
  const other = open('<button formmethod="get">Other</button>');
  for (const form of [page.form, other.form]) {
    form.addEventListener('click', (event) => event.preventDefault());
  }
  bind(page.form);
  page.button('Wrong').click(); // which causes no submit
  await settled(page);
  other.form.onclick = () => page.form.requestSubmit();
  for (const submit of [() => page.form.requestSubmit(), () => other.button('Other').click()]) {
    fill(page);
    const arrived = page.arrived();
    submit();
    expect((await arrived).at(-1)!.method).toBe('POST');
  }
});

test('keeps formnovalidate: the other controls of the page are not checked', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  page.form.querySelector<HTMLInputElement>('[name=email]')!.value = 'not an address';
  const invalid = next(page.form.querySelector('[name=email]')!, 'invalid');
  page.button('Now').click();
  await invalid;
  expect([page.passes, values(page), page.errors]).toEqual([
    0,
    [TYPED.number, TYPED.name, TYPED.expiry, TYPED.cvv],
    [],
  ]);
  const [sent] = await posted(page, page.button('Unchecked'));
  expect(sent!.body).toContainEqual(['how', 'unchecked']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test.each([
  ['the browser says so, and the library says nothing', false, undefined],
  ['where the page keeps the browser from saying so, the library does (G9)', true, AGAIN],
])('a control that has become invalid meanwhile: %s', async (_, isQuiet, status) => {
  const page = open(`${html()}<input name="email" value="z@x" required>`);
  const email = page.form.querySelector<HTMLInputElement>('[name=email]')!;
  email.addEventListener('invalid', (event) => isQuiet && event.preventDefault());
  page.form.addEventListener('cardseal:encrypted', () => {
    email.value = '';
  });
  bind(page.form);
  fill(page);
  page.button().click();
  await next(email, 'invalid');
  await settled(page);
  expect([page.passes, statusOf(page), values(page)]).toEqual([0, status, KEPT]);
});

test.each([
  ['an invalid control', 'submit', '', '', 'required', true],
  ['one whose event the page cancels', 'submit', '', '', 'required class="quiet"', false],
  ['one that nobody sees', 'submit', '', '', 'required hidden', false],
  ['one that is inert, as behind a modal dialog', 'submit', '', '', 'required inert', false],
  ['a valid one', 'submit', '', '', '', false],
  ['the click of a card button, which validates nothing', 'click', '', '', 'required', false],
  ['novalidate', 'submit', 'novalidate', '', 'required', false],
  ['a button with formnovalidate', 'submit', '', 'formnovalidate', 'required', false],
] as const)(
  'whether the browser has said why a press is not repeated: %s',
  (_, kind, attributes, ofButton, ofInput, expected) => {
    const type = kind === 'click' ? 'button' : 'submit';
    const { form, button } = open(
      `<input ${ofInput}><button type="${type}" ${ofButton}>Pay</button>`,
      `method="post" ${attributes}`,
    );
    form.addEventListener('submit', (event) => event.preventDefault());
    form.querySelector('.quiet')?.addEventListener('invalid', (event) => event.preventDefault());
    const { repeat } = pageOf(form, { key: freshKey() });
    expect(repeat(kind, button(), null)).toBe(expected);
    if (kind === 'submit' && !ofButton) expect(repeat(kind, null, null)).toBe(expected);
    form.remove();
    expect(repeat(kind, button(), null)).toBe(false);
  },
);

test.each(['hidden', 'inert'])(
  'a browser has not said why if the refused control had the focus, and is %s just now (G9)',
  (attribute) => {
    const { form, button } = open('<fieldset><input></fieldset><button>Pay</button>');
    const input = form.querySelector('input')!;
    input.focus();
    form.querySelector('fieldset')!.setAttribute(attribute, '');
    input.setCustomValidity('We cannot deliver there');
    const { repeat } = pageOf(form, { key: freshKey() });
    expect(repeat('submit', button(), null)).toBe(false);
  },
);

test('a browser has not said why if the page cancels the event of a control that had the focus (G9)', () => {
  const { form, button } = open('<input required><button>Pay</button>');
  const input = form.querySelector('input')!;
  input.focus();
  input.addEventListener('invalid', (event) => event.preventDefault());
  expect(pageOf(form, { key: freshKey() }).repeat('submit', button(), null)).toBe(false);
});

test('a browser has not said why at a custom element that takes no focus (G9)', () => {
  class Invalid extends HTMLElement {
    static formAssociated = true;
    constructor() {
      super();
      this.attachInternals().setValidity({ customError: true }, 'Choose a date');
    }
  }
  customElements.define('x-invalid', Invalid);
  const { form, button } = open('<x-invalid>Date</x-invalid><button>Pay</button>');
  const refusal = vi.fn();
  form.addEventListener('invalid', refusal, true);
  expect(pageOf(form, { key: freshKey() }).repeat('submit', button(), null)).toBe(false);
  expect(refusal).toHaveBeenCalledOnce();
});

test('a repeat leaves no listener behind, also if a listener of the page throws', () => {
  const { form, button } = open('<button>Pay</button>');
  const added = vi.spyOn(document, 'addEventListener');
  const removed = vi.spyOn(document, 'removeEventListener');
  later(() => vi.restoreAllMocks());
  form.addEventListener('submit', (event) => event.preventDefault());
  const { repeat } = pageOf(form, { key: freshKey() });
  repeat('submit', button(), null);
  vi.spyOn(form, 'requestSubmit').mockImplementation(() => {
    throw new Error('of the page');
  });
  expect(() => repeat('submit', button(), null)).toThrow('of the page');
  expect(added.mock.calls.map(([type]) => type)).toEqual(['invalid', 'invalid']);
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

test('without requestSubmit and without a button, a button that the page may remove at once submits', () => {
  const { requestSubmit } = HTMLFormElement.prototype;
  Reflect.deleteProperty(HTMLFormElement.prototype, 'requestSubmit');
  later(() => Object.assign(HTMLFormElement.prototype, { requestSubmit }));
  const page = open('<input name="note">');
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    event.submitter!.remove();
  });
  pageOf(page.form, { key: freshKey() }).repeat('submit', null, null);
  expect(page.passes).toBe(1);
});

test('a repeat that the browser refuses because of a control that the page has hidden ends in a text (G9)', async () => {
  const page = open(`<fieldset><input name="phone" required value="1">${html()}</fieldset>`);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.button().click();
  const phone = page.form.querySelector<HTMLInputElement>('[name=phone]')!;
  phone.value = '';
  phone.hidden = true;
  key.resolve(freshKey());
  await vi.waitUntil(() => statusOf(page));
  expect([statusOf(page), page.passes]).toEqual([AGAIN, 0]);
  phone.hidden = false; // now the browser says itself what is missing
  page.button().click();
  expect(page.passes).toBe(0);
  phone.value = '1';
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test.each([
  ['removed', (button: HTMLButtonElement) => button.remove()],
  ['given to another form', (button: HTMLButtonElement) => button.setAttribute('form', 'other')],
  [
    'made another kind of button',
    (button: HTMLButtonElement) => button.setAttribute('type', 'button'),
  ],
  [
    'disabled',
    (button: HTMLButtonElement) => {
      button.disabled = true;
    },
  ],
  [
    'in a fieldset that was disabled',
    (button: HTMLButtonElement) => {
      button.closest('fieldset')!.disabled = true;
    },
  ],
])(
  'is sent as the button would if that was %s meanwhile, as pages do that wait',
  async (_, change) => {
    const button = '<button name="how" value="x" formmethod="post" formnovalidate>X</button>';
    const page = open(
      `${FIELDS}<input required><fieldset><legend>How</legend>${button}</fieldset>`,
      'method="get"',
    );
    const [x, { target, action }] = [page.button('X'), page.form];
    x.setAttribute('formaction', `${action}?by=button`);
    x.setAttribute('formenctype', 'multipart/form-data');
    x.setAttribute('formtarget', target);
    page.form.target = 'nowhere';
    const key = deferred<CardEncryptionKey>();
    bind(page.form, { key: () => key.promise });
    fill(page);
    const arrived = page.arrived();
    x.click();
    change(x);
    const submit = next<SubmitEvent>(page.form, 'submit');
    key.resolve(freshKey());
    expect((await submit).submitter).toHaveProperty('hidden', true);
    const [sent] = await arrived;
    expect([sent!.query, sent!.contentType]).toEqual([
      [['by', 'button']],
      expect.stringMatching(/^multipart\/form-data/),
    ]);
    expect(sent!.body.map(([name]) => name).sort()).toEqual(['encrypted_card', 'how']);
    expect(sent!.body).toContainEqual(['how', 'x']);
    expect(page.form.querySelectorAll('button').length).toBeLessThan(2); // no stand-in is left
  },
);

// Control no-clear-text
test('form.submit() sends no card and no block', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  await bind(page.form).ready;
  fill(page);
  const arrived = page.arrived();
  page.form.submit();
  expect((await arrived).map(({ body }) => body)).toEqual([[['email', 'z@example.com']]]);
});

test('a requestSubmit of the page that throws: the shopper reads that nothing was sent, and the next press works', async () => {
  const page = open();
  const error = new TypeError('of the page');
  page.form.requestSubmit = () => {
    throw error;
  };
  bind(page.form);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => statusOf(page));
  expect(statusOf(page)).toBe(AGAIN);
  expect(vi.mocked(reportError).mock.calls).toEqual([[error]]);
  fill(page, OTHER);
  Reflect.deleteProperty(page.form, 'requestSubmit');
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(OTHER_CARD);
});

test('requestSubmit() by the page, without a button, is sent with the block', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  page.form.requestSubmit();
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
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
  ['a text input of the name', '<input name="encrypted_card">'],
  ['two hidden inputs of the name', '<input type="hidden" name="encrypted_card">'.repeat(2)],
  ['no name', '', { fieldName: '' }],
])('%s for the block is invalid_form', async (_, control, options?: { fieldName: string }) => {
  const page = open(html() + control);
  await expect(bind(page.form, options).ready).rejects.toMatchObject({
    code: 'invalid_form',
    message: expect.stringContaining(options ? 'fieldName' : 'encrypted_card'),
  });
  fill(page);
  await refused(page);
  expect([page.passes, values(page)]).toEqual([0, KEPT]);
});

describe('a second control of the name that comes during a press', () => {
  const second = (page: Page) => {
    const input = document.createElement('input');
    input.type = 'hidden';
    input.name = 'encrypted_card';
    page.form.append(input);
    return input;
  };

  test('ends it, and the next press sends its block when the control is gone', async () => {
    const page = open(`${html()}<input type="hidden" name="encrypted_card">`);
    await bind(page.form).ready;
    fill(page);
    let added: HTMLInputElement | undefined;
    page.form.addEventListener('cardseal:submit', () => (added ??= second(page)));
    await refused(page);
    added!.remove();
    const [sent] = await posted(page);
    expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  });

  test('while the fields are emptied: code of the page gets its block, and the form is idle', async () => {
    const page = open(`${html()}<input type="hidden" name="encrypted_card">`);
    const blocks: EncryptedCard[] = [];
    await bind(page.form, { onEncrypted: (block) => void blocks.push(block) }).ready;
    fill(page);
    page.control('number').addEventListener('change', () => second(page), { once: true });
    page.form.requestSubmit();
    await vi.waitUntil(() => blocks.length > 0);
    expect(await decrypt(blocks[0]!)).toEqual(CARD);
    await vi.waitUntil(() => !page.form.hasAttribute('aria-busy'));
  });
});

test('a text input with the name of the block keeps what stands in it', () => {
  const page = open(`${html()}<input name="encrypted_card" value="of the page">`);
  bind(page.form);
  const input = page.form.querySelector<HTMLInputElement>('[name=encrypted_card]')!;
  expect(input.value).toBe('of the page');
});
