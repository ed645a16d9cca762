/** Each example for a framework or tool stands in a file that a test builds and pays with. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STACKS } from '../stacks/stacks.ts';
import { readSteps } from '../stacks/steps.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['examples', 'test/documents/snippets'];

const PAGES = ['react', 'react-hook-form', 'svelte', 'solid', 'angular', 'masks'];
const examplesOf = (page: string) => {
  const text = readFileSync(join(ROOT, `docs/${page}.md`), 'utf8');
  return Array.from(text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm), ([, code]) => code!);
};
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => join(ROOT, folder, path))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8')),
);

/** The fenced blocks of code. What a block leaves out is marked by a comment of `…`. */
const examples = PAGES.flatMap(examplesOf);
const parts = examples.flatMap((code) => code.split(/^ *(?:\/\/|\{\/\*|<!--) ….*\n/m));

test.each(PAGES)('docs/%s.md has examples', (page) => {
  expect(examplesOf(page).length).toBeGreaterThan(0);
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

test('each app in examples/ is tried: `npm run stacks`', () => {
  const apps = readdirSync(join(ROOT, 'examples')).filter((name) => name !== 'servers');
  const tried = STACKS.map(({ name }) => name);
  expect(apps.filter((name) => !tried.includes(name))).toEqual([]);
});

describe('the pages from zero', () => {
  const names = readdirSync(join(ROOT, 'docs')).filter((file) => file.startsWith('start-'));

  test('are there for eight stacks', () => {
    expect(names).toHaveLength(8);
  });

  test.each(names)('%s has the files of its example, and fits on a screen or two', (file) => {
    const text = readFileSync(join(ROOT, 'docs', file), 'utf8');
    const { files } = readSteps(file);
    const folder = join(ROOT, 'examples', file.replace('.md', ''));
    for (const { path, text } of files) {
      expect(readFileSync(join(folder, path), 'utf8'), path).toBe(text);
    }
    const inFolder = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const isFile = (path: string) => statSync(join(folder, path)).isFile();
    expect(inFolder.filter(isFile).sort()).toEqual(files.map(({ path }) => path).sort());
    expect(text.split('\n').length).toBeLessThan(125);
  });

  // A value may stand there before the library runs.
  test.each([...names.map((file) => `docs/${file}`), 'README.md'])(
    'in %s, the controls of the card have the marks for recorders in HTML',
    (file) => {
      const html = readFileSync(join(ROOT, file), 'utf8');
      const controls = html.match(/<input[^>]*"cc-[^>]*>/g) ?? [];
      expect(controls).toHaveLength(file === 'README.md' ? 8 : 4);
      for (const control of controls) {
        expect(control).toMatch(
          /data-rr-is-password="true"\s+data-dd-privacy="mask"\s+data-openreplay-obscured/,
        );
      }
    },
  );

  // Firefox restores the disabled state of a button after a reload.
  test.each(names)('in %s, a button that is rendered disabled is not restored', (file) => {
    const html = readFileSync(join(ROOT, 'docs', file), 'utf8');
    for (const button of html.match(/<button disabled[^>]*>/g) ?? [])
      expect(button).toMatch(/autocomplete(="off"|: 'off')/i);
  });

  /** SvelteKit's own default is Secure. */
  const ofOtherServers = names.filter((file) => file !== 'start-sveltekit.md');

  // Safari refuses such a cookie from http://localhost, so it has no Secure in development.
  test.each(ofOtherServers)('in %s, the cookie of the order has Secure in production', (file) => {
    const text = readFileSync(join(ROOT, 'docs', file), 'utf8');
    expect(text).toMatch(
      /secure = (process\.env\.NODE_ENV === 'production'|import\.meta\.env\.PROD)|secure: 'auto'/,
    );
  });

  test('have the same server for React and Vue', () => {
    const read = (path: string) => readFileSync(join(ROOT, 'examples', path), 'utf8');
    expect(read('start-vue/server.js')).toBe(read('start-react/server.js'));
  });
});
