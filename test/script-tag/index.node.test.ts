import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import { describe, expect, test } from 'vitest';
import { PAGES_WITH_TAG, readTag } from '../../tools/prepare/script-tag.ts';
import { DIST } from '../support/built.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readBuilt = (file: string) => readFileSync(join(DIST, file), 'utf8');
const { version, license } = JSON.parse(read('package.json'));
const integrity = JSON.parse(readBuilt('integrity.json'));
const hashOf = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

const TAGS = ['cardseal', 'cardseal.pay'].flatMap((it) => [`${it}.js`, `${it}.readable.js`]);

test.each([...TAGS, 'cardseal.check.js'])(
  'dist/%s is a classic script in ASCII that declares nothing, names no other file, and says what it is',
  (file) => {
    const source = readBuilt(file);
    expect(source.split('\n')[0]).toBe(`/*! cardseal ${version}, ${license} */`);
    const { body } = parse(source, { ecmaVersion: 2022, sourceType: 'script' });
    expect(body.map(({ type }) => type)).toEqual(['ExpressionStatement']); // 'use strict', and the one call
    expect(source).not.toMatch(/sourceMappingURL|import\(/);
    expect(Buffer.from(source).every((byte) => byte < 0x80)).toBe(true);
  },
);

test('dist/integrity.json has the hash of each script in dist/, modules included, and nothing else', () => {
  const scripts = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.js'));
  expect(scripts).toContain('form/index.js');
  expect(Object.keys(integrity).sort()).toEqual(scripts.sort());
  for (const path of scripts) expect(integrity[path]).toBe(hashOf(readBuilt(path)));
});

describe.each(PAGES_WITH_TAG)('the script tag in %s', (path) => {
  const page = read(path);
  const [heading] = read('CHANGELOG.md').match(/^## .*/m)!;

  test('names the file that is released with this version', () => {
    const tag = readTag(page)!;
    if (heading.includes('unreleased')) return;
    expect(heading).toContain(version);
    expect(tag).toEqual({ ...tag, integrity: integrity['cardseal.js'] });
    expect(tag.version ?? version).toBe(version);
  });

  test('asks for the file in a way in which the browser can check it: the hash, and crossorigin', () => {
    const [element] = page.match(/<script[^>]*cardseal\.js"[^>]*integrity[^>]*>/)!;
    expect(element).toMatch(/\sintegrity="sha384-[^"]+"/);
    expect(element).toMatch(/\scrossorigin="anonymous"/);
  });
});
