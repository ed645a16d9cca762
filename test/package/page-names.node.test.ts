/**
 * A page may declare a variable, a function or a class of any name that the platform has: `const URL
 * = '/api'`, `class Event {}`. A file that names it gets that one. So the files beside the page ask an
 * object in hand (src/form/page/unclobbered.ts), or `window`, which a `const`, `let` or `class`
 * leaves as it is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { scan } from '../support/scan.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** What these files may name: what no page declares, because little of a page would work then. */
const MAY_NAME = [
  ...['Array', 'Boolean', 'Date', 'Intl', 'JSON', 'Math', 'Number', 'Object', 'Promise'],
  ...['Reflect', 'Uint8Array', 'WeakMap', 'encodeURIComponent'],
  ...['document', 'window', 'console', 'setTimeout', 'clearTimeout', 'fetch'],
  'reportError', // where a page has a function of this name, that one gets the error
];

const THROUGH_WINDOW = /\bwindow\.[A-Z]\w*/g;

const namedIn = (code: string, globals: string[]) => {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  const rest = outputText.replace(THROUGH_WINDOW, 'window');
  return scan(rest, { globals }).filter((what) => what.includes('the global'));
};

test.each(['form', 'script-tag', 'pay', 'pay-tag'])(
  'no file of src/%s names what a page may declare',
  (room) => {
    const files = readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((file) => file.endsWith('.ts'));
    expect(sources).not.toEqual([]);
    for (const file of sources) {
      const code = readFileSync(join(SOURCES, room, file), 'utf8');
      expect(namedIn(code, MAY_NAME), file).toEqual([]);
    }
  },
);

test('control: a name is found, and none that is of `window` or a type', () => {
  expect(namedIn('export const f = () => new URL("/");', MAY_NAME)).toHaveLength(1);
  expect(namedIn('export const f = () => window.Event.prototype;', MAY_NAME)).toEqual([]);
  expect(namedIn('export const f = (it: Event): URL => it as never;', MAY_NAME)).toEqual([]);
});
