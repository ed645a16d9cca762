/** docs/press.md and docs/concepts.md draw the states that the code has, and explain each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROWS } from './press-table.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const pages = read('docs/press.md') + read('docs/concepts.md');

/** The members of a union of string literals, such as `state: 'open' | 'paid';`. */
const literals = (text: string) => [...text.matchAll(/'(\w+)'/g)].map(([, name]) => name!).sort();

/** The section under a heading. */
function section(heading: string): string {
  const [, text] = new RegExp(`^## ${heading}\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(pages)!;
  return text!;
}

test.each([
  [
    'What a form is doing',
    'src/form/decide.ts',
    /^export type Doing =.*?;\n\n.*?(?=^\/\*\*\n \* What a block)/ms,
  ],
  ['States of an order', 'src/checkout/decide.ts', /^ {2}state: .*?;$/m],
])('"%s" has the states of %s', (heading, file, union) => {
  const declared = union.exec(read(file))![0].replaceAll(/kind: .*?;/g, '');
  const [, figure] = /```mermaid\n(.*?)```/s.exec(section(heading))!;
  const drawn = [...figure!.matchAll(/^ *([\w[\]*]+) --> ([\w[\]*]+)/gm)].flatMap(([, a, b]) => [
    a!,
    b!,
  ]);
  const explained = [...section(heading).matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);
  const states = literals(declared);
  expect([...new Set(drawn)].filter((it) => it !== '[*]').sort()).toEqual(states);
  expect(explained.sort()).toEqual(states);
});

test('each rule that it counts stands in the code of that room', () => {
  const rows = [...pages.matchAll(/^\|.*?, ([A-Z])1 to [A-Z](\d+) \|.*?\((\.\.\/src\/\w+)/gm)];
  expect(rows).toHaveLength(2);
  for (const [, letter, last, room] of rows) {
    const folder = join(import.meta.dirname, '../../docs', room!);
    const code = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join();
    for (let i = 1; i <= Number(last); i++)
      expect(new RegExp(`\\b${letter}${i}\\b`).test(code), `${letter}${i}`).toBe(true);
  }
});

test('"What a press does" has a row for each input of decide.ts', () => {
  const cases = read('src/form/decide.ts').matchAll(/^ {4}case '(\w+)':$/gm);
  const inputs = new Set(ROWS.map(({ input }) => input.type as string));
  const declared = [...cases].map(([, name]) => name!).filter((name) => !STATES.includes(name));
  expect([...inputs].sort()).toEqual(declared.sort());
});

/** `pressed` has a case for each of these. */
const STATES = ['idle', 'encrypting', 'dispatching', 'handed', 'overdue'];
