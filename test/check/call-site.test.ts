/** Which code of a page makes a call, and which is a library's. */
import { describe, expect, test } from 'vitest';
import { isLibrary, siteIn } from '../../src/check/call-site.ts';
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

describe('a library', () => {
  const is = (script: string) => isLibrary({ script, line: 1, column: 1 });

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
