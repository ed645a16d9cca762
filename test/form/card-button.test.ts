/** Buttons with `data-cardseal-button`: their handlers find the block in the form. */
import { describe, expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  CONTROLS,
  cancelled,
  countEncryptions,
  EMPTY,
  fill,
  html,
  KEPT,
  later,
  letSubmitsGo,
  open,
  type Page,
  posted,
  press,
  refused,
  settled,
  statusOf,
  TYPED,
  testRealInput,
  textRead,
  user,
  values,
} from '../tools/support/form.ts';

const FIELDS = Object.values(CONTROLS).join('');
const CLICK = '<button type="button" data-cardseal-button>Send</button>';

/** What the click handlers of the page find. */
function clicks(page: Page, button: HTMLElement) {
  const seen: { block: string | null; values: string[] }[] = [];
  button.addEventListener('click', () => seen.push({ block: blockIn(page), values: values(page) }));
  return seen;
}

/** Binds the form, and presses until the handlers of the page have run once. */
async function sendOnce(page: Page, seen: unknown[]) {
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
}

test('data-cardseal-button: its handlers run once, with the block in the form and the fields empty', async () => {
  const page = open(FIELDS + CLICK);
  const button = page.button('Send');
  const seen = clicks(page, button);
  bind(page.form);
  fill(page);
  button.click();
  await vi.waitUntil(() => seen[0]);
  await settled(page);
  expect(seen.map((click) => click.values)).toEqual([EMPTY]);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

test('data-cardseal-button: a handler that locks the fields first finds the block later', async () => {
  const page = open(FIELDS + CLICK);
  bind(page.form);
  fill(page);
  let block: string | null = null;
  page.button('Send').addEventListener('click', async () => {
    for (const control of page.controls()) control.disabled = true;
    await new Promise((resolve) => setTimeout(resolve));
    block = blockIn(page);
  });
  page.button('Send').click();
  await vi.waitUntil(() => block !== null);
  expect(await decrypt(JSON.parse(block!))).toEqual(CARD);
});

test('data-cardseal-button: at the second press, too, the submit by a handler belongs to the click', async () => {
  const page = open(html() + CLICK);
  let presses = 0;
  page.button('Send').addEventListener('click', () => {
    presses += 1;
    if (presses === 2) page.form.requestSubmit(); // the page has refused the first press
  });
  bind(page.form);
  fill(page);
  await press(page, page.button('Send'));
  await vi.waitUntil(() => presses === 1);
  await settled(page);
  const [sent] = await posted(page, page.button('Send'));
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('data-cardseal-button: a click after a submit that has passed, in the same task, is another press', async () => {
  const { page } = await cancelled(html() + CLICK);
  letSubmitsGo(page);
  const seen = clicks(page, page.button('Send'));
  page.button().click();
  page.button('Send').click();
  expect([page.passes, seen.length]).toEqual([2, 0]);
  expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
});

test('data-cardseal-button: with onEncrypted, too, its handlers run at once at the second press', async () => {
  const page = open(FIELDS + CLICK);
  const seen = clicks(page, page.button('Send'));
  bind(page.form, { onEncrypted: vi.fn() });
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
  page.button('Send').click();
  expect(seen.length).toBe(2);
});

// Changed: a press is refused only while something is under way; a kept block is handed out again.
test('data-cardseal-button: pressing again brings the same block at once, in each engine and root', async () => {
  const encryptions = countEncryptions();
  const page = open(FIELDS + CLICK);
  page.host.attachShadow({ mode: 'open' }).append(page.form);
  const seen = clicks(page, page.button('Send'));
  await sendOnce(page, seen);
  page.button('Send').click();
  expect([seen.length, seen[1]!.block === seen[0]!.block, encryptions()]).toEqual([2, true, 1]);
});

// Changed: it was a press of its own, which waited.
test('data-cardseal-button: a handler that clicks another such button: that click belongs to the press', async () => {
  const page = open(`${FIELDS}${CLICK}<button type="button" data-cardseal-button>Other</button>`);
  const seen = clicks(page, page.button('Send'));
  const others = clicks(page, page.button('Other'));
  page.button('Send').addEventListener('click', () => page.button('Other').click());
  await sendOnce(page, seen);
  expect([others.length, statusOf(page)]).toEqual([1, undefined]);
  expect(others[0]!.block).toBe(seen[0]!.block);
});

testRealInput(
  'data-cardseal-button: a submit that the shopper makes by Enter is a press of its own',
  async () => {
    const page = open(`${FIELDS}<button hidden>Submit</button>${CLICK}`);
    page.form.addEventListener('submit', (event) => event.preventDefault());
    const asked: (HTMLElement | null)[] = [];
    page.form.addEventListener('cardseal:submit', ({ detail }) => asked.push(detail.submitter));
    await sendOnce(page, clicks(page, page.button('Send')));
    page.form.requestSubmit(); // the script's own: it belongs to the press before
    expect([page.passes, asked]).toEqual([1, [page.button('Send')]]);
    await settled(page);
    page.control('name').focus();
    await user.keyboard('{Enter}');
    await settled(page);
    expect([page.passes, asked]).toEqual([2, [page.button('Send'), page.button('Submit')]]);
  },
);

test('data-cardseal-button: a card that is wrong is refused, and its handlers do not run', async () => {
  const page = open(FIELDS + CLICK);
  const seen = clicks(page, page.button('Send'));
  bind(page.form);
  fill(page, { number: '1' });
  page.button('Send').click();
  await settled(page);
  expect([seen, page.errors.map(({ code }) => code)]).toEqual([[], ['invalid_card']]);
  expect(textRead(page)).toBe('Check the card number');
});

test('data-cardseal-button: the constraints of the page are left to the page', async () => {
  const page = open(`${FIELDS + CLICK}<input name="email" required>`);
  const seen = clicks(page, page.button('Send'));
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen[0]);
});

test('data-cardseal-button: a first name in the emptied fields is the beginning of another card', async () => {
  const NAMES = '<input autocomplete="cc-given-name"><input autocomplete="cc-family-name">';
  const page = open(Object.values({ ...CONTROLS, name: NAMES }).join('') + CLICK);
  const seen = clicks(page, page.button('Send'));
  bind(page.form);
  const { number, expiry, cvv } = TYPED;
  fill(page, { number, expiry, cvv, given_name: 'Zoë', family_name: 'Quillow' });
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  await settled(page);
  page.control('given_name').value = 'Ada';
  page.control('given_name').dispatchEvent(new Event('input', { bubbles: true }));
  expect((await refused(page, page.button('Send'))).code).toBe('invalid_card');
  expect(seen.length).toBe(1);
});

test('data-cardseal-button: a form that it submits by itself is checked before it goes', async () => {
  const page = open(FIELDS + CLICK.replace('type="button"', 'type="submit"'), 'method="get"');
  bind(page.form);
  fill(page);
  const error = await refused(page, page.button('Send'));
  expect([error.code, await page.sent()]).toEqual(['invalid_form', []]);
});

test('data-cardseal-button: its own destination counts, also where events do not tell the submitter', async () => {
  const submitter = Object.getOwnPropertyDescriptor(SubmitEvent.prototype, 'submitter')!;
  Reflect.deleteProperty(SubmitEvent.prototype, 'submitter');
  later(() => Object.defineProperty(SubmitEvent.prototype, 'submitter', submitter));
  const page = open(`${FIELDS}<button data-cardseal-button formmethod="get">Send</button>`);
  bind(page.form);
  fill(page);
  const error = await refused(page, page.button('Send'));
  expect([error.code, await page.sent()]).toEqual(['invalid_form', []]);
});

test('data-cardseal-button: once the answer is in another frame, a submit by a script sends nothing', async () => {
  const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`);
  bind(page.form);
  fill(page);
  await posted(page, page.button('Send'));
  await vi.waitUntil(() => blockIn(page) === null);
  await new Promise((resolve) => setTimeout(resolve, 200)); // more than belongs to one press
  page.form.requestSubmit();
  await vi.waitUntil(() => page.errors.length === 1);
  expect([page.errors[0]!.code, (await page.sent()).length]).toEqual(['invalid_card', 1]);
});

describe('data-cardseal-button: a handler that validates first', () => {
  const SUBMIT = '<button hidden>Submit</button>';

  test.each<[string, (page: Page) => void]>([
    ['requestSubmit()', (page) => page.form.requestSubmit()],
    ['a click of a hidden button', (page) => page.button('Submit').click()],
  ])('submits the form later, by %s', async (_, submit) => {
    const page = open(`<input required>${FIELDS}${SUBMIT}${CLICK}`, 'method="post" novalidate');
    page.button('Send').addEventListener('click', () => {
      setTimeout(() => submit(page), 200);
    });
    bind(page.form);
    fill(page);
    const [sent] = await posted(page, page.button('Send'));
    const { encrypted_card } = Object.fromEntries(sent!.body);
    expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
    expect(statusOf(page)).toBe(undefined);
  });

  test('has submitted the form: for 30 seconds a press says that the payment is under way', async () => {
    const page = open(FIELDS + CLICK, 'method="post" novalidate');
    letSubmitsGo(page); // and the server takes long
    page.button('Send').addEventListener('click', () => page.form.requestSubmit());
    await bind(page.form).ready;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    fill(page);
    page.button('Send').click();
    await vi.advanceTimersByTimeAsync(100);
    await vi.waitUntil(() => page.passes === 1);
    await vi.advanceTimersByTimeAsync(29_000);
    page.button('Send').click();
    expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
    expect(page.passes).toBe(1);
  });

  test('submits the form soon after the Enter that has clicked the button', async () => {
    const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`);
    page.button('Send').addEventListener('click', (event) => {
      event.preventDefault();
      setTimeout(() => page.form.requestSubmit());
    });
    await bind(page.form).ready;
    fill(page);
    const arrived = page.arrived();
    page.control('name').focus();
    await user.keyboard('{Enter}'); // which clicks the button
    const [sent] = await arrived;
    expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
    expect(statusOf(page)).toBe(undefined);
  });

  test('may be refused by the form: its submit has no destination', async () => {
    const page = open(FIELDS + SUBMIT + CLICK, 'method="get"');
    await sendOnce(page, clicks(page, page.button('Send')));
    expect((await refused(page, page.button('Submit'))).code).toBe('invalid_form');
    expect(await page.sent()).toEqual([]);
  });
});

test('data-cardseal-button: with onEncrypted, too, a form that it submits by itself is checked', async () => {
  const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`, 'method="get"');
  const onEncrypted = vi.fn();
  bind(page.form, { onEncrypted });
  fill(page);
  expect((await refused(page, page.button('Send'))).code).toBe('invalid_form');
  expect([await page.sent(), onEncrypted.mock.calls]).toEqual([[], []]);
});

test('a form that is not in the document can be bound, also if a button names it', () => {
  const host = document.createElement('div');
  host.innerHTML = `<form id="apart" method="post">${FIELDS}</form>
    <button data-cardseal-button="apart">Send</button>`;
  expect(() => bind(host.querySelector('form')!)).not.toThrow();
});

test('data-cardseal-button: a listener that restarts as the fields are emptied stops the press, and the shopper reads so', async () => {
  const page = open(FIELDS + CLICK);
  const seen = clicks(page, page.button('Send'));
  const binding = bind(page.form);
  fill(page);
  page.control('cvv').addEventListener('input', () => void binding.restart(), { once: true });
  page.button('Send').click();
  await vi.waitUntil(() => page.ready === 2);
  await settled(page);
  expect([seen.length, statusOf(page)]).toEqual([0, 'Nothing was sent. Press the button again.']);
});

test('data-cardseal-button: restart() before the click is repeated ends the press without a word', async () => {
  const page = open(FIELDS + CLICK);
  const button = page.button('Send');
  const seen = clicks(page, button);
  const binding = bind(page.form);
  page.form.addEventListener('cardseal:encrypted', () => {
    setTimeout(() => {
      binding.restart();
      button.remove();
    });
  });
  fill(page);
  button.click();
  await vi.waitUntil(() => page.ready === 2);
  await settled(page);
  expect([seen.length, statusOf(page)]).toEqual([0, undefined]);
});

test('data-cardseal-button: with data-cardseal-skip or another payment method its handlers run at once, without a block', async () => {
  const page = open(FIELDS + CLICK);
  const button = page.button('Send');
  const seen = clicks(page, button);
  let isCard = false;
  bind(page.form, { when: () => isCard });
  fill(page);
  button.click();
  expect(seen).toEqual([{ block: null, values: KEPT }]);
  isCard = true;
  button.setAttribute('data-cardseal-skip', '');
  button.click();
  expect(seen.length).toBe(2);
});

test('data-cardseal-button: with another payment method its handlers run whatever the shopper has left out', async () => {
  const page = open(`<input name="email" required>${FIELDS}${CLICK}`);
  const seen = clicks(page, page.button('Send'));
  await bind(page.form, { when: () => false }).ready;
  await user.click(page.button('Send')); // in Chromium, a click that no script has made
  expect(seen.length).toBe(1);
});

const PLACES: [string, string, string, string][] = [
  ['around it', FIELDS + CLICK, 'method="post"', 'FORM'],
  [
    'whose id it names',
    FIELDS,
    'method="post" id="the-card"',
    `FORM${CLICK.replace('-button>', '-button="the-card">')}<form></form>`,
  ],
  [
    'by its own form attribute',
    FIELDS,
    'method="post" id="my-card"',
    `FORM${CLICK.replace('<button', '<button form="my-card"')}`,
  ],
  ['that is the only one bound', FIELDS, 'method="post"', `FORM${CLICK}`],
  [
    'as a link in the form',
    `${FIELDS}<a href="#x" data-cardseal-button>Send</a>`,
    'method="post"',
    'FORM',
  ],
];
test.each(PLACES)(
  'data-cardseal-button finds the form %s',
  async (_, content, attributes, around) => {
    const page = open(content, attributes, around);
    const button = page.host.querySelector<HTMLElement>('[data-cardseal-button]')!;
    const seen = clicks(page, button);
    button.addEventListener('click', (event) => event.preventDefault());
    const warn = vi.spyOn(console, 'warn');
    await bind(page.form).ready;
    expect(warn).not.toHaveBeenCalled();
    fill(page);
    button.click();
    await vi.waitUntil(() => seen[0]);
    expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
  },
);

test('an image that submits is a submit button: it is not warned about, and its destination counts', async () => {
  const warn = vi.spyOn(console, 'warn');
  const image = '<input type="image" alt="Pay" formaction="https://elsewhere.example/">';
  const { ready } = bind(open(FIELDS + image).form);
  await expect(ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(warn).not.toHaveBeenCalled();
});

test('a form without a submit button and without data-cardseal-button is warned about', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  await bind(open(FIELDS).form).ready;
  expect(warn.mock.calls).toEqual([[expect.stringContaining('data-cardseal-button')]]);
});

test('data-cardseal-enable enables a data-cardseal-button outside the form, even if binding fails', async () => {
  const button =
    '<button type="button" disabled autocomplete="off" data-cardseal-enable data-cardseal-button="c">Send</button>';
  const page = open(html(), 'method="post" id="c"', `FORM${button}`);
  const outside = page.host.querySelector<HTMLButtonElement>('[data-cardseal-button]')!;
  const binding = bind(page.form, { key: () => Promise.reject(new Error()) });
  expect(outside.disabled).toBe(false);
  await binding.ready.catch(() => {});
  expect(outside.disabled).toBe(false);
  binding.unbind();
  expect(outside.disabled).toBe(true);
});

test('data-cardseal-button: a form in a shadow root needs no other button', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const page = open(FIELDS + CLICK, 'method="get"');
  page.host.attachShadow({ mode: 'open' }).append(page.form);
  await bind(page.form).ready;
  expect([page.errors, warn.mock.calls]).toEqual([[], []]);
});

test('data-cardseal-button: a button that the page disables while it waits is clicked all the same', async () => {
  const page = open(FIELDS + CLICK);
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

test('data-cardseal-button: one that stands in a disabled fieldset by then asks for another press', async () => {
  const page = open(`${FIELDS}<fieldset><legend>Payment</legend>${CLICK}</fieldset>`);
  const seen = clicks(page, page.button('Send'));
  page.form.addEventListener('cardseal:submit', () => {
    page.form.querySelector('fieldset')!.disabled = true;
  });
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await settled(page);
  await vi.waitUntil(() => !page.form.hasAttribute('aria-busy'));
  expect([page.errors, statusOf(page), seen]).toEqual([
    [],
    'Nothing was sent. Press the button again.',
    [],
  ]);
});

test('data-cardseal-button: it works in a closed shadow root', async () => {
  const page = open(FIELDS + CLICK);
  page.host.attachShadow({ mode: 'closed' }).append(page.form);
  const seen = clicks(page, page.button('Send'));
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await vi.waitUntil(() => seen.length === 1);
  expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
});

test('data-cardseal-button: after its own submit was refused, no press says that a payment is under way', async () => {
  const page = open(`${FIELDS}<button data-cardseal-button>Send</button>`, 'method="get"');
  bind(page.form);
  fill(page);
  for (const press of [1, 2]) {
    if (press === 2) fill(page);
    expect((await refused(page, page.button('Send'))).code).toBe('invalid_form');
    await settled(page);
    expect(statusOf(page)).toBe('Card payment is not available at the moment. Nothing was sent.');
  }
});

test('data-cardseal-button: a button that the page replaces while it waits asks for another press', async () => {
  const page = open(FIELDS + CLICK);
  const replaced = clicks(page, page.button('Send'));
  page.form.addEventListener('cardseal:submit', () => {
    page.button('Send').outerHTML = CLICK;
  });
  bind(page.form);
  fill(page);
  page.button('Send').click();
  await settled(page);
  await vi.waitUntil(() => !page.form.hasAttribute('aria-busy'));
  expect(statusOf(page)).toBe('Nothing was sent. Press the button again.');
  expect([values(page), replaced]).toEqual([KEPT, []]);
});

test('data-cardseal-button: a button of no bound form is warned about when it is pressed', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const page = open(FIELDS + CLICK.replace('data-cardseal-button', 'data-cardseal-button="other"'));
  bind(page.form);
  warn.mockClear();
  page.button('Send').click();
  expect(warn.mock.calls).toEqual([[expect.stringContaining('no bound form')]]);
});

test('data-cardseal-button: in a browser without composedPath, too, the shopper reads that it cannot pay', async () => {
  const { composedPath } = Event.prototype;
  later(() => {
    Event.prototype.composedPath = composedPath;
  });
  const page = open(FIELDS + CLICK);
  bind(page.form);
  fill(page);
  Event.prototype.composedPath = undefined as never;
  expect((await refused(page, page.button('Send'))).code).toBe('unsupported_browser');
  expect(values(page)).toEqual(KEPT);
});

describe('data-cardseal-button: where two forms are bound', () => {
  const LINK = '<a href="#x" data-cardseal-button>Send</a>';

  test.each([CLICK, LINK])('%s belongs to the form around it', async (button) => {
    const [first, second] = [open(FIELDS + button), open(FIELDS + button)];
    for (const { form } of [first, second]) bind(form);
    const element = second.host.querySelector<HTMLElement>('[data-cardseal-button]')!;
    const seen = clicks(second, element);
    fill(second);
    element.click();
    await vi.waitUntil(() => seen[0]);
    expect(await decrypt(JSON.parse(seen[0]!.block!))).toEqual(CARD);
    expect('disabled' in element).toBe(button === CLICK); // a link does not get it
  });

  test('one outside of both belongs to none of them, and to the other one when one has left the page', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const first = open(FIELDS);
    const second = open(FIELDS, 'method="post"', `FORM${CLICK}`);
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

  test('data-cardseal-enable waits for the form that the button belongs to', () => {
    const DISABLED = CLICK.replace('<button', '<button disabled data-cardseal-enable');
    const [first, second] = [open(html()), open(FIELDS + DISABLED)];
    bind(first.form);
    expect(second.button('Send').disabled).toBe(true);
    bind(second.form);
    expect(second.button('Send').disabled).toBe(false);
  });
});
