import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { FAULTS } from '../../tools/planted/faults.ts';
import { type Change, marksIn, plant } from '../../tools/planted/plant.ts';
import { TAKEN_OUT as OF_ORDER } from '../checkout/rules.ts';
import { TAKEN_OUT as OF_PRESS } from '../form/explore/rules.ts';
import { TAKEN_OUT as OF_TABLE } from '../form/explore/rules-of-table.ts';
import { DECIDE } from '../form/explore/without-rule.ts';

const root = join(import.meta.dirname, '../..');

const CHANGES = [
  ...Object.values(FAULTS).flat(),
  ...OF_PRESS,
  ...OF_ORDER,
  ...OF_TABLE.map((change) => ({ ...change, file: DECIDE })),
];

const printer = ts.createPrinter();

/** Each source, and the same in another format. */
const SOURCES = new Map(
  [...new Set(CHANGES.map(({ file }) => file))].map((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const tree = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
    return [file, { source, other: printer.printFile(tree) }];
  }),
);

test.each(CHANGES)('$at in $file can be changed, however the file is formatted', async (change) => {
  const { source, other } = SOURCES.get(change.file)!;
  expect(other).not.toBe(source);
  const changed = plant(source, change);
  expect(changed).not.toBe(source);
  expect(await codeOf(plant(other, change))).toBe(await codeOf(changed));
});

test('each room has faults, and no two have the same name', () => {
  const rooms = Object.values(FAULTS);
  expect(rooms.filter((faults) => faults.length === 0)).toEqual([]);
  const names = rooms.flatMap((faults) => faults.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
});

const SOURCE = `
// R1: what follows
function outer(a: boolean, b: boolean) {
  const isBoth = a && b; // R2
  if (isBoth) call(a); // R3
  const inner = (c: number) => c + 1;
  try {
    return { key: inner(1), call, other: Object.freeze(inner) };
  } catch {
    state.last = undefined;
    throw new Error();
  }
}
function alone(a: boolean, b: boolean) {
  switch (call()) {
    case 'one':
      return (
        a && // R4
        !b // R5
      );
  }
  return call(2);
}`;

const RENAMED = SOURCE.replaceAll(/\bisBoth\b/g, 'isAll').replaceAll(/\b([abc])\b/g, '$1$1');

describe('a change', () => {
  test.each<[Change['at'], Change['plant'], string, string]>([
    [
      'R1',
      'nothing',
      SOURCE.slice(SOURCE.indexOf('function'), SOURCE.indexOf('function alone') - 1),
      ';',
    ],
    ['R2', 'always', 'isBoth = a && b', 'isBoth = (true)'],
    ['R3', 'never', 'if (isBoth)', 'if ((false))'],
    ['outer.call()', 'always', 'if (isBoth)', 'if (true)'],
    ['outer.call()', 'nothing', 'call(a);', ';'],
    ['R4', 'nothing', 'a && // R4\n        !b', '!b'],
    ['alone.R5', { gives: 'a' }, '!b', '(a)'],
    ['outer.inner', { gives: '2' }, 'c + 1', '(2)'],
    ['outer.freeze()', 'nothing', 'Object.freeze(inner)', 'inner'],
    ['outer.key', { gives: '2' }, 'key: inner(1)', 'key: (2)'],
    ['outer.key', 'nothing', 'key: inner(1),', ''],
    ['outer.call', { instead: '...state' }, ' call,', ' ...state,'],
    ['catch', { begins: 'throw error;' }, 'catch {', 'catch (error) { throw error;'],
    ['catch.last=', 'nothing', 'state.last = undefined;', ''],
    ['outer.Error()', { instead: 'return 1;' }, 'throw new Error();', 'return 1;'],
    ['alone.one', { begins: 'call(1);' }, "'one':", "'one':call(1);"],
    ['alone.call()#2', { gives: '1' }, 'return call(2)', 'return (1)'],
    ['*', { begins: 'call();' }, SOURCE, `call();\n${SOURCE}`],
  ])('%s: %o', (at, what, before, after) => {
    expect(SOURCE.split(before)).toHaveLength(2);
    expect(plant(SOURCE, { at, plant: what })).toBe(SOURCE.replace(before, () => after));
  });

  test('needs no word of its own where names change that only the code uses', () => {
    for (const at of ['R2', 'R3', 'outer.call()']) {
      expect(plant(RENAMED, { at, plant: 'always' })).not.toBe(RENAMED);
    }
  });

  test.each<[string, Change['plant'], string]>([
    ['R9', 'never', 'not found'],
    ['outer.gone()', 'nothing', 'not found'],
    ['inner.outer', 'nothing', 'not found'],
    ['call()', 'nothing', '3 times'],
    ['outer', { gives: 'gone' }, 'nothing there is called gone'],
    ['outer', { begins: 'return (' }, 'no syntax'],
    ['alone.one', { gives: '1' }, 'means nothing there'],
  ])('%s: %o is an error', (at, what, message) => {
    expect(() => plant(SOURCE, { at, plant: what })).toThrow(message);
  });
});

test('a comment that begins with the id of a rule marks what ends before it, or follows', () => {
  const marked = marksIn(SOURCE).map(
    ({ rule, start }) => `${rule} ${SOURCE.slice(start, start + 6)}`,
  );
  expect(marked).toEqual(['R1 functi', 'R2 isBoth', 'R3 if (is', 'R4 a && /', 'R5 !b // ']);
});

/** What runs, without its format. */
async function codeOf(source: string): Promise<string> {
  const options = { loader: 'ts', minifySyntax: true, minifyWhitespace: true } as const;
  return (await transform(source, { ...options, legalComments: 'none' })).code;
}
