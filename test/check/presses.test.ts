/** What the page does with a press: found on pages that have the fault, and not where it paid. */
import { describe, expect, test, vi } from 'vitest';
import { freshKey } from '../support/core.ts';
import { keyAttribute } from '../support/tag-page.ts';
import { BUTTON, CHECK, NUMBER, open, scriptFile, storedReport } from './page.ts';

type Parts = Parameters<typeof open>[0] & { isFilled?: boolean };

/** Presses on a page with Cardseal, and waits until the press is over: for a quiet second. */
async function press({ isFilled = true, ...parts }: Parts, what?: string) {
  const page = await open({ isBound: true, ...parts });
  if (isFilled) page.page.fill();
  page.page.press();
  return { page, ...(await page.pressOver(what)) };
}

/** As a bundle has it. */
const CARDSEAL = await (await fetch('/dist/cardseal.js')).text();

const NUMBER_FIELD = `document.querySelector('#number')`;

/** Sends with the card, unless a condition stops it. */
const sendsUnless = (condition: string): Parts => ({
  script: `document.querySelector('#go').onclick = function () {
  ${NUMBER_FIELD}.setAttribute('required', ''); // the form takes it off while the fields are emptied
  if (${condition}) return;
  fetch('/sent/none', { method: 'POST', body: new FormData(document.forms[0]) });
};`,
  button: BUTTON,
});
const metEmptied = (what: string) => ({
  kind: 'emptied fields',
  text: `The card was encrypted, but the page sent nothing: SHOP:3 ${what}.`,
  site: { line: 3 },
  advice:
    'The fields are empty by then. Validate before, in a listener for cardseal:submit, or leave ' +
    'the card to Cardseal and delete these rules.',
  help: 'docs/troubleshooting.md#the-fields-are-empty-and-it-says-required',
});

/** Does something after each click; the card is not filled in, so the press is refused. */
const onRefusal = (statement: string): Parts => ({
  script: `document.querySelector('button').addEventListener('click', function () {
  var button = this;
  setTimeout(function () { ${statement}; });
});`,
  isFilled: false,
});
const FLAG = onRefusal('window.is_submitting_1 = true');

const sendsList = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new URLSearchParams({ city: 'Cork' }) });
});`;
const noBlock = (text: string) => ({
  kind: 'no block',
  text: `The card was encrypted, but fetch to /sent/none ${text}`,
  way: 'fetch',
  site: { script: expect.stringContaining('shop.js'), line: 3 },
  advice:
    'If your script sends a list of fields, add the field encrypted_card. If a click handler ' +
    'sends the form without a submit, mark the button: data-cardseal-button.',
  help: 'docs/troubleshooting.md#the-server-gets-no-block',
});
const readsEmptied = `document.querySelector('#go').onclick = function () {
  var number = ${NUMBER_FIELD}.value;
  fetch('/sent/none', { method: 'POST', body: 'has=' + Boolean(number) });
};`;

const sendsBlock = (statements: string): Parts => ({
  script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var body = JSON.stringify([this.elements.encrypted_card.value]);
  ${statements}
});`,
});

/** Sends the block to another server, and nothing to the shop's. */
const sendsElsewhere = (before = ''): Parts =>
  sendsBlock(`${before}
  fetch('https://rr.invalid/upload', { method: 'POST', body: body }).catch(Object);`);
const toOthers = {
  kind: 'block to others',
  text: 'The encrypted card left by fetch to rr.invalid/upload, from SHOP:5.',
  advice:
    'Only your own server may get it. If this is your server, name its host in data-payment-host. ' +
    'If not, keep this script off the page, or from the field encrypted_card.',
  help: 'docs/recorders.md#what-recorders-record',
  way: 'fetch',
  to: 'rr.invalid/upload',
};

/** Where the form's own destination is on another host. */
const OWN_BUTTON = '<button formaction="/sent/none">Pay here</button>';

interface Expected {
  /** Undefined: nothing is found. */
  finding?: object;
  /** What the line of the press has. */
  press: string;
}

const PAGES: Record<string, [parts: Parts, expected: Expected]> = {
  'no block: a list of fields': [
    { script: sendsList },
    {
      finding: noBlock('from SHOP:3 carried no block.'),
      press: 'the card was encrypted, but fetch to /sent/none carried no block.',
    },
  ],
  'no block: a list of fields, while the page asks for news all the time': [
    { script: `${sendsList} setInterval(function () { fetch('/sent/none'); }, 300);` },
    { finding: { kind: 'no block', site: { line: 3 } }, press: 'carried no block.' },
  ],
  'no block: a list of fields, and a log of the key’s id': [
    {
      script: `${sendsList}
document.forms[0].addEventListener('cardseal:encrypted', function (event) {
  navigator.sendBeacon('/sent/none', JSON.stringify({ key: event.detail.key_id }));
});`,
    },
    { finding: noBlock('from SHOP:3 carried no block.'), press: 'carried no block.' },
  ],
  'none: the key has an id that a form’s data escapes': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var body = String(new URLSearchParams(new FormData(this)));
  fetch('/sent/none', { method: 'POST', body: body });
});`,
      attributes: keyAttribute({ ...freshKey(), id: 'key/2026 11:28' }),
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'none: a card was encrypted before, under another key': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new FormData(this) });
});
document.forms[0].dispatchEvent(
  new CustomEvent('cardseal:encrypted', { detail: { key_id: 'an-earlier-key' } }));`,
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'none: the shop gets the block in fields of its own': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var block = JSON.parse(this.elements.encrypted_card.value);
  fetch('/sent/none', { method: 'POST', body: new URLSearchParams(block) });
});`,
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'no block: a field that was read when it was empty': [
    { script: readsEmptied, button: BUTTON },
    {
      finding: noBlock('from SHOP:3 carried no block. SHOP:2 reads an emptied field.'),
      press: 'carried no block',
    },
  ],
  'block to others: a recorder uploads it, and the shop gets none': [
    sendsElsewhere(),
    { finding: toOthers, press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'block to others: a recorder uploads it, and the shop gets it, too': [
    sendsElsewhere(`fetch('/sent/none', { method: 'POST', body: body });`),
    { finding: toOthers, press: 'the block left by fetch to /sent/none.' },
  ],
  'none: the tag names the host that gets the block': [
    {
      ...sendsElsewhere(),
      check: CHECK.replace('<script', '<script data-payment-host="pay.example rr.invalid"'),
    },
    { press: 'the block left by fetch to rr.invalid/upload.' },
  ],
  'none: the shop gets the block by XMLHttpRequest': [
    sendsBlock(`var request = new XMLHttpRequest();
  request.open('POST', '/sent/none');
  request.send(body);`),
    { press: 'the block left by XMLHttpRequest to /sent/none.' },
  ],
  'none: the shop gets the block by sendBeacon': [
    sendsBlock(`navigator.sendBeacon('/sent/none', body);`),
    { press: 'the block left by sendBeacon to /sent/none.' },
  ],
  'none: the shop gets the block by a WebSocket': [
    sendsBlock(`var socket = new WebSocket(location.origin.replace('http', 'ws') + '/pay');
  try { socket.send(body); } catch (error) {} // it is not open yet`),
    { press: 'the block left by WebSocket to' },
  ],
  'block to others: a recorder uploads it, its payload first': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var block = JSON.parse(this.elements.encrypted_card.value);
  var body = block.payload + ' ' + block.key_id;
  fetch('https://rr.invalid/upload', { method: 'POST', body: body }).catch(Object);
});`,
    },
    { finding: toOthers, press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'none: the destination of the form, on another host, gets the block by a script': [
    {
      ...sendsElsewhere(),
      script: `document.forms[0].action = 'https://rr.invalid/pay';\n${sendsElsewhere().script}`,
      button: OWN_BUTTON,
    },
    { press: 'the block left by fetch to rr.invalid/upload.' },
  ],
  'none: the host of the page gets the block, and not the destination of the form': [
    {
      script: `document.forms[0].action = 'https://rr.invalid/pay';
document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new FormData(this) });
});`,
      button: OWN_BUTTON,
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'none: the page posts the block to itself, and pays': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  postMessage(this.elements.encrypted_card.value, '*');
  fetch('/sent/none', { method: 'POST', body: new FormData(this) });
});`,
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'none: a recorder uploads the page, which has the key': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var block = this.elements.encrypted_card;
  var page = this.getAttribute('data-cardseal-key');
  fetch('https://rr.invalid/upload', { method: 'POST', body: page }).catch(Object);
  fetch('/sent/none', { method: 'POST', body: block.value });
});`,
    },
    { press: 'the block left by fetch to /sent/none.' },
  ],
  'none: encrypt() gives the block to the page, which sends it with a later step': [
    {
      script: `window.addEventListener('click', function () {
  Cardseal.bindCardForm(document.forms[0]).encrypt().then(function () {
    document.querySelector('#number').value;
    fetch('/sent/none', { method: 'POST', body: 'step=2' });
  });
});`,
      button: '<button type="button" id="go">Next</button>',
    },
    { press: 'the card was encrypted, and encrypt() has given the block to the page.' },
  ],
  'none: encrypt() in a submit listener of the page, which asks for something else first': [
    {
      script: `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  event.stopPropagation();
  Cardseal.bindCardForm(this).encrypt().then(function () {
    fetch('/sent/none', { method: 'POST', body: 'step=2' });
  });
});`,
      attributes: `${keyAttribute()} data-cardseal-when="[data-never]"`,
    },
    { press: 'the card was encrypted, and encrypt() has given the block to the page.' },
  ],
  'none: Cardseal is in a script of the page, and reads its fields': [
    {
      check: CHECK + scriptFile(CARDSEAL, 'app.js').tag,
      script: `document.querySelector('#go').onclick = function () { document.body.id = 'next'; };`,
      button: BUTTON,
    },
    { press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'emptied fields: an empty value stops it': [
    sendsUnless(`!${NUMBER_FIELD}.value`),
    { finding: metEmptied('reads an emptied field'), press: 'the page sent nothing' },
  ],
  'emptied fields: reportValidity() of a control stops it': [
    sendsUnless(`!${NUMBER_FIELD}.reportValidity()`),
    {
      finding: metEmptied('calls reportValidity() after the fields were emptied'),
      press: 'the page sent nothing',
    },
  ],
  'emptied fields: checkValidity() of the form stops it': [
    sendsUnless('!document.forms[0].checkValidity()'),
    {
      finding: metEmptied('calls checkValidity() after the fields were emptied'),
      press: 'the page sent nothing',
    },
  ],
  'none: what is not emptied is read, and the page sends nothing': [
    {
      script: `document.body.insertAdjacentHTML('beforeend', '<input id="second" autocomplete="cc-name">');
document.querySelector('#go').onclick = function () {
  var number = ${NUMBER_FIELD};
  number.value = '4111';
  read(number, document.querySelector('#city'), document.querySelector('#second'));
};
function read() {
  return Array.from(arguments, function (it) { return it.value && it.checkValidity(); });
}`,
      button: BUTTON,
      extra: '<input id="city">',
    },
    { press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'none: a library reads an emptied field by itself, and the page sends nothing': [
    {
      check:
        CHECK +
        scriptFile(
          `document.addEventListener('click', function () { ${NUMBER_FIELD}.value; });`,
          'jquery.js',
        ).tag,
      button: BUTTON,
    },
    { press: 'the card was encrypted, and the page sent nothing.' },
  ],
  ...Object.fromEntries(
    ['input', 'change'].map((type): [string, [Parts, Expected]] => [
      `none: a script follows what is typed by ${type}, and hears of the emptying`,
      [
        {
          script: `${NUMBER_FIELD}.addEventListener('${type}', function () {
  document.title = this.value;
});`,
          button: BUTTON,
        },
        { press: 'the card was encrypted, and the page sent nothing.' },
      ],
    ]),
  ),
  'emptied fields: two lines read an empty value': [
    {
      script: `document.querySelector('#go').onclick = function () {
  document.body.title = 'paying';
  if (!${NUMBER_FIELD}.value) document.body.title = '';
  if (!${NUMBER_FIELD}.value) return;
};`,
      button: BUTTON,
    },
    { finding: metEmptied('reads an emptied field'), press: 'the page sent nothing' },
  ],
  'none: the page stops, and the next key and analytics are requested': [
    {
      script: `document.querySelector('#go').onclick = function () {
  fetch('https://analytics.invalid/', { method: 'POST', body: 'a=1' }).catch(Object);
  document.querySelector('#number').focus();
};`,
      button: BUTTON,
      attributes: `${keyAttribute()} data-cardseal-key-url="/sent/none"`,
    },
    { press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'none: the block leaves a while later': [
    {
      script: `document.querySelector('#go').onclick = function () {
  var body = new FormData(document.forms[0]);
  setTimeout(function () { fetch('/sent/none', { method: 'POST', body: body }); }, 300);
};`,
      button: BUTTON,
    },
    { press: 'the block left by fetch' },
  ],
  'none: emptied fields were read, and the page pays all the same': [
    sendsUnless(`!${NUMBER_FIELD}.value && false`),
    { press: 'the block left by fetch' },
  ],
  'none: checkValidity() of the form stops it because of a field that is not the card’s': [
    {
      script: `document.querySelector('#go').onclick = function () {
  if (document.forms[0].checkValidity()) fetch('/sent/none', { method: 'POST' });
};`,
      button: BUTTON,
      extra: '<input id="email" required>',
    },
    { press: 'the card was encrypted, and the page sent nothing.' },
  ],
  'none: a listener of the page has cancelled the press': [
    {
      script: `document.forms[0].addEventListener('cardseal:submit', function (event) {
  event.preventDefault();
  event.stopPropagation();
});`,
    },
    { press: 'the page or another press has ended it' },
  ],
  'none: refused, and the page hears of another error after that': [
    {
      script: `document.forms[0].addEventListener('cardseal:error', function (event) {
  if (event.detail.code === 'invalid_key') return;
  this.dispatchEvent(new CustomEvent('cardseal:error', { detail: { code: 'invalid_key' } }));
});`,
      isFilled: false,
    },
    { press: 'refused (invalid_card, number).' },
  ],
  'lock: disabled': [
    onRefusal('button.disabled = true'),
    {
      finding: {
        kind: 'lock',
        text: 'The button is still locked after a press that was refused: SHOP:3.',
        site: { script: expect.stringContaining('shop.js'), line: 3 },
        advice: 'The next press does nothing. Mark the button: data-cardseal-button.',
        help: 'docs/troubleshooting.md#pay-does-nothing-or-the-shop-gets-no-card',
      },
      press: 'refused (',
    },
  ],
  'lock: a library locks it while the page waits, so nobody is named': [
    {
      check:
        CHECK +
        scriptFile(
          `async function lock(button) {
  await null;
  button.disabled = true;
}`,
          'jquery.js',
        ).tag,
      script: `document.querySelector('button').onclick = async function () {
  await lock(this);
};`,
      isFilled: false,
    },
    {
      finding: { kind: 'lock', text: 'The button is still locked after a press that was refused.' },
      press: 'refused (',
    },
  ],
  'lock: a class': [
    {
      script: `document.querySelector('button').onclick = function () {
  this.className = 'btn is-loading';
};`,
      isFilled: false,
    },
    {
      finding: { kind: 'lock', text: 'The button is still locked after a press that was refused.' },
      press: 'refused (',
    },
  ],
  'lock: a global flag, where no key came': [
    { ...FLAG, isFilled: true, attributes: 'data-cardseal-key-url="/sent/none"' },
    {
      finding: {
        kind: 'lock',
        text: 'The global variable is_submitting_1 is still set after a press that was refused.',
      },
      press: 'refused (invalid_key).',
    },
  ],
};

/** As a finding says it, with the page's own script as `SHOP`. */
const withoutPath = (text: string) => text.replace(/\/\S*shop\.js:(\d+):\d+/g, 'SHOP:$1');

/** Enough to share the wait for a quiet second, and too few to use up the limit of a wait. */
const PAGES_AT_ONCE = 12;

test('after a press, finds what is wrong with each page, and its line', async () => {
  const visitTo = async ([what, [parts, expected]]: [string, (typeof PAGES)[string]]) => {
    const { findings, presses } = await press(parts, what);
    const found = findings.map((it) => ({ ...it, text: withoutPath(it.text) }));
    expect(found, what).toMatchObject(expected.finding ? [expected.finding] : []);
    expect(presses, what).toEqual([expect.stringMatching(/^A press of Pay: .*\.$/)]);
    expect(presses[0], what).toContain(expected.press);
  };
  const pages = Object.entries(PAGES);
  while (pages.length) await Promise.all(pages.splice(0, PAGES_AT_ONCE).map(visitTo));
});

test.each([
  ['by a submit', sendsList, ''],
  [
    'by a card button',
    `document.querySelector('#go').onclick = function () {
  fetch('/sent/none', { method: 'POST', body: 'city=Cork' });
};`,
    BUTTON,
  ],
])('finds that a press %s in a shadow root sent no block', async (_, sends, button) => {
  const script = `${sends}
function move() {
  var root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });
  root.appendChild(document.forms[0]);
  root.querySelector('button').click();
}`;
  const page = await open({ isBound: true, script, button });
  page.page.fill();
  (Reflect.get(page.window, 'move') as () => void)();
  const { findings, presses } = await page.pressOver();
  expect(findings).toMatchObject([{ kind: 'no block', way: 'fetch' }]);
  expect(presses[0]).toContain('the card was encrypted, but fetch to /sent/none carried no block.');
});

describe('what was found is taken back where the page pays after all', () => {
  test('no block, and the block follows later', async () => {
    const script = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var body = new FormData(this);
  fetch('/sent/none', { method: 'POST', body: 'a=1' });
  window.leak = function () { fetch('/sent/none', { method: 'POST', body: body }); };
});`;
    const { page, findings } = await press({ script });
    expect(findings).toMatchObject([{ kind: 'no block' }]);
    const info = vi.spyOn(page.window.console, 'info');
    page.window.leak();
    await vi.waitFor(() => expect(page.report().findings).toEqual([]));
    const said = 'cardseal check: the page has paid after all: no finding (no block)';
    expect(info.mock.calls).toEqual([[said]]);
  });

  test('a lock, and the next press pays', async () => {
    const { page, findings } = await press(FLAG);
    expect(findings).toMatchObject([{ kind: 'lock' }]);
    await page.page.pay();
    expect(storedReport().findings).toEqual([]);
  });
});

test('follows a card that has no check digit, and so is no test card', async () => {
  const attributes = `${keyAttribute()} data-cardseal-luhn="off"`;
  const page = await open({ isBound: true, script: sendsList, attributes });
  page.page.fill();
  page.page.control('number').value = '4929 0000 0000 0108';
  page.page.press();
  expect((await page.pressOver()).presses).toEqual([expect.stringContaining('carried no block')]);
});

test('does not fail by events of a press that it has not seen begin, or of the document', async () => {
  const { page } = await open({ isBound: true });
  const detail = { code: 'invalid_key', key_id: 'id' };
  for (const type of ['encrypted', 'error', 'settled']) {
    const event = page.window.eval('CustomEvent');
    page.form.dispatchEvent(new event(`cardseal:${type}`, { detail }));
  }
  page.document.dispatchEvent(new Event('click'));
  expect(page.seen).toEqual([]);
  expect(page.window.CardsealCheck!.report().presses).toEqual([]);
});

test('is over when something leaves after the longest time, whatever timers do', async () => {
  const { page } = await open({ isBound: true, script: sendsList });
  page.fill();
  const settled = new Promise((resolve) => page.form.addEventListener('cardseal:settled', resolve));
  const timers = vi.spyOn(page.window, 'setTimeout');
  page.press();
  await settled;
  expect(timers.mock.lastCall?.[1]).toBe(1_000); // until it was quiet for a second
  const presses = () => page.window.CardsealCheck!.report().presses;
  expect(presses()).toEqual([]);
  page.window.performance.now = () => performance.now() + 10_000;
  page.window.fetch('/sent/none');
  expect(presses()).toHaveLength(1);
});

test('finds no lock that the next press has made, as long as the page unlocks after each', async () => {
  const script = `document.querySelector('button').addEventListener('click', function () {
  this.className = 'is-loading';
});
document.forms[0].addEventListener('cardseal:settled', function () {
  document.querySelector('button').className = '';
});`;
  const page = await open({ isBound: true, script });
  const settled = new Promise((resolve) => page.form.addEventListener('cardseal:settled', resolve));
  page.page.press();
  await settled;
  page.page.press(); // which ends the first one
  const { findings, presses } = await page.pressOver();
  expect([findings, presses.length]).toEqual([[], 1]);
});

test('forgets what was unlocked at a click, before a press without one', async () => {
  const script = `document.body.click();
setTimeout(function () {
  window.is_submitting_1 = true;
  document.forms[0].requestSubmit();
}, 50);`;
  const page = await open({ isBound: true, script });
  const { findings, presses } = await page.pressOver();
  expect([findings.length, presses.length]).toEqual([0, 1]);
});

describe('filled in, but not sent', () => {
  const saved = {
    attributes: 'data-cardseal-when="[value=new]:checked" data-cardseal-key-url="/nowhere"',
    isBound: true,
    extra: '<label><input type="radio" name="card" value="saved" checked> Saved card</label>',
  };

  async function pressWithCode(code: string, more = '', properties = {}) {
    const page = await open({ ...saved, extra: saved.extra + more });
    Object.assign(page.page.control('cvv'), { value: code }, properties);
    const loaded = page.page.loaded();
    page.page.press();
    await loaded;
  }

  test('a code without a name, when a saved card is used', async () => {
    await pressWithCode('583');
    expect(storedReport().findings).toMatchObject([
      {
        kind: 'not sent',
        text:
          'The security code was filled in, but not sent: its control #cvv has no name, and the ' +
          'form was sent without a card.',
        advice:
          'If it is the code of a saved card, give the saved card a field of its own, with a name ' +
          'and without data-cardseal-field.',
        help: 'docs/troubleshooting.md#the-server-gets-no-block',
      },
    ]);
  });

  test('is not looked for beside a number that is no test number', async () => {
    await pressWithCode('583', '<input type="hidden" name="other" value="4929000000000109">');
    expect(storedReport()).toMatchObject({ findings: [], notices: [expect.any(String)] });
  });

  test.each([
    ['the code was left empty', '', {}],
    ['nobody sees the code', '583', { hidden: true }],
  ])('is none if %s', async (_, code, properties) => {
    await pressWithCode(code, '', properties);
    expect(sessionStorage.getItem('cardseal-check')).toBeNull();
  });

  test('a code whose name a script has given to it: Cardseal takes it off again', async () => {
    await pressWithCode('583', '', { name: 'cvv' });
    expect(storedReport().findings).toMatchObject([{ kind: 'name' }, { kind: 'not sent' }]);
  });

  test('is none in a page without Cardseal, where the browser sends the code by its name', async () => {
    const { page } = await open({ extra: saved.extra });
    page.control('cvv').value = '583';
    const loaded = page.loaded();
    page.press();
    await loaded;
    expect(await page.posted()).toContainEqual(['cc_cvv', '583']);
    expect(sessionStorage.getItem('cardseal-check')).toBeNull();
  });

  test('is none if a number is there, too', async () => {
    await pressWithCode('583', `<input autocomplete="cc-number" value="${NUMBER}">`);
    expect(sessionStorage.getItem('cardseal-check')).toBeNull();
  });
});
