/** The documented error codes are those of the type `CardEncryptionErrorCode`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAILURES } from '../support/failures.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The members of the union, read from the source: a type leaves nothing behind to import. */
const [, union] = /type CardEncryptionErrorCode =(.*?);\n/s.exec(read('src/core/types.ts'))!;
const codes = [...union!.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code!).sort();

test('docs/errors.md has a full row for each code, and no other', () => {
  const [, table] = /^\| `code` \|.*\n.*\n((?:\|.*\n)+)/m.exec(read('docs/errors.md'))!;
  const rows = [...table!.matchAll(/^\| `(\w+)` \| \S.* \| \S.* \|$/gm)];
  expect(rows.map(([, code]) => code).sort()).toEqual(codes);
  expect(table!.trim().split('\n')).toHaveLength(codes.length);
});

test('docs/errors.md names each code once in its table of who can help, and no other', () => {
  const [, table] = /^\| who can help \|.*\n.*\n((?:\|.*\n)+)/m.exec(read('docs/errors.md'))!;
  const rows = table!.trim().split('\n');
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, code]) => code!));
  expect(named.sort()).toEqual(codes);
  expect(codes.length).toBeGreaterThan(8);
});

/** What a form, a server or another page raises, and never the core. */
const NOT_OF_CORE = ['invalid_encrypted_card', 'invalid_form', 'key_unavailable'];

test('each code of the core has a failure that tests go through', () => {
  const made = Object.keys(FAILURES).map((name) => /^\w+/.exec(name)![0]);
  expect([...new Set(made), ...NOT_OF_CORE].sort()).toEqual(codes);
});
