/** The tables of docs/press.md. It reads no source, so it also judges mutants of decide.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { alwaysTable, wayTable } from './press-table.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/press.md'), 'utf8');

test('"What a press does" says in each cell what decide.ts does', () => {
  const [, section] = page.split('## What a press does\n');
  const [always, way] = [...section!.matchAll(/(?:^\|.*\|\n)+/gm)].map(String);
  expect(always!.trim()).toBe(alwaysTable());
  expect(way!.trim()).toBe(wayTable());
});
