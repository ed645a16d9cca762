import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { describe, expect, test } from 'vitest';
import { fillIn, readTag } from '../tools/prepare/script-tag.ts';
import { DIST } from '../tools/support/built.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readBuilt = (file: string) => readFileSync(join(DIST, file), 'utf8');
const { version, license } = JSON.parse(read('package.json'));
const integrity = JSON.parse(readBuilt('integrity.json'));

describe.each(['cardseal.js', 'cardseal.readable.js', 'cardseal.check.js'])('dist/%s', (file) => {
  const source = readBuilt(file);

  test('says in its first line what it is', () => {
    expect(source.split('\n')[0]).toBe(`/*! cardseal ${version}, ${license} */`);
  });

  test('is a classic script that declares nothing', () => {
    const { body } = parse(source, { ecmaVersion: 2022, sourceType: 'script' });
    expect(body.map(({ type }) => type)).toEqual(['ExpressionStatement']); // 'use strict', and the one call
  });

  test('names no other file, such as a source map', () => {
    expect(source).not.toContain('sourceMappingURL');
    expect(source).not.toContain('import(');
  });

  test('is ASCII, so that it reads the same whatever the page is written in', () => {
    expect(Buffer.from(source).every((byte) => byte < 0x80)).toBe(true);
  });

  test('has its hash in dist/integrity.json', () => {
    expect(integrity[file]).toBe(`sha384-${createHash('sha384').update(source).digest('base64')}`);
  });
});

test('dist/integrity.json has these three files and no other', () => {
  const files = ['cardseal.js', 'cardseal.readable.js', 'cardseal.check.js'];
  expect(Object.keys(integrity)).toEqual(files);
});

describe('the script tag in docs/script-tag.md', () => {
  const page = read('docs/script-tag.md');
  const [heading] = read('CHANGELOG.md').match(/^## .*/m)!;

  test('names the file that is released with this version, and one exact version before that', () => {
    const tag = readTag(page)!;
    if (heading.includes('unreleased')) expect(tag.version).toMatch(/^\d+\.\d+\.\d+$/);
    else
      expect({ tag, heading }).toEqual({
        tag: { version, integrity: integrity['cardseal.js'] },
        heading: expect.stringContaining(version),
      });
  });

  test('is filled in by the release', () => {
    const tag = { version: '12.3.4', integrity: integrity['cardseal.js'] };
    const filled = fillIn(page, tag);
    expect(readTag(filled)).toEqual(tag);
    expect(fillIn(filled, readTag(page)!)).toBe(page); // nothing else is touched
    expect(() => fillIn('no tag', tag)).toThrow();
  });

  test('asks for the file in a way in which the browser can check it: the hash, and crossorigin', () => {
    const [element] = page.match(/<script[^>]*cardseal@[^>]*>/)!;
    expect(element).toMatch(/\sintegrity="sha384-[^"]+"/);
    expect(element).toMatch(/\scrossorigin="anonymous"/);
  });
});
