/** What the built files could reach, and which browsers they need, read from their syntax trees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORE, PARTS } from '../tools/support/allowed.ts';
import {
  browserFiles,
  CHECK,
  meaningsIn,
  moduleOf,
  readBuilt,
  readPage,
  tables,
  withTables,
} from '../tools/support/browser-table.ts';
import { DIST } from '../tools/support/built.ts';
import { faultsOf, usesOf } from '../tools/support/compatibility.ts';
import { FALLBACKS } from '../tools/support/fallbacks.ts';
import { PLANTED } from '../tools/support/planted.ts';
import { readRemovedFeatures, removedFeatures } from '../tools/support/removed-features.ts';
import { scan } from '../tools/support/scan.ts';

test('every built file has a list of what it may reach', () => {
  const built = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.js') && name !== CHECK,
  );
  expect(PARTS.flatMap(({ files }) => files).sort()).toEqual(built.sort());
});

describe.each(PARTS.flatMap((allowed) => allowed.files.map((file) => ({ file, allowed }))))(
  '$file',
  ({ file, allowed }) => {
    test('reaches what is on its list and nothing else, and has no dynamic code and no regular expression', () => {
      expect(scan(readFileSync(join(DIST, file), 'utf8'), allowed)).toEqual([]);
    });
  },
);

test('no list is longer than what its files use', () => {
  for (const { files, globals } of PARTS) {
    const code = files.map((file) => readFileSync(join(DIST, file), 'utf8'));
    const used = code.flatMap((text) => scan(text, { globals: [] }));
    const isUsed = (name: string) => used.some((what) => what.endsWith(`: the global ${name}`));
    expect(globals.filter((name) => !isUsed(name))).toEqual([]);
  }
});

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

describe('Chrome 64, Edge 79, Firefox 60, Safari 12.1 and iOS 12.2 have everything that is used without a fallback', () => {
  const isScriptTag = (file: string) => file.startsWith('cardseal.');
  const faults = (file: string, code: string) =>
    faultsOf(file, code, meaningsIn(file), (feature) =>
      FALLBACKS.some(
        (fallback) =>
          fallback.feature === feature && (isScriptTag(file) || fallback.uses[moduleOf(file)]),
      ),
    );

  test.each(browserFiles)('in %s', (file) => {
    expect(faults(file, readBuilt(file))).toEqual([]);
  });

  test.each(FALLBACKS)(
    '$name, which has a fallback, is named where the list says, and nowhere else',
    ({ feature, uses }) => {
      const found: Record<string, number> = {};
      for (const file of browserFiles.filter((file) => !isScriptTag(file))) {
        const count = usesOf(readBuilt(file), meaningsIn(file)).filter(
          (use) => use.feature === feature,
        ).length;
        if (count) found[moduleOf(file)] = count;
      }
      expect(found).toEqual(uses);
    },
  );

  test.each([
    ['a static block', 'class A { static {} }'],
    ['a class field', 'class A { b = 1 }'],
    ['an optional catch binding', 'try {} catch {}'],
    ['?.', 'a?.b;'],
    ['??', 'a ?? b;'],
    ['??=', 'a ??= b;'],
    ['toReversed()', '[1].toReversed();'],
    ['flatMap()', '[1].flatMap(f);'],
    ['globalThis', 'globalThis;'],
    ['structuredClone()', 'structuredClone(a);'],
    ['replaceChildren()', 'document.body.replaceChildren();'],
    ['a listener with a signal', 'addEventListener("click", f, { signal: a });'],
    ['the event formdata', 'addEventListener("formdata", f);'],
    ['a method by its name', 'Reflect.get(form, "requestSubmit");'],
    ['a method that is looked for', '"requestSubmit" in form;'],
    ['a method in a pattern', 'const { hasOwn } = Object;'],
    ['the selector :has()', 'form.matches("form:has(input)");'],
  ])('control: the check finds %s, and names file and line', (_, code) => {
    expect(faults('form/planted.js', `\n\n${code}`)).toEqual([
      expect.stringMatching(/^form\/planted\.js:3: /),
    ]);
  });

  test('control: a feature with a fallback is found in any other module', () => {
    expect(faults('form/planted.js', 'form.requestSubmit();')).toHaveLength(1);
  });

  test('docs/browsers.md has the tables that follow from the built files', () => {
    const page = readPage();
    const wanted = withTables(page, tables());
    expect(page, 'run npm run browser-table').toBe(wanted);
    expect(readRemovedFeatures(), 'run npm run browser-table').toBe(removedFeatures());
  });
});
