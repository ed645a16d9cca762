/** What the built files could reach, and which browsers they need, read from their syntax trees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { describe, expect, test } from 'vitest';
import { CORE, PARTS } from '../support/allowed.ts';
import { DIST } from '../support/built.ts';
import { ownNamesOf, tooNewIn } from '../support/compatibility.ts';
import { PLANTED } from '../support/planted.ts';
import { scan } from '../support/scan.ts';

const readBuilt = (file: string) => readFileSync(join(DIST, file), 'utf8');

/** All of dist/, but the check, which is for test systems and never beside a shopper's card. */
const built = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.js') && file !== 'cardseal.check.js',
);

// Claim core-reach
// Claim form-reach
test.each(built)(
  '%s reaches what is on its list and nothing else, and has no dynamic code and no regular expression',
  (file) => {
    const [allowed, ...others] = PARTS.filter(({ files }) => file.startsWith(files));
    expect(others).toEqual([]);
    expect(scan(readBuilt(file), allowed!)).toEqual([]);
  },
);

// Control core-reach
test('no list is longer than what its files use', () => {
  for (const { files, globals } of PARTS) {
    const own = built.filter((file) => file.startsWith(files));
    const used = own.flatMap((file) => scan(readBuilt(file), { globals: [] }));
    const isUsed = (name: string) => used.some((what) => what.endsWith(`: the global ${name}`));
    expect(globals.filter((name) => !isUsed(name))).toEqual([]);
  }
});

// Control core-reach
// Control form-reach
describe('control: the scan finds', () => {
  test.each(Object.entries(PLANTED))('%s', (_, code) => {
    expect(scan(`export default () => { ${code} }`, CORE)).not.toEqual([]);
  });

  test.each([
    ['a regular expression', 'export const f = (x) => /x/.test(x);'],
    ['a hidden regular expression', 'export const f = (x) => x.search("y");'],
    ['a module', 'import "node:fs";'],
    ['import.meta', 'export const f = import.meta.url;'],
    ['a global by its name in a text', 'export const f = globalThis["fetch"];'],
    ['a global of the window', 'export const f = () => new window.Worker("w.js");'],
    ['a global under another name', 'const g = globalThis; export const f = g.fetch;'],
    ['Function by a text', 'export const f = (() => {})["constructor"];'],
    [
      'Function by a name in a variable',
      'const c = "constructor"; export const f = (() => {})[c];',
    ],
  ])('%s', (_, code) => {
    expect(scan(code, CORE)).not.toEqual([]);
  });

  test('nothing where a local name hides a global', () => {
    expect(scan('export function f(fetch) { return fetch; }', CORE)).toEqual([]);
  });
});

/**
 * The features that some promised browsers lack, and the modules that use them: each looks for the
 * feature first. docs/browsers.md says what they do without it, and
 * `test/old-browsers/old-engines.test.ts` pays without it.
 */
const FALLBACKS: Record<string, string[]> = {
  encodeInto: ['core/browser.js'],
  fromBase64: ['core/base64.js'],
  toBase64: ['core/base64.js'],
  resizable: ['core/card.js'],
  requestSubmit: ['form/page/old-browsers.js'],
  formData: ['form/page/listeners.js'],
  checkVisibility: ['form/page/old-browsers.js'],
  AbortController: ['form/page/old-browsers.js'],
  signal: ['form/key-source.js', 'pay/bind-checkout.js'],
  aborted: ['form/key-source.js'],
  reportError: ['form/feedback/report.js'],
  beforeunload: ['form/page/leaving.js'], // Safari on iOS asks nobody whether to leave
  returnValue: ['form/page/leaving.js'],
};

/** Names of values of the library and of plain data. Newer platforms have features of these names. */
const NO_FEATURES = ['messages', 'opacity', 'role', 'when', 'writable'];

test('the built check is a script of 2018, which all supported browsers read', () => {
  const script = readBuilt('cardseal.check.js');
  expect(() => parse(script, { ecmaVersion: 2018, sourceType: 'script' })).not.toThrow();
  expect(() => parse('a?.b', { ecmaVersion: 2018 })).toThrow(); // the control
  expect(script).not.toMatch(/\(\?<[=!]/); // no lookbehind, which Safari had late
});

describe('Chrome 64, Edge 79, Firefox 60, Safari 12.1 and iOS 12.2 have everything that is used without a fallback', () => {
  const modules = built.filter((file) => /^(core|form|pay)\//.test(file));
  const ownNames = new Set([...NO_FEATURES, ...ownNamesOf(modules.map(readBuilt))]);
  ownNames.delete('signal'); // an option of `fetch` in pay/requests.js

  test('in the modules', () => {
    const found: Record<string, string[]> = {};
    for (const file of modules) {
      for (const { name } of tooNewIn(readBuilt(file), ownNames)) {
        found[name] = [...new Set([...(found[name] ?? []), file])];
      }
    }
    expect(found).toEqual(FALLBACKS);
  });

  const tags = ['cardseal', 'cardseal.pay'].flatMap((it) => [`${it}.js`, `${it}.readable.js`]);

  test.each(tags)('in %s', (file) => {
    const names = tooNewIn(readBuilt(file), ownNames).map(({ name }) => name);
    const ofTag = ['shadowRoot']; // without it, the tag binds no form in a shadow root
    expect(names.filter((name) => !FALLBACKS[name] && !ofTag.includes(name))).toEqual([]);
  });

  test.each([
    ['a class field', 'class A { b = 1 }'],
    ['?.', 'a?.b;'],
    ['a method', '[1].flatMap(f);'],
    ['a global', 'structuredClone(a);'],
    ['a listener with a signal', 'addEventListener("click", f, { signal: a });'],
    ['an event', 'addEventListener("formdata", f);'],
    ['a method that is looked for', '"requestSubmit" in form;'],
    ['a method in a pattern', 'const { hasOwn } = Object;'],
    ['the selector :has()', 'form.matches("form:has(input)");'],
  ])('control: the check finds %s', (_, code) => {
    expect(tooNewIn(code, new Set())).toHaveLength(1);
  });
});
