/** The check cannot become a danger: it does nothing on other hosts, and looks for test cards only. */
import { describe, expect, test } from 'vitest';
import checkPage from '../../docs/check.md?raw';
import tagOfDocument from '../documents/snippets/check.html?raw';
import { TAG, visit } from '../support/tag-page.ts';
import { CHECK, open, pause, scriptFile, storedReport } from './page.ts';

const LEAK = `function leak() {
  fetch('/sent/none', { method: 'POST', body: document.querySelector('#number').value });
}`;

/** A number with a right check digit that nobody has published for tests. */
const OTHER_NUMBER = '4929 0000 0000 0109';

/** Before the check: keeps what the platform has. */
const KEEP = `<script>
function platform() {
  var { prototype } = HTMLFormElement;
  return [fetch, postMessage, open, WebSocket, prototype.submit, localStorage.setItem];
}
var original = platform();
</script>`;

/** How many functions of the platform the check watches, of those that were kept. */
const watchedIn = (window: object) => {
  const { original, platform } = window as { original: unknown[]; platform(): unknown[] };
  return platform().filter((it, i) => it !== original[i]).length;
};

// Claim check-hosts. Why: `isTestHost` in src/check/test-host.ts is asked before anything else, and
// `cardReader` in src/check/typed-card.ts knows no card while another number stands in the page.
test('does nothing but one warning on a host that is not named', async () => {
  // The document of `srcdoc` has no host.
  const page = await visit({ head: KEEP + CHECK + TAG, srcdoc: true, tail: scriptFile(LEAK).tag });
  expect(page.seen).toEqual([
    'cardseal.check.js is for test systems and does nothing here. ' +
      'To use it, name the host in its tag: data-test-host=""',
  ]);
  expect(page.window.CardsealCheck).toBeUndefined();
  expect(watchedIn(page.window)).toBe(0);
});

// Control check-hosts
test('control: on this host the functions are watched', async () => {
  const page = await open({ check: KEEP + CHECK });
  // Not `postMessage`: a function around it would be the source of a frame's message.
  expect(watchedIn(page.window)).toBe(5);
});

// Control check-sends-nothing
test('finds, stores and reports where a script replaces functions of the language, as Prototype 1.6 does', async () => {
  const prototype = `Array.prototype.toJSON = function () { return '[]'; };
Array.prototype.reduce = function () { return this.length > 1 ? this : this[0]; };
Array.from = function (it) { return it.length ? Array.prototype.slice.call(it) : []; };
HTMLElement.prototype.remove = function () { this.parentNode.removeChild(this); };`;
  const page = await open({ script: prototype + LEAK });
  page.page.fill();
  page.window.leak();
  const clearText = { kind: 'clear text', way: 'fetch', fields: ['card number'] };
  expect(await page.found()).toMatchObject([clearText]);
  expect(storedReport()).toEqual(page.report());
  page.window.CardsealCheck!.clear();
  page.window.CardsealCheck!.clear(); // the list is gone already
  expect(page.report().findings).toEqual([]);
});

// Claim check-hosts
test('with another number it says so, once, and looks at nothing', async () => {
  const page = await open({ script: LEAK });
  page.page.fill();
  page.page.control('number').value = OTHER_NUMBER;
  for (let i = 0; i < 3; i++) page.window.leak();
  await pause(100);
  expect(page.report()).toEqual({
    findings: [],
    presses: [],
    notices: [
      'This page has a card number that is no test number. The check looks at nothing while it is ' +
        'there. Type a test number, or name yours in data-test-numbers.',
    ],
  });
  expect(page.seen.filter((text) => text.includes('no test number'))).toHaveLength(1);
  expect(page.list()).toContain('no test number');
  // As soon as a test number stands there, it looks again.
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});

test('with another number it follows no press', async () => {
  const page = await open({ isBound: true });
  page.page.fill();
  page.page.control('number').value = OTHER_NUMBER;
  const loaded = page.page.loaded();
  page.page.press();
  await loaded;
  expect(storedReport()).toMatchObject({ findings: [], presses: [] });
});

test('does not look at a number that is no test number because it is mistyped', async () => {
  const page = await open({ script: LEAK });
  page.page.control('number').value = '4929 0000 0000 0108';
  page.window.leak();
  await pause(100);
  expect(page.report()).toEqual({ findings: [], presses: [], notices: [] });
});

test('takes the numbers off its tag, which a recorder of the page would send', async () => {
  const page = await open();
  const tag = page.document.querySelector('script[src*="cardseal.check"]')!;
  expect(tag.hasAttribute('data-test-numbers')).toBe(false);
});

describe('another number', () => {
  test.each([
    ['in a control that says nothing of a card', '<input value="4929 0000-0000 0109">'],
    ['in a control that nobody sees', '<input type="hidden" value="4929000000000109">'],
  ])('%s: it looks at nothing', async (_, extra) => {
    const page = await open({ script: LEAK, extra });
    page.page.fill();
    page.window.leak();
    await pause(100);
    const { findings, notices } = page.report();
    expect([findings.length, notices.length]).toEqual([0, 1]);
  });

  // Control check-hosts
  test('in other text, mistyped, too short for a card, or of tests: it looks', async () => {
    const values = [
      'No. 4929000000000109',
      '4929000000000108',
      '49290000006',
      '4111 1111 1111 1111',
    ];
    const extra = values.map((value) => `<input value="${value}">`).join('');
    const page = await open({ script: LEAK, extra });
    page.page.fill();
    page.window.leak();
    expect(await page.found()).toHaveLength(1);
    expect(page.report().notices).toEqual([]);
  });
});

/** What code of the page does, and what comes of it. `once` counts how often the platform reads. */
const RUNS: [what: string, code: string, expected: unknown][] = [
  [
    'a message of a frame',
    `var frame = document.body.appendChild(document.createElement('iframe'));
    var source = new Promise(function (resolve) {
      addEventListener('message', function (event) { resolve(event.source === frame.contentWindow); });
    });
    frame.contentWindow.eval('parent.postMessage(0, "*")');
    return source;`,
    true,
  ],
  ['a constructor', `return new EventSource('/').constructor === EventSource;`, true],
  [
    'headers that are read by an iterator',
    `var list = { [Symbol.iterator]() { runs++; return [['x-a', 'b']].values(); } };
    fetch('/', { headers: list }); return runs;`,
    1,
  ],
  [
    'a forEach of its own',
    `var body = new FormData(), headers = new Headers();
    body.forEach = headers.forEach = once('').toString;
    fetch('/', { method: 'POST', body, headers }); return runs;`,
    0,
  ],
  [
    'an address with a toString of its own',
    `var url = new URL('/', location.href); url.toString = once('/').toString;
    fetch(url); return runs;`,
    1,
  ],
  ['an address that is an object', `fetch(once('/')); return runs;`, 1],
  [
    'a body that is an object',
    `var x = new XMLHttpRequest(); x.open('POST', '/'); x.send(once('')); return runs;`,
    1,
  ],
  ['an attribute', `new Image().setAttribute('src', once('/')); return runs;`, 1],
  [
    'options with a getter',
    `fetch('/', { method: 'POST', get body() { runs++; return ''; } }).catch(Object); return runs;`,
    1,
  ],
  [
    'a state with a getter',
    `history.replaceState({ get a() { return ++runs; } }, ''); return runs;`,
    1,
  ],
  ['a message with a getter', `postMessage({ get a() { return ++runs; } }, '*'); return runs;`, 1],
  ['whether postMessage is listed', `return Object.keys(window).includes('postMessage');`, true],
  [
    'a postMessage of its own',
    `window.postMessage = function () {};
    window.postMessage = function () { return 'own'; }; return postMessage();`,
    'own',
  ],
  [
    'a fetch of its own, without window',
    `var before = fetch; fetch = function () { return 'own'; };
    try { return [fetch(), window.fetch(), Object.keys(window).includes('fetch')].join(); }
    finally { fetch = before; }`,
    'own,own,true',
  ],
  [
    'the depth of stacks',
    `Error.stackTraceLimit = 7; fetch('/'); return Error.stackTraceLimit;`,
    7,
  ],
  [
    'what Error has',
    `delete Error.stackTraceLimit; fetch('/');
    return ['stackTraceLimit', 'prepareStackTrace'].some(function (it) { return it in Error; });`,
    false,
  ],
  [
    'a format of stacks',
    `Error.prepareStackTrace = function () { runs++; }; fetch('/'); return runs;`,
    0,
  ],
];

test('what code of the page does is as without the check', async () => {
  const runs = RUNS.map(([what, code]) => `${JSON.stringify(what)}: function () { ${code} }`);
  const script = `var runs;
  function once(text) { function run() { runs++; return text; } return { toString: run, toJSON: run }; }
  var all = { ${runs.join(',\n')} };
  async function leak() {
    var results = {};
    for (var what in all) {
      runs = 0;
      results[what] = await all[what]();
    }
    return results;
  }`;
  const expected = Object.fromEntries(RUNS.map(([what, _, result]) => [what, result]));
  for (const check of ['', CHECK]) {
    const page = await open({ check, script });
    page.page.fill();
    expect([check, await page.window.leak()]).toEqual([check, expected]);
    expect(page.seen).toEqual([]);
  }
});

test('another entry of that name in the storage does not matter', async () => {
  const page = await open({ script: LEAK });
  page.page.fill();
  for (const entry of ['null', '{"findings":[null,{}],"presses":[0]}', '"']) {
    page.window.CardsealCheck!.clear();
    sessionStorage.setItem('cardseal-check', entry);
    expect(page.report()).toEqual({ findings: [], presses: [], notices: [] });
    page.window.leak();
    expect(await page.found()).toMatchObject([{ kind: 'clear text' }]);
  }
  expect(page.seen).toEqual(Array(3).fill(expect.stringContaining('clear text')));
});

test('a fault of the check is none of the page', async () => {
  const page = await open({ script: LEAK, hasFault: true });
  // As in pages that replace functions of the platform by ones of another behaviour.
  page.document.querySelectorAll = () => {
    throw new RangeError('of the page');
  };
  page.page.fill();
  expect(() => page.window.history.replaceState({}, '')).not.toThrow();
  await expect(page.window.fetch('/sent/none')).resolves.toBeDefined();
  expect(await page.page.pay()).toContainEqual(['cc_cvv', '583']);
  const { presses, findings } = storedReport() ?? { presses: [], findings: [] };
  expect([presses, findings]).toEqual([[], []]);
});

test('reads its tag as a module, too', async () => {
  const page = await open({
    check: CHECK.replace('<script', '<script type="module"'),
    script: LEAK,
  });
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});

test('the second copy of the tag does nothing', async () => {
  const keep = '<script>var first = CardsealCheck</script>';
  const page = await open({ check: CHECK + keep + CHECK, script: LEAK });
  page.page.fill();
  page.window.leak();
  await page.found();
  await pause(100);
  expect(page.report().findings).toHaveLength(1);
  expect(page.window.CardsealCheck).toBe(Reflect.get(page.window, 'first'));
});

test('the tag of docs/check.md looks at published numbers', async () => {
  expect(checkPage).toContain(`\`\`\`html\n${tagOfDocument}\`\`\``);
  const page = await open({ script: LEAK, check: tagOfDocument });
  page.page.control('number').value = '4242 4242 4242 4242';
  page.window.leak();
  expect(await page.found()).toHaveLength(1);
});
