/** The documented error codes are those of the type `CardEncryptionErrorCode`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The members of the union, read from the source: a type leaves nothing behind to import. */
function codesOfType(): string[] {
  const source = ts.createSourceFile(
    'errors.ts',
    read('src/core/errors.ts'),
    ts.ScriptTarget.Latest,
  );
  const alias = source.statements
    .filter(ts.isTypeAliasDeclaration)
    .find(({ name }) => name.text === 'CardEncryptionErrorCode');
  if (!alias || !ts.isUnionTypeNode(alias.type)) throw new Error('The union is not found');
  return alias.type.types.map((member) => {
    if (ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal))
      return member.literal.text;
    throw new Error('The union has a member that is no string');
  });
}

/** The rows below the header "| `code` |", cell by cell. */
function rowsOf(document: string): string[][] {
  const lines = document.split('\n');
  const header = lines.findIndex((line) => line.startsWith('| `code` |'));
  if (header < 0) throw new Error('The table of error codes is not found');
  const rows = lines.slice(header + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((row) => {
    const cells = row.split('|').slice(1, -1);
    return cells.map((cell) => cell.trim());
  });
}

const codesOf = (document: string) => rowsOf(document).map(([code]) => code!.slice(1, -1));

const page = read('docs/troubleshooting.md');

test('docs/troubleshooting.md has a full row for each code, and no other', () => {
  expect(codesOf(page).sort()).toEqual(codesOfType().sort());
  for (const row of rowsOf(page))
    expect(row.map((cell) => cell !== '')).toEqual([true, true, true]);
});

test('a row that is missing from the table of error codes is noticed', () => {
  const shortened = page.replace(/^\| `invalid_form` .*\n/m, '');
  expect(codesOf(shortened)).toHaveLength(codesOfType().length - 1);
});

test('README names each code once in its table of errors, and no other', () => {
  const [, section] = /^## Errors\n(.*?)^## /ms.exec(read('README.md'))!;
  const rows = section!.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, code]) => code!));
  expect(named.sort()).toEqual(codesOfType().sort());
});
