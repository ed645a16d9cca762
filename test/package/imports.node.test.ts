/** The rooms of the library import each other one way only, and no file imports itself through others. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../src');

/** What each room of `src/` may import beside its own files. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  server: ['core'],
  checkout: ['server', 'core'],
  form: ['core'],
  pay: ['form', 'core'],
  testing: ['core'],
  'script-tag': ['form', 'core'],
  'pay-tag': ['script-tag', 'pay', 'form'],
  check: ['form', 'core'],
};

/** Each source file with the files that it imports, types included: paths below `src/`. */
type Graph = Map<string, string[]>;

function readGraph(): Graph {
  const paths = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  const files = paths.map((path) => path.replaceAll('\\', '/')).filter((it) => it.endsWith('.ts'));
  return new Map(
    files.map((file) => [file, importsOf(file, readFileSync(join(SOURCES, file), 'utf8'))]),
  );
}

function importsOf(file: string, text: string): string[] {
  const names = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
  return names.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name));
}

/** The ways to what the shopper has typed. */
const READS_CONTROLS =
  /\.(value|elements|selectedOptions)\b|FormData|'input'|'change'|'key(down|up|press)'/;

const roomOf = (file: string) => file.split('/')[0]!;

/** The imports that go the wrong way. */
function wrongWays(graph: Graph): string[] {
  return [...graph].flatMap(([file, imported]) => {
    const allowed = [roomOf(file), ...(MAY_IMPORT[roomOf(file)] ?? [])];
    const wrong = imported.filter((it) => !allowed.includes(roomOf(it)));
    return wrong.map((it) => `${file} imports ${it}`);
  });
}

/** The files that reach themselves. */
function inCircles(graph: Graph): string[] {
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of graph.get(from) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      reachable(next, seen);
    }
    return seen;
  };
  return [...graph.keys()].filter((file) => reachable(file).has(file));
}

describe('the sources', () => {
  const graph = readGraph();

  test('are in rooms that this test knows, and import files that exist', () => {
    expect(graph.size).toBeGreaterThan(30);
    for (const [file, imported] of graph) {
      expect(Object.keys(MAY_IMPORT)).toContain(roomOf(file));
      for (const path of imported) expect(existsSync(join(SOURCES, path)), path).toBe(true);
    }
  });

  test('import one way: script-tag, pay and check to form to core, checkout to server to core', () => {
    expect(wrongWays(graph)).toEqual([]);
  });

  test('import as .github/CONTRIBUTING.md draws it: each arrow is an import, each import is a way', () => {
    const guide = readFileSync(join(SOURCES, '../.github/CONTRIBUTING.md'), 'utf8');
    const drawn = Array.from(guide.matchAll(/^ {4}(\S+) --> (\S+)$/gm), ([, a, b]) => [a!, b!]);
    const reaches = (from: string, to: string): boolean =>
      from === to || drawn.some(([a, b]) => a === from && reaches(b!, to));
    const imported = [...graph].flatMap(([file, files]) =>
      files.map((it) => [roomOf(file), roomOf(it)]),
    );
    const isImport = (arrow: string[]) => imported.some((it) => String(it) === String(arrow));
    expect(imported.filter(([from, to]) => !reaches(from!, to!))).toEqual([]);
    expect(drawn.filter((arrow) => !isImport(arrow))).toEqual([]);
  });

  test('bindCheckout gets blocks, never cards: it reaches no file that reads a control', () => {
    const ofPay = [...graph].filter(([file]) => roomOf(file) === 'pay');
    const imported = new Set(
      ofPay.flatMap(([, files]) => files.filter((it) => roomOf(it) !== 'pay')),
    );
    expect([...imported].sort()).toEqual([
      'core/index.ts', // types, and the class of errors
      'form/feedback/report.ts',
      'form/index.ts',
      'form/page/event.ts',
      'form/page/is-rendered.ts', // whether an element is seen: it reads no value
      'form/page/old-browsers.ts', // for an AbortController
      'form/page/still.ts',
      'form/page/to-json.ts',
      'form/page/unclobbered.ts',
    ]);
    for (const [file] of ofPay) {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      expect(text, file).not.toMatch(READS_CONTROLS);
      const fromCore = [...text.matchAll(/import (.*) from '..\/core\/index.ts'/g)];
      for (const [, names] of fromCore) expect(names).not.toMatch(/encryptCard|prepareKey/);
    }
  });

  test('import in no circle', () => {
    expect(inCircles(graph)).toEqual([]);
  });
});

describe('what builds the product', () => {
  test.each(['tsup.config.ts', 'build/index.js', 'build/fingerprint.ts'])(
    '%s imports neither from test/ nor from tools/',
    (file) => {
      const imported = importsOf(file, readFileSync(join(SOURCES, '..', file), 'utf8'));
      const own = imported.filter((path) => path.startsWith('.'));
      const allowed = ['./package.json', './build/fingerprint.ts'];
      expect(own.filter((path) => !allowed.includes(path))).toEqual([]);
      expect(imported.length).toBeGreaterThan(2);
    },
  );

  test('is named by its command', () => {
    const { scripts } = JSON.parse(readFileSync(join(SOURCES, '../package.json'), 'utf8'));
    expect(scripts.build).toBe('node build');
    expect(scripts).not.toHaveProperty('prebuild');
    expect(readdirSync(join(SOURCES, '../build')).sort()).toEqual(['fingerprint.ts', 'index.js']);
  });
});

describe('control', () => {
  test.each(['form.elements', 'input.value', 'new FormData(form)', "listen('input', f)"])(
    '%s counts as a way to what the shopper has typed',
    (code) => expect(code).toMatch(READS_CONTROLS),
  );

  test.each([
    ['the form', 'core/card.ts', "import { readCard } from '../form/read.ts';"],
    ['the script tag from the form', 'form/read.ts', "void import('../script-tag/index.ts');"],
    ['the checkout page from the form', 'form/read.ts', "import '../pay/index.ts';"],
    ['a module of Node', 'checkout/store.ts', "import { createHash } from 'node:crypto';"],
  ])('an import of %s is found', (_, file, text) => {
    expect(wrongWays(new Map([[file, importsOf(file, text)]]))).toHaveLength(1);
  });

  test('a circle is found, and so is a file that imports itself', () => {
    const circle = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [], e: ['e'] };
    expect(inCircles(new Map(Object.entries(circle)))).toEqual(['b', 'c', 'e']);
  });
});
