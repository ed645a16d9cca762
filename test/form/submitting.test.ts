/** What the browser sends: the block, the rest of the form, and the button. */
import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { decrypt, freshKey } from '../tools/support/core.ts';
import {
  bind,
  blockOf,
  CARD,
  cancelling,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  next,
  open,
  passed,
  posted,
  refused,
  settled,
  statusOf,
  TYPED,
  user,
  values,
} from '../tools/support/form.ts';
import type { Sent } from '../tools/support/servers/echo.ts';

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

test('posts the block under another name where it is told to', async () => {
  const page = open();
  bind(page.form, { fieldName: 'card' });
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['card']);
});

test('works as multipart/form-data', async () => {
  const page = open(html(), 'method="post" enctype="multipart/form-data"');
  bind(page.form);
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.contentType).toContain('multipart/form-data');
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
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
  const [sent] = await posted(page, page.button('Later'));
  expect(sent!.query).toEqual([['where', 'elsewhere']]);
  expect(sent!.body).toContainEqual(['how', 'later']);
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

test('keeps the button that Enter presses', async () => {
  const page = open(BUTTONS.replace('<button>Pay</button>', ''));
  bind(page.form);
  fill(page);
  page.control('cvv').focus();
  const arrived = page.arrived();
  await user.keyboard('{Enter}');
  const [sent] = await arrived;
  expect(sent!.body).toContainEqual(['how', 'now']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

/** A press of a button with a name and an address of its own, while the key is on its way. */
async function pressAndChange(change: (button: HTMLButtonElement) => void): Promise<Sent> {
  const page = open(
    `${html()}<fieldset><legend>How</legend><button name="how" value="x">X</button></fieldset>`,
  );
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const arrived = page.arrived();
  const button = page.button('X');
  button.setAttribute('formaction', `${page.form.action}?by=button`);
  button.click();
  change(button);
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect(page.form.querySelectorAll('button').length).toBeLessThanOrEqual(2); // no stand-in is left
  return sent!;
}

test.each([
  ['removed', (button: HTMLButtonElement) => button.remove()],
  ['given to another form', (button: HTMLButtonElement) => button.setAttribute('form', 'other')],
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
    const { query, body } = await pressAndChange(change);
    expect(query).toEqual([['by', 'button']]);
    expect(body).toContainEqual(['how', 'x']);
    expect(body.map(([name]) => name).sort()).toEqual(['encrypted_card', 'how']);
  },
);

test('is sent as the button would with its formmethod, formenctype and formtarget, if that was disabled meanwhile', async () => {
  const page = open(html(), 'method="get"');
  const target = page.form.target;
  page.form.target = 'nowhere';
  const button = page.form.appendChild(document.createElement('button'));
  for (const [name, value] of [
    ['formmethod', 'post'],
    ['formenctype', 'multipart/form-data'],
    ['formtarget', target],
  ] as const)
    button.setAttribute(name, value);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const arrived = page.arrived();
  button.click();
  button.disabled = true;
  const submit = next<SubmitEvent>(page.form, 'submit');
  key.resolve(freshKey());
  expect((await submit).submitter).toHaveProperty('hidden', true);
  const [sent] = await arrived;
  expect([sent!.contentType, sent!.body.map(([name]) => name)]).toEqual([
    expect.stringMatching(/^multipart\/form-data/),
    ['encrypted_card'],
  ]);
});

test('form data has no block before there is one, nor after restart', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const binding = bind(page.form);
  fill(page);
  expect([...new FormData(page.form)]).toEqual([]);
  page.button().click();
  await next(page.form, 'submit');
  expect([...new FormData(page.form).keys()]).toEqual(['encrypted_card']);
  await binding.restart();
  expect([...new FormData(page.form)]).toEqual([]);
});

test('empties selects, too, and tells with bubbling input and change events', async () => {
  const page = open(
    html({
      expiry:
        '<select autocomplete="cc-exp-month"><option>11<option>12</select><select autocomplete="cc-exp-year"><option>2048<option>2049</select>',
    }),
  );
  const told: [string, string, boolean][] = [];
  for (const type of ['input', 'change'])
    page.host.addEventListener(type, ({ target, bubbles }) =>
      told.push([(target as HTMLElement).getAttribute('autocomplete')!, type, bubbles]),
    );
  bind(page.form);
  fill(page);
  await posted(page);
  const tokens = ['cc-number', 'cc-name', 'cc-exp-month', 'cc-exp-year', 'cc-csc'];
  expect(told).toEqual(
    tokens.flatMap((token) => [
      [token, 'input', true],
      [token, 'change', true],
    ]),
  );
  expect(page.controls().map(({ value }) => value)).toEqual(['', '', '', '', '']);
});

test('form.submit() sends no card and no block', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  await bind(page.form).ready;
  fill(page);
  const arrived = page.arrived();
  page.form.submit();
  expect((await arrived).map(({ body }) => body)).toEqual([[['email', 'z@example.com']]]);
});

test('requestSubmit() by the page, without a button: refused like any other, then sent with the block', async () => {
  const page = open();
  bind(page.form);
  const error = next<CustomEvent>(page.form, 'cardseal:error');
  page.form.requestSubmit();
  expect((await error).detail).toMatchObject({
    code: 'invalid_card',
    message: 'The shopper has to correct the card',
  });
  await idle(page);
  fill(page);
  const arrived = page.arrived();
  page.form.requestSubmit();
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

test('requestSubmit() by the page, with a button: is sent as that button would send it', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  page.form.requestSubmit(page.button('Unchecked'));
  const [sent] = await arrived;
  expect(sent!.body).toContainEqual(['how', 'unchecked']);
});

/** A submit that a script makes up: it names no button, as in engines without `submitter`. */
const madeUp = () => new Event('submit', { bubbles: true, cancelable: true });

test('a submit that a script makes up has no button: not that of an earlier click', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  const button = page.button('Later');
  button.addEventListener('click', (event) => event.preventDefault());
  button.click();
  await settled(page);
  const arrived = page.arrived();
  page.form.dispatchEvent(madeUp());
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
});

test('a submit that a script makes up has no button: not that of another form, clicked just now', async () => {
  const [page, other] = [open(), open('<button>Search</button>')];
  bind(page.form);
  fill(page);
  const submitters: unknown[] = [];
  page.form.addEventListener('cardseal:submit', ({ detail }: CustomEventInit) =>
    submitters.push(detail.submitter),
  );
  other.button('Search').addEventListener('click', (event) => {
    event.preventDefault();
    page.form.dispatchEvent(madeUp());
  });
  const arrived = page.arrived();
  other.button('Search').click();
  await arrived;
  expect(submitters).toEqual([null]);
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
  ['a select of the name', '<select name="encrypted_card"></select>'],
  ['a button of the name', '<button type="button" name="encrypted_card">x</button>'],
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

test('a text input with the name of the block keeps what stands in it', async () => {
  const page = open(`${html()}<input name="encrypted_card" value="of the page">`);
  await expect(bind(page.form).ready).rejects.toMatchObject({ code: 'invalid_form' });
  expect(page.form.querySelector<HTMLInputElement>('[name=encrypted_card]')!.value).toBe(
    'of the page',
  );
});

test('an image named createElement does not keep the block or the message away', async () => {
  const { page, blocks } = cancelling();
  page.host.insertAdjacentHTML('beforeend', '<img name="createElement">');
  expect(typeof document.createElement).not.toBe('function');
  bind(page.form, {
    key: vi
      .fn()
      .mockRejectedValueOnce(0)
      .mockImplementation(() => freshKey()) as CardFormOptions['key'],
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
