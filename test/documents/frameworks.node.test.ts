/** Each example in docs/frameworks.md stands in a file that a test builds and pays with. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['examples', 'test/documents/snippets'];

const page = readFileSync(join(ROOT, 'docs/frameworks.md'), 'utf8');
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(ROOT, folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8')),
);

/** The fenced blocks of code. What a block leaves out is marked by a comment of `…`. */
const examples = Array.from(page.matchAll(/^```\w+\n([\s\S]*?)^```$/gm), ([, code]) => code!);
const parts = examples.flatMap((code) => code.split(/^ *(?:\/\/|\{\/\*|<!--) ….*\n/m));

test('docs/frameworks.md has examples', () => {
  expect(examples.length).toBeGreaterThan(7);
});

test.each(parts)('an example stands in a tested file: %#', (part) => {
  expect(sources.filter((source) => source.includes(part)).length, part).toBeGreaterThan(0);
});

/** What the shopper reads depends on the documented statuses, and these stand in one file only. */
test('no example reads an answer of the server by itself', () => {
  expect(examples.filter((code) => code.includes("fetch('/pay'"))).toEqual([]);
  expect(examples.filter((code) => code.includes('sendCard(')).length).toBeGreaterThan(5);
});

test('control: an example that nothing tests is found', () => {
  expect(sources.some((source) => source.includes("bindCardForm('nowhere')"))).toBe(false);
});

describe('the pages from zero', () => {
  const START = { react: '', vue: '', html: '', next: '' };
  for (const name of Object.keys(START) as (keyof typeof START)[])
    START[name] = readFileSync(join(ROOT, `docs/start-${name}.md`), 'utf8');

  test.each([
    ['the server of a single-page app', /^\/\/ server\.js\n.*?^```$/ms, START.react, START.vue],
    ['the hook', /^export function useCardForm.*?^```$/ms, START.react, START.next],
    ['the texts', /^ {2}open: '',\n.*?^};$/ms, START.react, START.next],
    ['the texts', /^ {2}open: '',\n.*?^};$/ms, START.react, START.html],
  ])('have the same text for %s', (_, part, one, other) => {
    const [text] = part.exec(one)!;
    expect(text.length).toBeGreaterThan(200);
    expect(other).toContain(text);
  });
});
