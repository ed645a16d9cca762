import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

// Everything in README that a reader could paste is written to a folder of its own inside this package, where `cardseal` is the built
// package, and compiled there; what it says about testing is run.

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Snippet {
  language: string;
  /** The name that its first line gives it in a comment, if it does. */
  file: string | undefined;
  text: string;
}

const snippets: Snippet[] = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
  language: language!,
  text: text!,
  file: /^\/\/ ([\w./-]+\.[cm]?[jt]sx?)\b/.exec(text!)?.[1],
}));

mkdirSync(join(root, 'reports'), { recursive: true });
const folder = mkdtempSync(join(root, 'reports/readme-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};
const run = (tool: string, ...args: string[]) => {
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${tool} failed\n${stdout}\n${stderr}`);
  }
};

test('every TypeScript snippet compiles against the built package, as it stands', () => {
  const typescript = snippets.filter(({ language }) => language === 'ts' || language === 'tsx');
  expect(typescript.length).toBe(4); // else the search for them misses some
  for (const [i, { language, text, file }] of typescript.entries()) write(file ?? `snippet-${i}.${language}`, text);
  write('card-payments.ts', readFileSync(join(root, 'demo/merchant/card-payments.ts'), 'utf8'));
  const paths = {}; // not the sources
  const compilerOptions = { paths, jsx: 'react-jsx', types: ['node'], noUnusedLocals: false, moduleDetection: 'force' };
  write('tsconfig.json', JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['.'] }));
  run('typescript/bin/tsc', '--project', '.');
});

test("the table of browsers says what MDN's compatibility data say", () => {
  const features: Record<string, string> = {
    '`crypto.subtle`': 'api.Crypto.subtle',
    '`SubtleCrypto.encrypt`': 'api.SubtleCrypto.encrypt',
    '`Object.hasOwn`': 'javascript.builtins.Object.hasOwn',
    '`TextEncoder.encodeInto`': 'api.TextEncoder.encodeInto',
    '`??=`': 'javascript.operators.nullish_coalescing_assignment',
    'class fields': 'javascript.classes.public_class_fields',
    'the form: `requestSubmit`': 'api.HTMLFormElement.requestSubmit',
    'the form: `SubmitEvent.submitter`': 'api.SubmitEvent.submitter',
    'the form: `formdata`': 'api.HTMLFormElement.formdata_event',
    'the form: listeners with a `signal`': 'api.EventTarget.addEventListener.options_parameter.options_signal_parameter',
  };
  const compatibility = JSON.parse(readFileSync(join(root, 'node_modules/@mdn/browser-compat-data/data.json'), 'utf8'));
  const columns = [['chrome'], ['edge'], ['firefox'], ['safari', 'safari_ios']];
  const since = (path: string, browser: string) => {
    const { support } = path.split('.').reduce((data, part) => data[part], compatibility).__compat;
    return Number([support[browser]].flat()[0].version_added);
  };
  const rows = Object.entries(features).map(([name, path]) => ({
    name,
    versions: columns.map((browsers) => Math.max(...browsers.map((browser) => since(path, browser)))),
  }));
  const least = columns.map((_, i) => `**${Math.max(...rows.map(({ versions }) => versions[i]!))}**`);
  const table = [...rows.map(({ name, versions }) => [name, ...versions]), ['**so at least**', ...least]];
  expect(readme).toContain(table.map((row) => `| ${row.join(' | ')} |\n`).join(''));
});

describe('"Testing your checkout"', () => {
  const named = (file: string) => {
    const found = snippets.find((snippet) => snippet.file === file);
    if (!found) throw new Error(`README has no snippet ${file}`);
    write(file, found.text);
  };

  const shared = ['test/card-key.js', 'test/checkout.test.js'];
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });

  test('runs in Vitest with jsdom', () => {
    for (const file of [...shared, 'vitest.config.js']) named(file);
    const report = node(join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', 'json');
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: 1 });
  });

  test('runs in Jest with jsdom', () => {
    for (const file of [...shared, 'jest.config.js', 'test/jsdom-with-crypto.js']) named(file);
    const report = node('--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js'), '--json');
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: 1 });
  });
});
