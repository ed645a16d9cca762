/** What the built files could reach, read from their syntax trees. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CORE, PARTS } from '../support/allowed.ts';
import { PLANTED } from '../support/planted.ts';
import { scan } from '../support/scan.ts';

const dist = join(import.meta.dirname, '../../dist');

test('every built file has a list of what it may reach', () => {
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  expect(PARTS.flatMap(({ files }) => files).sort()).toEqual(built.sort());
});

describe.each(PARTS.flatMap((allowed) => allowed.files.map((file) => ({ file, allowed }))))('$file', ({ file, allowed }) => {
  test('reaches what is on its list and nothing else, and has no dynamic code and no regular expression', () => {
    expect(scan(readFileSync(join(dist, file), 'utf8'), allowed)).toEqual([]);
  });
});

test('no list is longer than what its files use', () => {
  for (const { files, globals } of PARTS) {
    const code = files.map((file) => readFileSync(join(dist, file), 'utf8'));
    for (const name of globals) {
      const others = globals.filter((other) => other !== name);
      const found = code.flatMap((text) => scan(text, { globals: others }));
      expect({ name, used: found.some((what) => what.endsWith(`the global ${name}`)) }).toEqual({ name, used: true });
    }
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
    ['Function by a name in a variable', 'const c = "constructor"; export const f = (() => {})[c];'],
  ])('%s', (_, code) => {
    expect(scan(code, CORE)).not.toEqual([]);
  });

  test('nothing where a local name hides a global', () => {
    expect(scan('export function f(fetch) { return fetch; }', CORE)).toEqual([]);
  });
});
