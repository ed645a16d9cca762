/** Which code of a page makes a call, and which is a library's. */
import { describe, expect, test } from 'vitest';
import { framesOf, siteIn } from '../../src/check/call-site.ts';
import { placeOf } from '../../src/check/findings.ts';
import { CHECK, open, scriptFile } from './page.ts';

const frame = (url: string, line = 1) => ({ url, line, column: 2 });
const SHOP = frame(`${location.origin}/a/shop.js`, 3);
const JQUERY = frame('https://cdn.example/jquery-3.7.1.min.js');

test.each([
  ['the page', [SHOP, JQUERY], { script: '/a/shop.js', line: 3, column: 2 }],
  [
    'a library for the page',
    [JQUERY, frame('https://cdn.example/parsley.js'), SHOP],
    { script: '/a/shop.js', line: 3, column: 2, through: 'jquery-3.7.1.min.js' },
  ],
  [
    'libraries alone',
    [JQUERY, frame('https://cdn.example/parsley.js')],
    { script: 'cdn.example/jquery-3.7.1.min.js', line: 1, column: 2 },
  ],
  [
    'code of another origin',
    [frame('http://b.example/x.js')],
    { script: 'b.example/x.js', line: 1, column: 2 },
  ],
  [
    'code of an origin that begins alike',
    [frame(`${location.origin}.example/x.js`)],
    { script: `${location.host}.example/x.js`, line: 1, column: 2 },
  ],
  [
    'code that is no file',
    [frame('blob:https://b.example/x')],
    { script: 'blob:https://b.example/x', line: 1, column: 2 },
  ],
  ['nobody', [], undefined],
])('the call of %s', (_, frames, site) => {
  expect(siteIn(frames)).toEqual(site);
});

test.each([
  ['Chromium', 'at send (https://a.example/(shop)/page-1.js:3:7)'],
  ['Chromium, at the top of a script', 'at https://a.example/(shop)/page-1.js:3:7'],
  ['Firefox and Safari', 'send@https://a.example/(shop)/page-1.js:3:7'],
])('the frame of a script with parentheses in its address: %s', (_, row) => {
  expect(framesOf(row)).toMatchObject([
    { url: 'https://a.example/(shop)/page-1.js', line: 3, column: 7 },
  ]);
});

test.each([
  ['Chromium', 'at eval (eval at send (https://a.example/shop.js:3:7), <anonymous>:1:2)'],
  ['Firefox', 'send@https://a.example/shop.js line 3 > eval:1:2'],
])('no frame of evaluated code, whose lines are in no script: %s', (_, row) => {
  expect(framesOf(row)).toEqual([]);
});

describe('among scripts that wrap functions of the platform', () => {
  const [A, B] = [frame('https://a.example/a.js', 4), frame('https://b.example/b.js', 5)];
  const wrappers = new Set([A.url, B.url]);

  test.each([
    ['the page behind two of them', [A, B, B, SHOP], { script: '/a/shop.js', through: 'a.js' }],
    ['the page in front of one of them', [SHOP, A], { script: '/a/shop.js' }],
    ['one of them through another', [A, B], { script: 'b.example/b.js', or: ['a.example/a.js'] }],
    [
      'one of them, with two frames, through another',
      [A, frame(A.url, 9), B],
      { script: 'b.example/b.js', or: ['a.example/a.js'] },
    ],
    ['one of them alone, behind its own', [A, frame(A.url, 9)], { line: 9 }],
    ['one of them with one frame', [A], { script: 'a.example/a.js', line: 4 }],
  ])('the call of %s', (_, frames, site) => {
    expect(siteIn(frames, wrappers)).toMatchObject(site);
  });

  test('says which others it may be', () => {
    const site = siteIn([A, B], wrappers)!;
    expect(placeOf(site)).toBe('b.example/b.js:5:2 (or a.example/a.js)');
  });

  test('names three scripts at most', () => {
    const four = ['a', 'b', 'c', 'd'].map((name) => frame(`https://${name}.example/x.js`));
    const site = siteIn(four, new Set(four.map(({ url }) => url)));
    expect(site).toMatchObject({
      script: 'b.example/x.js',
      or: ['a.example/x.js', 'c.example/x.js'],
    });
  });
});

/** Wraps `fetch` as OpenTelemetry does. */
const BY_DEFINITION = `(function () {
  var own = window.fetch;
  Object.defineProperty(window, 'fetch', {
    configurable: true,
    writable: true,
    value: function () { return own.apply(this, arguments); },
  });
})();`;

test('a leak of the shop in a page with a script that wraps fetch by a definition is the shop’s', async () => {
  const page = await open({
    check: CHECK + scriptFile(BY_DEFINITION, 'otel.js').tag,
    script: `function leak() {\n  fetch('/sent/none?' + document.querySelector('#number').value);\n}`,
  });
  page.page.fill();
  page.window.leak();
  const site = { script: page.shop.path, line: 2, through: 'otel.js' };
  expect(await page.found()).toMatchObject([{ site }]);
});

test('a script that only defines what is its own wraps nothing: what it sends is by it', async () => {
  const helper = scriptFile(
    `Object.defineProperty({}, 'fetch', { value: 1 });
Object.defineProperty(window, 'track', { value: function (text) {
  fetch('/sent/none?' + text);
} });`,
    'helper.js',
  );
  const page = await open({
    check: CHECK + helper.tag,
    script: `function leak() { track(document.querySelector('#number').value); }`,
  });
  page.page.fill();
  page.window.leak();
  expect(await page.found()).toMatchObject([{ site: { script: helper.path, line: 3 } }]);
});

/** Wraps `fetch`, requests and beacons as monitoring does, and sends in a timer of its own. */
const MONITORING = `(function () {
  var own = window.fetch;
  window.fetch = function (input, init) {
    return own.call(window, input, init);
  };
  var send = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (body) {
    return send.call(this, body);
  };
  window.report = function (text) {
    setTimeout(function () {
      fetch('/sent/none', { method: 'POST', body: text });
    });
  };
})();`;

describe('in a page with two scripts that wrap what they send by', () => {
  async function openMonitored(script: string) {
    const names = ['first.js', 'second.js'];
    const tags = names.map((name) => scriptFile(MONITORING, name).tag).join('');
    const page = await open({ check: CHECK + tags, script });
    page.page.fill();
    page.window.leak();
    return { page, site: (await page.found())[0]!.site! };
  }
  const CARD_NUMBER = `document.querySelector('#number').value`;

  test.each([
    ['fetch', `fetch('/sent/none?' + ${CARD_NUMBER});`],
    [
      'XMLHttpRequest',
      `var x = new XMLHttpRequest(); x.open('POST', '/sent/none'); x.send(${CARD_NUMBER});`,
    ],
  ])('a leak of the shop by %s is the shop’s', async (_, code) => {
    const { page, site } = await openMonitored(`function leak() {
  ${code}
}`);
    expect(site).toMatchObject({ script: page.shop.path, line: 2, through: 'first.js' });
  });

  test('what one of them sends is not the shop’s', async () => {
    const { page, site } = await openMonitored(`function leak() {
  report(${CARD_NUMBER});
}`);
    expect(site.script).toMatch(/(first|second)\.js$/);
    expect(page.report().findings[0]!.advice).toContain('recorder or tracker');
  });
});

test('an instance that gets a function of its own leaves the platform’s as it is', async () => {
  const page = await open();
  const { XMLHttpRequest } = page.window;
  const before = XMLHttpRequest.prototype.send;
  const request = new XMLHttpRequest();
  const own = () => {};
  request.send = own;
  expect(request.send).toBe(own);
  expect(XMLHttpRequest.prototype.send).toBe(before);
});

describe('a library', () => {
  const is = (script: string) => siteIn([frame(script), SHOP])!.through !== undefined;

  test.each([
    ...['jquery.js', 'jQuery-3.7.1.min.js', 'vue@v3.2.1-beta.js', 'react-dom.production.min.js'],
    ...[
      'polyfill.js',
      'polyfills.mjs',
      '/a/lodash.js',
      'jquery.validate.js',
      '/node_modules/shop/a.js',
      'cardseal.js',
    ],
  ])('is %s', (script) => {
    expect(is(script)).toBe(true);
  });

  test.each([
    ...['shop.js', 'my-jquery.js', 'jquery-checkout.js', 'jquery.js.php', 'react-shop.js'],
    ...['jquery/shop.js', 'jquery'],
  ])('is not %s', (script) => {
    expect(is(script)).toBe(false);
  });
});

test('is found although a library has called itself many times', async () => {
  const library = `function send(depth, body) {
  return depth ? send(depth - 1, body) : fetch('/order', { method: 'POST', body: body });
}`;
  const page = await open({
    check: CHECK + scriptFile(library, 'jquery.js').tag,
    script: `function leak() {\n  send(40, document.querySelector('#number').value);\n}`,
  });
  page.page.fill();
  page.window.leak();
  const site = { script: page.shop.path, line: 2, through: 'jquery.js' };
  expect(await page.found()).toMatchObject([{ site }]);
});
