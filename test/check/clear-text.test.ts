/** Each way out by which a page sends a test card is found, with the place in the page's own code. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cardFinder, clearTextSearch, placeOfAddress } from '../../src/check/clear-text.ts';
import type { Finding, FindingStore, Found } from '../../src/check/findings.ts';
import type { Outgoing } from '../../src/check/outgoing.ts';
import { searcher, type TestCard } from '../../src/check/search.ts';
import type { CardReader } from '../../src/check/typed-card.ts';
import { findCard } from '../support/find-card.ts';
import { CARD, TYPED } from '../support/form.ts';
import { endpoint } from '../support/tag-page.ts';
import { NUMBER, open, pause, storedReport } from './page.ts';

const NUMBER_OF_PAGE = `document.querySelector('#number').value`;

/** The way as the finding names it, and the statement of the page. */
const WAYS: [way: string, code: string][] = [
  ['fetch', `fetch('/order', { method: 'POST', body: n })`],
  ['fetch', `fetch('/order?n=' + n)`],
  ['fetch', `fetch('/order', { headers: { 'x-card': n } })`],
  ['fetch', `fetch(new Request('/order', { method: 'POST', body: n }))`],
  ['fetch', `fetch(new Request('/order', { headers: { 'x-card': n } }))`],
  ['fetch', `fetch('/order', { method: 'POST', body: new FormData(document.forms[0]) })`],
  ['fetch', `fetch('/order', { method: 'POST', body: new URLSearchParams({ n }) })`],
  ['fetch', `fetch('/order', { method: 'POST', body: new Blob([n]) })`],
  ['fetch', `fetch('/order', { method: 'POST', body: new TextEncoder().encode(n) })`],
  ['XMLHttpRequest', `x = new XMLHttpRequest(); x.open('POST', '/order'); x.send(n)`],
  ['XMLHttpRequest', `x = new XMLHttpRequest(); x.open('GET', '/order?' + n); x.send()`],
  [
    'XMLHttpRequest',
    `x = new XMLHttpRequest(); x.open('GET', '/'); x.setRequestHeader('x-n', n); x.send()`,
  ],
  ['sendBeacon', `navigator.sendBeacon('/log', n)`],
  ['WebSocket', `new WebSocket(location.origin.replace('http', 'ws') + '/?' + n)`],
  ['WebSocket', `WebSocket.prototype.send.call(new WebSocket('ws://127.0.0.1:9'), n)`],
  ['EventSource', `new EventSource('/events?' + n).close()`],
  ['Worker', `new Worker('/sent/none?' + n).terminate()`],
  ['SharedWorker', `new SharedWorker('/sent/none?' + n).port.close()`],
  ['the address of an image', `new Image().src = '/pixel?' + n`],
  ['the address of an image', `document.createElement('img').setAttribute('src', '/pixel?' + n)`],
  ['the address of an image', `document.createElement('img').srcset = '/pixel?' + n`],
  ['the address of a script', `document.createElement('script').src = '/s.js?' + n`],
  ['the address of a frame', `document.createElement('iframe').src = '/f?' + n`],
  ['the address of a link', `document.createElement('link').href = '/l?' + n`],
  ['the address of a sound', `document.createElement('audio').src = '/sent/none?' + n`],
  ['the address of a video', `document.createElement('video').src = '/sent/none?' + n`],
  ['postMessage', `window.postMessage({ card: n }, '*')`],
  ['window.open', `window.open('/sent/none?' + n, 'none')?.close()`],
  ['localStorage', `localStorage.setItem('card', n)`],
  ['sessionStorage', `sessionStorage.setItem('card', JSON.stringify({ n }))`],
  ['cookie', `document.cookie = 'card=' + encodeURIComponent(n) + '; max-age=0'`],
  ['history', `history.replaceState({ n }, '')`],
  ['history', `history.replaceState(null, '', '#' + n)`],
  ['history', `history.pushState({ n }, '')`],
  // Where it stands in a name or a path, the finding says something else instead.
  ['fetch', `fetch('/order/' + n + '/pay')`],
  ['fetch', `fetch('/order', { method: 'POST', body: new URLSearchParams({ [n]: 1 }) })`],
  ['localStorage', `localStorage.setItem(n, 1); localStorage.removeItem(n)`],
];

const CHANGE_SCRIPT =
  'A script of your page sends the card’s fields, or a copy of them in its state or model. Take ' +
  'the card out of both, and send the field encrypted_card, which holds the block.';
const SEND_SERIALIZED =
  'A script of your page reads the fields and sends them. Remove the names of the card’s ' +
  'controls, and send $(form).serialize() or a list of the fields that you need, from a submit ' +
  'listener or a button with data-cardseal-button.';
const KEEP_OFF =
  'If this is a recorder or tracker, keep it off this page, or set the option that masks what is ' +
  'typed. If it is yours, take the card out of what it makes a text of. To compare is no leak.';
const NOT_HERE =
  'This looks like a recorder or tracker. Keep it off this page, or set the option that masks ' +
  'what is typed.';
const KEEP_OUT =
  'Keep the card’s fields out of what your page stores, and a recorder or tracker that stores ' +
  'them off this page.';
const CLEAR_TEXT = 'docs/troubleshooting.md#the-card-is-sent-in-clear-text';

/** What to change, by who sends: the WebSocket of the last kind goes to another host. */
const adviceOf = (way: string, code: string) =>
  /Storage|cookie/.test(way)
    ? { advice: KEEP_OUT, help: 'docs/recorders.md#persisted-state' }
    : code.includes('ws://127')
      ? { advice: NOT_HERE, help: 'docs/recorders.md#what-recorders-record' }
      : { advice: CHANGE_SCRIPT, help: CLEAR_TEXT };

/** Where `none` leads. In a window of its own, it would keep the browser from drawing this page. */
const FRAME = '<iframe name="none" hidden></iframe>';

const leaking = (code: string) => `function leak() {
  var x, f, n = ${NUMBER_OF_PAGE};
  try { ${code}; } catch (error) {}
}`;

/** Does each of these, in a line of its own, beginning with line 3. */
const inLines = (codes: string[]) => `function leak() {
  var n = ${NUMBER_OF_PAGE};
${codes.map((code) => `(function (x, f) { try { ${code}; } catch (error) {} })();`).join('\n')}
}`;

test('finds the card number by each way out, with the line of the page', async () => {
  const page = await open({ script: inLines(WAYS.map(([, code]) => code)), extra: FRAME });
  page.page.fill();
  page.window.leak();
  localStorage.removeItem('card');
  sessionStorage.removeItem('card');
  const found = await page.found(WAYS.length);
  const inLine = (line: number) => found.filter(({ site }) => site?.line === line);
  for (const [i, [way, code]] of WAYS.entries()) {
    expect(inLine(3 + i), code).toMatchObject([
      {
        kind: 'clear text',
        way,
        fields: expect.arrayContaining(['card number']),
        site: { script: page.shop.path },
        ...adviceOf(way, code),
      },
    ]);
    expect(page.list()).toContain(`${page.shop.path}:${3 + i}:`);
  }
  // Nothing of the card is in what the check says, shows or keeps.
  const said = [page.report(), page.seen, page.list(), { ...sessionStorage }];
  expect(findCard(said, { number: NUMBER, name: CARD.name })).toEqual([]);
  expect(found).toHaveLength(WAYS.length);
});

/** What a script does before anything leaves, by what the finding calls it. */
const PREPARING: [way: string, code: string][] = [
  ['JSON.stringify', `JSON.stringify({ n: n })`],
  ['TextEncoder', `new TextEncoder().encode(n)`],
  ['TextEncoder', `new TextEncoder().encodeInto(n, new Uint8Array(99))`],
  ['Worker', `new Worker('data:text/javascript,').postMessage([[1, n]])`],
  ['MessagePort', `new MessageChannel().port1.postMessage({ deep: { n: n } })`],
  ['BroadcastChannel', `new BroadcastChannel('c').postMessage(n)`],
  ['ServiceWorker', `try { ServiceWorker.prototype.postMessage.call({}, n) } catch (error) {}`],
];

test('finds what is about to leave: texts that scripts make, and what they hand to workers', async () => {
  const lines = PREPARING.map(([, code]) => `function (n) { ${code}; },`);
  const page = await open({ script: `var leaks = [\n${lines.join('\n')}\n];` });
  const leaks = Reflect.get(page.window, 'leaks') as ((number: string) => void)[];
  page.page.fill();
  for (const [i, [way, code]] of PREPARING.entries()) {
    page.window.CardsealCheck!.clear();
    leaks[i]!(TYPED.number);
    leaks[i]!(TYPED.number); // a recorder does so all the time
    const found = await page.found();
    const place = { script: page.shop.path, line: 2 + i };
    const kind = 'about to leave';
    expect(found, code).toMatchObject([{ kind, way, fields: ['card number'], site: place }]);
    expect(found[0]!.text).toContain(`The card number is about to leave in clear text, by ${way}`);
  }
});

test('says nothing of a text that no script of the page makes, as a driver of tests does', async () => {
  const page = await open({
    script: `function readAsDriver() { setTimeout(JSON.stringify, 0, ${NUMBER_OF_PAGE}); setTimeout(done, 0); }
function done() { isDone = true; }
var isDone = false;`,
  });
  const { readAsDriver } = page.window as unknown as Record<string, () => void>;
  page.page.fill();
  readAsDriver!();
  await vi.waitUntil(() => Reflect.get(page.window, 'isDone'));
  expect(page.report().findings).toEqual([]);
});

test('says it once if what was prepared leaves at once, or later', async () => {
  const script = `var text;
function leak(later) {
  text = JSON.stringify({ n: ${NUMBER_OF_PAGE} });
  if (!later) send();
}
function send() { fetch('/sent/none', { method: 'POST', body: text }); }`;
  const page = await open({ script });
  const { leak, send } = page.window as unknown as Record<string, (later?: boolean) => void>;
  page.page.fill();
  leak!();
  const left = { kind: 'clear text', way: 'fetch', site: { line: 6 } };
  expect(page.report().findings).toMatchObject([left]);
  page.window.CardsealCheck!.clear();
  leak!(true);
  expect(await page.found()).toMatchObject([{ kind: 'about to leave', site: { line: 3 } }]);
  send!();
  expect(page.report().findings).toMatchObject([left]);
  leak!(true); // what the script sends is known by now
  expect(page.report().findings).toMatchObject([left]);
});

test('says what is about to leave when the page is left first', async () => {
  const script = `addEventListener('pagehide', function () { JSON.stringify(${NUMBER_OF_PAGE}); });`;
  const page = await open({ script });
  page.page.fill();
  const loaded = page.page.loaded();
  page.window.location.href = page.page.target.path;
  await loaded;
  expect(storedReport().findings).toMatchObject([{ kind: 'about to leave', site: { line: 1 } }]);
});

test('finds what a page stores in a database, and by assignment', async () => {
  const script = `function leak() {
  var open = indexedDB.open('card-of-test', 1);
  open.onupgradeneeded = function () { open.result.createObjectStore('a', { keyPath: 'id' }); };
  open.onsuccess = function () {
    var cards = open.result.transaction('a', 'readwrite').objectStore('a');
    cards.put({ id: 1, card: { n: ${NUMBER_OF_PAGE} } });
    cards.add({ id: 2, card: { n: ${NUMBER_OF_PAGE} } });
    cards.openCursor(2).onsuccess = function (event) {
      event.target.result.update({ id: 2, other: { n: ${NUMBER_OF_PAGE} } });
    };
    open.result.close();
    indexedDB.deleteDatabase('card-of-test');
  };
  document.body.onclick = function () { localStorage.card_of_test = ${NUMBER_OF_PAGE}; };
  document.body.click();
  delete localStorage.card_of_test;
}`;
  const page = await open({ script });
  page.page.fill();
  page.window.leak();
  const text = expect.not.stringContaining(' to '); // it has no address
  expect(await page.found(4)).toMatchObject([
    { kind: 'clear text', way: 'localStorage', control: 'card_of_test', advice: KEEP_OUT },
    { kind: 'clear text', way: 'IndexedDB', text, site: { line: 6 }, advice: KEEP_OUT },
    { kind: 'clear text', way: 'IndexedDB', text, site: { line: 7 }, advice: KEEP_OUT },
    { kind: 'clear text', way: 'IndexedDB', text, site: { line: 9 }, advice: KEEP_OUT },
  ]);
});

test('names no line of a message if the page sends from two lines, and stops the event', async () => {
  const script = `addEventListener('message', function (event) {
  event.stopImmediatePropagation();
}, true);
function leak() {
  var n = ${NUMBER_OF_PAGE};
  postMessage('hello', '*');
  postMessage(n, '*');
}`;
  const page = await open({ script });
  page.page.fill();
  page.window.leak();
  const [found] = await page.found();
  expect([found?.way, found?.site]).toEqual(['postMessage', undefined]);
});

test.each([
  [
    'if a script has kept the function',
    `var kept = window.postMessage;
function hello() { postMessage('hello', '*'); }
function leak() { hello(); kept.call(window, ${NUMBER_OF_PAGE}, '*'); }`,
  ],
  [
    'if a script has put its own function in the place',
    `function leak() {
  var kept = window.postMessage;
  window.postMessage = function (data) { kept.call(window, data, '*'); };
  postMessage(${NUMBER_OF_PAGE});
}`,
  ],
])('names no line of a message %s', async (_, script) => {
  const page = await open({ script });
  page.page.fill();
  page.window.leak();
  const [found] = await page.found();
  expect([found?.way, found?.site]).toEqual(['postMessage', undefined]);
});

// Claim check-sends-nothing. Why: It has no way out of the page. src/check/findings.ts keeps names,
// ways and places; src/check/clear-text.ts replaces an address that has the card in it.
test('says no digit of an address that the card has got into', async () => {
  const script = `function leak(path, body) {
  fetch(path, { method: 'POST', body: new URLSearchParams(body) });
}`;
  const page = await open({ script });
  page.page.fill();
  const leak = Reflect.get(page.window, 'leak') as (path: string, body?: object) => void;
  page.window.history.replaceState(null, '', `/order/${NUMBER}`);
  leak(`/log/${encodeURIComponent(TYPED.number)}`);
  leak(`/log/${NUMBER.replace('6509', '0000')}?${NUMBER}`); // another long number
  leak(`/verify/${CARD.cvv}`, { [CARD.cvv]: NUMBER });
  const hidden = '(a text with the card in it)';
  expect(await page.found(3)).toMatchObject([
    { way: 'history' },
    { to: hidden, page: hidden },
    { to: hidden, control: hidden },
  ]);
  const said = [page.report(), page.seen, page.list(), { ...sessionStorage }];
  const { cvv } = CARD;
  expect(findCard(said, { number: NUMBER, start: NUMBER.slice(0, 12), cvv })).toEqual([]);
});

describe('in a shadow root', () => {
  const script = `var host = document.body.appendChild(document.createElement('div'));
var root = host.attachShadow({ mode: 'open' });
root.appendChild(document.forms[0]);
function press() { root.querySelector('button').click(); }
function leak() { fetch('/order?n=' + root.querySelector('#number').value); }`;

  async function openFilled() {
    const page = await open({ script });
    const root = page.document.querySelector('div')!.shadowRoot!;
    const number = root.querySelector<HTMLInputElement>('#number')!;
    number.value = TYPED.number;
    return { page, number };
  }

  test('finds a form that the browser sends', async () => {
    const { page } = await openFilled();
    const loaded = page.page.loaded();
    (Reflect.get(page.window, 'press') as () => void)();
    await loaded;
    expect(storedReport().findings).toMatchObject([{ way: 'form', control: 'cc_number' }]);
  });

  test('finds what a script sends once a field has had the focus', async () => {
    const { page, number } = await openFilled();
    number.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
    page.window.leak();
    expect(await page.found()).toMatchObject([{ way: 'fetch', site: { line: 5 } }]);
  });
});

test('finds what a click handler has taken out of the fields', async () => {
  const script = `document.querySelector('button').onclick = function (event) {
  event.preventDefault();
  var taken = document.querySelector('#number').value;
  document.forms[0].reset();
  fetch('/order', { method: 'POST', body: taken });
};`;
  const page = await open({ script });
  page.page.fill(); // without a `change`, as scripts fill in fields
  page.page.press();
  expect(await page.found()).toMatchObject([{ way: 'fetch', site: { line: 5 } }]);
});

test.each([
  ['finds a form that the browser sends, and names the control that has a name', ''],
  [
    'finds it although the page stops the event',
    `document.forms[0].addEventListener('submit', function (event) { event.stopPropagation(); });`,
  ],
  ['finds it although the page replaces FormData', 'FormData = function () {};'],
  [
    'finds what a formdata listener adds',
    `document.querySelectorAll('form input').forEach(function (it) { it.removeAttribute('name'); });
    document.forms[0].onformdata = function (event) {
      ['number', 'name', 'cvv'].forEach(function (id) {
        event.formData.append('cc_' + id, document.getElementById(id).value);
      });
      event.stopImmediatePropagation();
    };`,
  ],
])('%s', async (_, script) => {
  const page = await open({ script });
  await page.page.pay();
  const [found] = storedReport().findings;
  expect(found).toMatchObject({
    kind: 'clear text',
    way: 'form',
    to: page.page.target.path,
    control: 'cc_number',
    fields: ['card number', 'name on the card', 'security code'],
  });
  expect(found?.text).toMatch(
    /^The card number and the name on the card and the security code left in clear text by form to \/answer\/[\w-]+, in the field "cc_number"(, from [^ ]+)?\.$/,
  );
  expect(found?.advice).toBe(
    'Remove the name from the card’s controls. Mark each by data-cardseal-field; select it by id.',
  );
});

test('finds what the page has taken out of a field as soon as it was typed', async () => {
  const script = `var taken;
document.querySelector('#number').onchange = function () {
  taken = this.value;
  this.value = '';
};
function leak() { fetch('/order?n=' + taken); }`;
  const page = await open({ script });
  const number = page.page.control('number');
  number.value = TYPED.number;
  number.dispatchEvent(new Event('change', { bubbles: true }));
  page.window.leak();
  expect(await page.found()).toMatchObject([{ way: 'fetch', site: { line: 6 } }]);
});

test('finds the fifth card that is typed, too', async () => {
  const page = await open({ script: leaking(`fetch('/order?' + n)`) });
  const number = page.page.control('number');
  const others = ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117'];
  for (const value of others) {
    number.value = value;
    number.dispatchEvent(new Event('change', { bubbles: true }));
  }
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toMatchObject([{ fields: ['card number'] }]);
});

test('finds the card in the address of a button', async () => {
  const page = await open();
  const button = page.document.querySelector('button')!;
  button.setAttribute('formaction', `${page.page.target.path}?card=${NUMBER}`);
  for (const control of page.page.controls()) control.removeAttribute('name');
  await page.page.pay();
  expect(storedReport().findings).toMatchObject([{ way: 'form', fields: ['card number'] }]);
});

test('finds the card that a script has put into the address of the page', async () => {
  const page = await open({ script: `function leak() { location.hash = ${NUMBER_OF_PAGE}; }` });
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toMatchObject([{ way: 'the address of the page' }]);
});

// WebKitGTK is built without it.
test('finds what a data channel sends, where the browser has one', async () => {
  const script = `function leak() {
  var channel = new RTCPeerConnection().createDataChannel('c');
  try { channel.send(${NUMBER_OF_PAGE}); } catch (error) {}
}`;
  const page = await open({ script });
  page.page.fill();
  const isThere = 'RTCDataChannel' in page.window;
  if (isThere) page.window.leak();
  await pause(50);
  const text = expect.not.stringContaining(' to '); // it has no address
  const found = { kind: 'clear text', way: 'RTCDataChannel', text, site: { line: 3 } };
  expect(page.report().findings).toMatchObject(isThere ? [found] : []);
});

test('finds a cookie that is set by the newer way, where the browser has it', async () => {
  const script = `function leak() { return cookieStore.set('card', ${NUMBER_OF_PAGE}); }`;
  const page = await open({ script });
  page.page.fill();
  if ('cookieStore' in page.window) {
    await page.window.leak();
    page.document.cookie = 'card=; path=/; max-age=0'; // other tests look for cards in cookies
  } else page.document.cookie = `card=${encodeURIComponent(TYPED.number)}; max-age=0`;
  const text = expect.not.stringContaining(' to '); // it has no address
  expect(await page.found()).toMatchObject([{ way: 'cookie', text, fields: ['card number'] }]);
});

test('finds form.submit() by a script, with its place', async () => {
  const page = await open({ script: `function leak() {\n document.forms[0].submit();\n}` });
  page.page.fill();
  const loaded = page.page.loaded();
  page.window.leak();
  await loaded;
  const [found] = storedReport().findings;
  expect(found).toMatchObject({ way: 'form', site: { script: page.shop.path, line: 2 } });
});

test.each([
  ['by itself', ''],
  ['before other digits', ' 583'],
])('finds the card %s in the address of the page that location.href led to', async (_, more) => {
  const next = endpoint();
  const html = `<!doctype html><script src="/dist/cardseal.check.js" data-test-numbers="${NUMBER}"></script>`;
  await next.say({ body: html });
  const page = await open();
  const loaded = page.page.loaded();
  page.window.location.href = `${next.path}?card=${TYPED.number}${more}`;
  await loaded;
  const { findings } = page.page.window.CardsealCheck!.report();
  expect(findings).toEqual([
    {
      kind: 'clear text',
      page: next.path,
      text: 'The address of this page has the card number in clear text.',
      advice: `A form with method="get" or a script put it there. ${CHANGE_SCRIPT}`,
      help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
      fields: ['card number'],
      way: 'the address of the page',
    },
  ]);
  expect(findCard(findings, { number: NUMBER })).toEqual([]);
});

/** A form whose number has a name. */
const FORM_OF_CARD = `f = document.body.appendChild(document.createElement('form'));
  f.method = 'post'; f.action = '/order'; f.innerHTML = '<input name="number" value="' + n + '">';`;

test('finds it although the page formats stacks itself, and names the line', async () => {
  const script = `Error.prepareStackTrace = function (_, calls) { return calls; }; Error.stackTraceLimit = 0;
${leaking(`fetch('/order?' + n)`)}`;
  const page = await open({ script });
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toMatchObject([{ way: 'fetch', site: { line: 4 } }]);
});

describe('does not accuse', () => {
  /** What it is, and the statement of the page. */
  const ALLOWED: [what: string, code: string][] = [
    ['a masked number', `fetch('/log', { method: 'POST', body: '4929 **** **** 6509' })`],
    [
      'digits that occur by chance',
      `fetch('/log', { method: 'POST', body: '9' + ${JSON.stringify(NUMBER)} + '1' })`,
    ],
    ['a picture of the card', `new Image().src = 'data:image/svg+xml,<svg>' + n + '</svg>'`],
    [
      'a cancelled submit that a script made up',
      `${FORM_OF_CARD} f.onsubmit = function () { new FormData(f); return false; };
      f.dispatchEvent(new Event('submit', { cancelable: true })); new FormData(f)`,
    ],
    [
      'a form of which a script takes the card out, after a submit that it made up',
      // Firefox sends the form with that event, as it is then: the number has no name yet.
      `${FORM_OF_CARD} f.target = 'none'; f.firstChild.removeAttribute('name');
      f.dispatchEvent(new Event('submit', { bubbles: true })); f.firstChild.name = 'number';
      x = new FormData(f); x.delete('number'); fetch('/sent/none', { method: 'POST', body: x })`,
    ],
    [
      'a form without a destination',
      `${FORM_OF_CARD} f.action = 'javascript:void 0'; f.requestSubmit()`,
    ],
    [
      'a button of a dialog',
      `${FORM_OF_CARD} x = f.appendChild(document.createElement('button'));
      x.formMethod = 'dialog'; x.click()`,
    ],
    ['an object that is sent as its kind', `fetch('/', { method: 'POST', body: { n: n } })`],
    [
      'an output of a form',
      `${FORM_OF_CARD} f.innerHTML = '<output name="number">' + n + '</output>'; f.target = 'none';
      f.requestSubmit()`,
    ],
    [
      'the name on the card, without a code, in a text or in a message of the page',
      `x = { who: document.querySelector('#name').value, n: 12 }; JSON.stringify(x);
      new MessageChannel().port1.postMessage(x)`,
    ],
    [
      'a field that a formdata listener takes out',
      `${FORM_OF_CARD} f.onformdata = function (event) { event.formData.delete('number'); };
      f.target = 'none'; f.submit(); f.requestSubmit()`,
    ],
  ];

  test('what is no card, and what does not leave', async () => {
    const page = await open({ script: inLines(ALLOWED.map(([, code]) => code)), extra: FRAME });
    page.page.fill();
    page.window.leak();
    await pause(100);
    expect(page.report().findings).toEqual([]);
    expect(page.seen).toEqual([]);
  });

  test('a page that sends the block and nothing else', async () => {
    const page = await open({ isBound: true });
    await page.page.pay();
    const { findings, presses } = storedReport();
    expect(findings).toEqual([]);
    expect(presses).toMatchObject([{ text: expect.stringContaining('the block left by form') }]);
  });
});

test('finds a security code under a telling name, and the name on the card', async () => {
  const script = leaking(
    `fetch('/a', { method: 'POST', body: JSON.stringify({ cvv: document.querySelector('#cvv').value }) });
     fetch('/b?who=' + encodeURIComponent(document.querySelector('#name').value))`,
  );
  const page = await open({ script });
  page.page.fill();
  page.window.leak();
  const found = await page.found(2);
  const withoutPlace = found.map(({ text }) => text.replace(/, from .*/, ''));
  expect(withoutPlace).toEqual([
    'The security code left in clear text by fetch to /a',
    'The name on the card left in clear text by fetch to /b',
  ]);
  expect(found.map(({ to, fields }) => [to, fields])).toEqual([
    ['/a', ['security code']],
    ['/b', ['name on the card']],
  ]);
});

const CARD_IN_PAGE = {
  ...{ number: NUMBER, typed: [TYPED.number], codes: ['583'], codeNames: [] },
  name: 'Zoë Quillow',
};
function finderOf(card: TestCard) {
  const inPage = { ...card, find: searcher(card) };
  return cardFinder({ cards: () => [inPage] } as Partial<CardReader> as CardReader);
}

/** Searches what leaves, in a page where the check has these findings already. */
function search(
  outgoing: Partial<Outgoing>,
  { findings = [], typed = [TYPED.number] }: { findings?: Finding[]; typed?: string[] } = {},
) {
  const added: Found[] = [];
  const withdrawn: [reason: string, finding: Finding][] = [];
  const store: Partial<FindingStore> = {
    load: () => ({ findings, presses: [], notices: [] }),
    add: (it) => void added.push(it),
    withdraw(isNone, reason) {
      for (const it of findings) if (isNone(it)) withdrawn.push([reason, it]);
    },
  };
  const { search } = clearTextSearch(finderOf({ ...CARD_IN_PAGE, typed }), store as FindingStore);
  search({ way: 'fetch', to: '', parts: [{ text: NUMBER }], site: undefined, ...outgoing });
  return { added, withdrawn };
}

describe('among what leaves', () => {
  const BOXES = ['4929', '1192', '8374', '6509'];

  const foundIn = (parts: Outgoing['parts'], typed: string[]) =>
    search({ way: 'localStorage', parts }, { typed }).added;

  test('names the field that holds the card, and no address if there is none', () => {
    const parts = [
      { key: 'city', text: 'Cork' },
      { key: 'n', text: NUMBER },
    ];
    const [found] = foundIn(parts, [TYPED.number]);
    expect(found?.control).toBe('n');
    expect(found?.text.join('')).toBe(
      'The card number left in clear text by localStorage, in the field "n".',
    );
  });

  test('finds a number in several boxes of a form', () => {
    const [one, two, three, four] = BOXES.map((text) => ({ key: 'box', text }));
    const parts = [one!, two!, { key: 'city', text: 'Cork' }, three!, four!];
    expect(foundIn(parts, BOXES)).toMatchObject([{ fields: ['card number'], control: undefined }]);
  });

  test('finds such a number between other fields with digits', () => {
    const values = ['12', '4929', '1192', 'Cork', '8374', '6509', '27'];
    const parts = values.map((text) => ({ key: 'box', text }));
    expect(foundIn(parts, BOXES)).toMatchObject([{ fields: ['card number'] }]);
  });

  test('does not put texts together that are no fields', () => {
    const parts = BOXES.map((text) => ({ text }));
    expect(foundIn(parts, BOXES)).toEqual([]);
  });
});

const SHOP = { script: '/shop.js', line: 3, column: 4 };
const OTHER_SCRIPT = { ...SHOP, script: '/other.js' };
const NUMBER_AND_NAME = [{ text: `${NUMBER} Zoë Quillow` }];

/** A finding of the check that is none of a card's fields. */
const LOCK: Finding = { kind: 'lock', page: '/', text: '', advice: '', help: '', site: SHOP };

/** A finding that the check has already. Another line of the same script is no other script. */
const known = (finding: Partial<Finding>): Finding => ({
  ...LOCK,
  kind: 'about to leave',
  fields: ['card number', 'name on the card'],
  site: { ...SHOP, line: 1 },
  ...finding,
});

describe('what is about to leave', () => {
  const prepare = (outgoing: Partial<Outgoing>, findings: Finding[] = []) =>
    search({ way: 'JSON.stringify', isPreparing: true, site: SHOP, ...outgoing }, { findings });

  test('is named with all its parts', () => {
    const [found] = prepare({ parts: NUMBER_AND_NAME }).added;
    expect(found?.text).toEqual([
      'The card number and the name on the card are about to leave in clear text, by JSON.stringify',
      ...[', from ', SHOP, '.'],
    ]);
  });

  test.each([
    ['a finding of this script says it', known({ fields: ['card number'] })],
    ['a finding of this script says more', known({})],
    ['a finding of this script says that it has left', known({ kind: 'clear text' })],
  ])('is not said again if %s', (_, finding) => {
    const ofOther = known({ site: OTHER_SCRIPT });
    expect(prepare({}, [ofOther, finding]).added).toEqual([]);
  });

  test.each([
    ['another script has done so', known({ site: OTHER_SCRIPT })],
    ['nobody knows which script has done so', known({ site: undefined })],
    ['a finding of this script says something else', LOCK],
    ['a finding of this script says less', known({ fields: ['card number'] })],
  ])('is said although %s', (_, finding) => {
    expect(prepare({ parts: NUMBER_AND_NAME }, [finding]).added).toHaveLength(1);
  });
});

describe('when something has left', () => {
  const leave = (site: Outgoing['site'], parts: Outgoing['parts'], finding: Finding) =>
    search({ site, parts }, { findings: [finding] });

  test.each([
    ['what this script was about to send', SHOP],
    ['what any script was about to send, if nobody knows who has sent it,', undefined],
  ])('%s is taken back', (_, site) => {
    const { added, withdrawn } = leave(site, NUMBER_AND_NAME, known({}));
    expect([added.length, withdrawn]).toEqual([1, [['it has left', known({})]]]);
  });

  test.each([
    ['what another script is about to send', NUMBER_AND_NAME, known({ site: OTHER_SCRIPT })],
    ['a finding that says more', [{ text: NUMBER }], known({})],
    ['a finding that it left by another way', NUMBER_AND_NAME, known({ kind: 'clear text' })],
  ])('%s stays', (_, parts, finding) => {
    const { added, withdrawn } = leave(SHOP, parts, finding);
    expect([added.length, withdrawn]).toEqual([1, []]);
  });
});

describe('the advice', () => {
  const adviceTo = (outgoing: Partial<Outgoing>) => search(outgoing).added[0]?.advice;

  test('to a script that makes a text says what to do with it', () => {
    expect(search({ isPreparing: true, site: SHOP }).added).toMatchObject([
      { advice: KEEP_OFF, help: 'docs/recorders.md#what-recorders-record' },
    ]);
  });

  test.each([
    ['through jQuery', { ...SHOP, through: 'jquery-3.7.1.min.js' }],
    ['of jQuery itself', { ...SHOP, script: '/lib/jQuery.js' }],
  ])('to a call %s says what to send', (_, site) => {
    expect(search({ site }).added).toMatchObject([{ advice: SEND_SERIALIZED, help: CLEAR_TEXT }]);
  });

  test('to a call without an address does not depend on where other addresses lead', () => {
    const base = document.createElement('base');
    base.href = 'https://other.example/';
    document.head.prepend(base);
    onTestFinished(() => base.remove());
    expect([adviceTo({ to: '' }), adviceTo({ to: '/a' })]).toEqual([CHANGE_SCRIPT, NOT_HERE]);
  });
});

describe('what the check says', () => {
  const { shown } = finderOf(CARD_IN_PAGE);

  test.each([
    ...[NUMBER, TYPED.number, '/order/583', 'Zoë Quillow', 'Zo%C3%AB+Quillow', 'cvv=583'],
    ...['/log/492900000000', '4929-1192-8374', '4929+1192+8374', '4929%201192%208374'],
  ])('hides %s', (text) => {
    expect(shown(text)).toBe('(a text with the card in it)');
  });

  test.each(['/order/5830', '49290000000', '4929/1192/8374', 'Zoë'])('shows %s', (text) => {
    expect(shown(text)).toBe(text);
  });

  test.each([
    ['', ''],
    ['/a?b=c#d', '/a'],
    [`${location.origin}/a`, '/a'],
    ['https://other.example/a', 'other.example/a'],
    ['data:text/plain,a', 'data:'],
    ['blob:https://other.example/a', 'blob:'],
  ])('of the address "%s" is "%s"', (to, place) => {
    expect(placeOfAddress(to)).toBe(place);
  });
});
