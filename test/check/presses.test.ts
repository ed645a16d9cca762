/** What the page does with a press: found on pages that have the fault, and not where it paid. */
import { describe, expect, test, vi } from 'vitest';
import { findCard } from '../tools/support/find-card.ts';
import { BUTTON, NUMBER, open, storedReport } from './page.ts';

const PRESSES_OF = (page: Awaited<ReturnType<typeof open>>) =>
  page.report().presses.map(({ text }) => text);

describe('no block', () => {
  const sendsList = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new URLSearchParams({ city: 'Cork' }) });
});`;

  test('is found where a script sends a list of fields, with its line', async () => {
    const page = await open({ isBound: true, script: sendsList });
    page.page.fill();
    page.page.press();
    const [found] = await page.found();
    expect(found).toMatchObject({
      kind: 'no block',
      way: 'fetch',
      site: { script: page.shop.path, line: 3 },
      help: 'docs/troubleshooting.md#the-server-gets-no-block',
    });
    expect(found?.advice).toContain('add the field encrypted_card');
    expect(PRESSES_OF(page)).toEqual([
      'A press of Pay: the card was encrypted, but fetch to /sent/none carried no block.',
    ]);
  });

  test('names the code that met an emptied field, too', async () => {
    const script = `document.querySelector('#go').onclick = function () {
  var number = document.querySelector('#number').value;
  fetch('/sent/none', { method: 'POST', body: 'has=' + Boolean(number) });
};`;
    const page = await open({ isBound: true, script, button: BUTTON });
    page.page.fill();
    page.page.press();
    const [found] = await page.found();
    expect(found).toMatchObject({ kind: 'no block', site: { line: 3 } });
    expect(found?.text).toMatch(/shop\.js:2:\d+ reads an emptied field/);
  });

  test('is taken back when the block follows later', async () => {
    const script = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var body = new FormData(this);
  fetch('/sent/none', { method: 'POST', body: 'a=1' });
  setTimeout(function () { fetch('/sent/none', { method: 'POST', body: body }); }, 2500);
});`;
    const page = await open({ isBound: true, script });
    page.page.fill();
    page.page.press();
    await page.found();
    await vi.waitFor(() => expect(page.report().findings).toEqual([]), 8_000);
  });
});

describe('emptied fields that were read', () => {
  const number = `document.querySelector('#number')`;
  test.each([
    ['reads an emptied field', `!${number}.value`],
    ['calls checkValidity() after', '!document.forms[0].checkValidity()'],
    ['calls reportValidity() after', '!document.forms[0].reportValidity()'],
    ['calls checkValidity() after', `!${number}.checkValidity()`],
    ['calls reportValidity() after', `!${number}.reportValidity()`],
  ])('are found: %s: %s', async (what, condition) => {
    const script = `document.querySelector('#go').onclick = function () {
  ${number}.setAttribute('required', ''); // the form takes it off while the fields are emptied
  if (${condition}) return;
  fetch('/sent/none', { method: 'POST', body: new FormData(document.forms[0]) });
};`;
    const page = await open({ isBound: true, script, button: BUTTON });
    page.page.fill();
    page.page.press();
    const [found] = await page.found();
    expect(found).toMatchObject({ kind: 'emptied fields', site: { line: 3 } });
    expect(found?.text).toContain(what);
  });

  test('are no finding where the page pays all the same', async () => {
    const script = `document.querySelector('#go').onclick = function () {
  var isEmpty = !document.querySelector('#number').value;
  fetch('/sent/none', { method: 'POST', body: new FormData(document.forms[0]) });
};`;
    const page = await open({ isBound: true, script, button: BUTTON });
    page.page.fill();
    page.page.press();
    await vi.waitFor(() => expect(PRESSES_OF(page)).toHaveLength(1), 8_000);
    expect(PRESSES_OF(page)[0]).toContain('the block left by fetch');
    expect(page.report().findings).toEqual([]);
  });
});

describe('a lock', () => {
  const onClick = (statement: string) =>
    `document.querySelector('button').addEventListener('click', function () {
  var button = this;
  setTimeout(function () { ${statement}; });
});`;
  const submit = '<input type="submit" id="go" value="Pay">';

  test.each([
    ['button.disabled = true', ''],
    [`button.setAttribute('disabled', '')`, ''],
    [`button.setAttribute('aria-disabled', 'true')`, ''],
    [`document.querySelector('#go').disabled = true`, submit],
  ])('is found after a refusal, with the line that has disabled it: %s', async (code, extra) => {
    const page = await open({ isBound: true, script: onClick(code), extra });
    page.page.press(); // with nothing filled in
    const [found] = await page.found();
    expect(found).toMatchObject({
      kind: 'lock',
      text: expect.stringContaining(extra ? 'The button #go is still locked' : 'The button is'),
      site: { script: page.shop.path, line: 3 },
      help: 'docs/troubleshooting.md#pay-does-nothing-or-the-shop-gets-no-card',
    });
    expect(found?.advice).toContain('data-cardseal-button');
  });

  test.each([`button.className = 'btn is-loading'`, `button.style.pointerEvents = 'none'`])(
    'is found after a refusal, without a line: %s',
    async (code) => {
      const page = await open({ isBound: true, script: onClick(code) });
      page.page.press();
      expect(await page.found()).toMatchObject([{ kind: 'lock' }]);
    },
  );

  const flag = onClick('window.is_submitting_1 = true');

  test('is found after a refusal: a global flag; and taken back where the next press pays', async () => {
    const page = await open({ isBound: true, script: flag });
    page.page.press();
    expect(await page.found()).toMatchObject([
      { kind: 'lock', text: expect.stringContaining('is_submitting_1') },
    ]);
    await page.page.pay();
    expect(storedReport().findings).toEqual([]);
  });

  test('is none where the page pays at once', async () => {
    const page = await open({ isBound: true, script: flag });
    await page.page.pay();
    expect(storedReport().findings).toEqual([]);
  });
});

describe('filled in, but not sent', () => {
  const saved = {
    attributes: 'data-cardseal-when="[value=new]:checked" data-cardseal-key-url="/nowhere"',
    isBound: true,
    extra: '<label><input type="radio" name="card" value="saved" checked> Saved card</label>',
  };

  test('a code without a name, when a saved card is used', async () => {
    const page = await open(saved);
    page.page.control('cvv').value = '583';
    const loaded = page.page.loaded();
    page.page.press();
    await loaded;
    expect(storedReport().findings).toMatchObject([
      { kind: 'not sent', text: expect.stringContaining('#cvv') },
    ]);
  });

  test('is not looked for beside a number that is no test number', async () => {
    const other = '<input type="hidden" name="other" value="4929000000000109">';
    const page = await open({ ...saved, extra: saved.extra + other });
    page.page.control('cvv').value = '583';
    const loaded = page.page.loaded();
    page.page.press();
    await loaded;
    expect(storedReport()).toMatchObject({ findings: [], notices: [expect.any(String)] });
  });

  test('is none if the code was left empty', async () => {
    const page = await open(saved);
    const loaded = page.page.loaded();
    page.page.press();
    await loaded;
    expect(sessionStorage.getItem('cardseal-check')).toBeNull();
  });
});

test.each([
  ['no block', `.onclick = function () { fetch('/sent/none', { method: 'POST', body: 'a=1' }); }`],
  ['emptied fields', `.onclick = function () { document.querySelector('#number').value; }`],
  ['lock', '.disabled = true'],
])('says no digit of a card that an address or an id holds: %s', async (kind, code) => {
  const script = `var button = document.querySelector('#go');
function leak() { button${code}; }`;
  const page = await open({ isBound: true, script, button: BUTTON });
  page.page.fill();
  if (kind === 'lock') page.page.control('cvv').value = '';
  page.document.querySelector('#go')!.id = `pay-${NUMBER}`;
  page.window.history.replaceState(null, '', `/order/${NUMBER}`);
  if (kind !== 'lock') page.window.leak();
  page.page.press();
  if (kind === 'lock') page.window.leak();
  expect((await page.found(2))[1]).toMatchObject({ kind, page: '(a text with the card in it)' });
  const said = [page.report(), page.seen, page.list(), { ...sessionStorage }];
  expect(findCard(said, { number: NUMBER, start: NUMBER.slice(0, 12) })).toEqual([]);
});

test('a press without a key is told, and a lock after it is found', async () => {
  const script = `document.querySelector('button').onclick = function () {
  window.is_submitting = true;
};`;
  const attributes = 'data-cardseal-key-url="/sent/none"';
  const page = await open({ isBound: true, attributes, script });
  page.page.fill();
  page.page.press();
  expect(await page.found()).toMatchObject([{ kind: 'lock' }]);
  expect(PRESSES_OF(page)).toEqual(['A press of Pay: refused (invalid_key).']);
});

test('every press is told: refused, cancelled by the page, sent', async () => {
  const script = `document.forms[0].addEventListener('cardseal:submit', function (event) {
  if (window.isStopped) event.preventDefault();
});`;
  const page = await open({ isBound: true, script });
  page.page.press();
  await vi.waitFor(() => expect(PRESSES_OF(page)).toHaveLength(1), 8_000);
  Object.assign(page.window, { isStopped: true });
  page.page.fill();
  page.page.press();
  await vi.waitFor(() => expect(PRESSES_OF(page)).toHaveLength(2), 8_000);
  Object.assign(page.window, { isStopped: false });
  await page.page.pay();
  const texts = storedReport().presses.map(({ text }) => text);
  expect(texts).toHaveLength(3);
  expect(texts[0]).toMatch(/^A press of Pay: refused \(.*number/);
  expect(texts[1]).toContain('a listener of the page has stopped it');
  expect(texts[2]).toContain('the block left by form');
});
