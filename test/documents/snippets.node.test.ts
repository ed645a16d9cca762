/** Every snippet in README and docs/ is whole: it compiles as it stands, and a test runs its very text. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { encryptCard } from '../../src/core/index.ts';
import '../tools/support/built.ts';
import { recycledKeyPair } from '../tools/support/card-payment-service.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Snippet {
  page: string;
  language: string;
  /** The name that its first line gives it in a comment, if it does. */
  file: string | undefined;
  text: string;
}

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)];
const snippets = pages.flatMap(snippetsOf);

function snippetsOf(page: string): Snippet[] {
  return [...read(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    page,
    language: language!,
    text: text!,
    file: /^\/\/ ([\w./[\]-]+\.[cm]?[jt]sx?)\b/.exec(text!)?.[1],
  }));
}

mkdirSync(join(root, 'reports'), { recursive: true });
const folders: string[] = [];
const makeFolder = () => {
  const folder = mkdtempSync(join(root, 'reports/readme-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const write = (folder: string, file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
};

const runTool = (folder: string, tool: string, ...args: string[]) => {
  const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
  try {
    return execFileSync(process.execPath, [join(root, 'node_modules', tool), ...args], options);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${tool} failed\n${stdout}\n${stderr}`);
  }
};

describe('each snippet', () => {
  const browserPages = join(root, 'test/documents/snippets');
  const tested = new Set(
    readdirSync(browserPages).map((file) => readFileSync(join(browserPages, file), 'utf8')),
  );
  const programs = ['ts', 'tsx', 'vue', 'html', 'js'];
  const isTestedHere = ({ page, file }: Snippet) =>
    page === 'docs/testing.md' || file === 'card-server.ts';
  /** By test/documents/server-recipes.node.test.ts; by `npm run stacks`. */
  const isTestedByItself = ({ page }: Snippet) =>
    /^docs\/(server|frameworks|start-\w+)\.md$/.test(page);

  test('of a program is run by a test', () => {
    const untested = snippets
      .filter(({ language }) => programs.includes(language))
      .filter((it) => !isTestedHere(it) && !isTestedByItself(it))
      .filter(({ text }) => !tested.has(text))
      .map(({ page, text }) => `${page}: ${text.slice(0, 80)}`);
    expect(untested).toEqual([]);
    expect(snippets.length).toBeGreaterThan(20);
  });

  test('that a browser test runs is on a page', () => {
    const shown = new Set(snippets.map(({ text }) => text));
    for (const text of tested) expect(shown).toContain(text);
  });

  test('in TypeScript compiles against the built package, as it stands', () => {
    const folder = makeFolder();
    const typescript = snippets.filter(
      (it) => ['ts', 'tsx'].includes(it.language) && !isTestedByItself(it),
    );
    expect(typescript.length).toBeGreaterThan(5); // else the search for them misses some
    for (const [i, { language, text, file }] of typescript.entries()) {
      write(folder, file ?? `snippet-${i}.${language}`, text);
    }
    write(folder, 'shop.ts', read('demo/recipes/shop.ts'));
    write(folder, 'payment.ts', read('test/documents/snippets/payment.ts'));
    const paths = {}; // the built package, not the sources
    const compilerOptions = {
      paths,
      jsx: 'react-jsx',
      types: ['node'],
      noUnusedLocals: false,
      moduleDetection: 'force',
    };
    const config = { extends: '../../tsconfig.json', compilerOptions, include: ['.'] };
    write(folder, 'tsconfig.json', JSON.stringify(config));
    runTool(folder, 'typescript/bin/tsc', '--project', '.');
  });
});

const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2049',
  cvv: '835',
};

test('the excerpt in docs/server.md pays once, and refuses everything else', async () => {
  const folder = makeFolder();
  const { text } = snippets.find(({ file }) => file === 'card-server.ts')!;
  write(folder, 'card-server.ts', text);
  const service = createService({ generateKeyPair: recycledKeyPair });
  process.env.CARD_PAYMENTS_URL = await service.listen({ host: '127.0.0.1', port: 0 });
  process.env.CARD_PAYMENTS_SECRET_KEY = ACCOUNTS[0].secretKey;
  const { cardKey, pay } = await import(join(folder, 'card-server.ts'));
  const order = { id: randomUUID(), amount: 1000, currency: 'USD' };
  const card = { ...VISA };
  const { status, body } = await cardKey(order);
  expect([status, Object.keys(body)]).toEqual([200, ['id', 'scheme', 'public_key']]);
  const refused = { status: 'invalid_encrypted_card' };
  expect(await pay(order, 'application/json', JSON.stringify(card))).toEqual(refused);
  const block = JSON.stringify(await encryptCard(body, card));
  const paid = await pay(order, 'application/json', block);
  expect(paid).toMatchObject({ status: 'committed' });
  expect(await pay(order, 'application/json', block)).toEqual(paid);
  await service.close();
});

const EMAIL = 'zoe@shop.example';

test('other fields beside the block are read: as JSON, also if a page does not say so, and as a form', async () => {
  const folder = makeFolder();
  const { text } = snippets.find(({ file }) => file === 'other-fields.ts')!;
  write(folder, 'other-fields.ts', text);
  write(folder, 'shop.ts', read('demo/recipes/shop.ts'));
  const service = createService({ generateKeyPair: recycledKeyPair });
  process.env.CARD_PAYMENTS_URL = await service.listen({ host: '127.0.0.1', port: 0 });
  process.env.CARD_PAYMENTS_SECRET_KEY = ACCOUNTS[0].secretKey;
  const { payWithEmail } = await import(join(folder, 'other-fields.ts'));
  const { checkout } = await import(join(folder, 'shop.ts'));
  for (const [type, encode] of [
    ['application/json', JSON.stringify],
    ['text/plain;charset=UTF-8', JSON.stringify],
    ['application/x-www-form-urlencoded', (fields) => String(new URLSearchParams(fields))],
  ] as [type: string, encode: (fields: Record<string, string>) => string][]) {
    const order = { id: randomUUID(), amount: 1000, currency: 'USD' };
    for (const broken of ['{"number":"4242', 'null', '[]', '']) {
      const outcome = { status: 'invalid_encrypted_card' };
      expect(await payWithEmail(order, type, broken)).toEqual({ email: undefined, outcome });
    }
    const { body } = await checkout.issueKey(order);
    const encrypted_card = JSON.stringify(await encryptCard(body, { ...VISA }));
    const outcome = { status: 'committed', reference: expect.any(String) };
    const sent = encode({ email: EMAIL, encrypted_card });
    expect(await payWithEmail(order, type, sent)).toEqual({ email: EMAIL, outcome });
  }
  await service.close();
});

describe('docs/testing.md', () => {
  const named = (file: string) => {
    const found = snippets.find((it) => it.page === 'docs/testing.md' && it.file === file);
    if (!found) throw new Error(`docs/testing.md has no snippet ${file}`);
    return found.text;
  };

  /** A project that has installed the package: a copy, as npm makes it, and no link to these sources. */
  let folder: string;
  beforeEach(() => {
    folder = makeFolder();
    write(folder, 'package.json', '{ "private": true }');
    for (const path of ['package.json', 'dist']) {
      cpSync(join(root, path), join(folder, 'node_modules/cardseal', path), { recursive: true });
    }
    for (const file of ['test/card-key.js', 'test/checkout.test.js']) {
      write(folder, file, named(file));
    }
  });

  test('the tests run in Vitest with jsdom, and happy-dom takes its place in one word', () => {
    const config = named('vitest.config.js');
    expect(config).toContain("environment: 'jsdom'");
    expect(read('docs/testing.md')).toContain("`environment: 'happy-dom'`"); // by npm run stacks
    write(folder, 'vitest.config.mjs', config);
    const args = ['run', '--root', folder, '--reporter', 'json'];
    const report = JSON.parse(runTool(folder, 'vitest/vitest.mjs', ...args));
    expect(report).toMatchObject({ success: true, numPassedTests: 2 });
  });

  const BABEL = { plugins: ['@babel/plugin-transform-modules-commonjs'] };

  test('the tests run in Jest with Babel', () => {
    for (const file of ['jest.config.cjs', 'test/jsdom-with-crypto.cjs']) {
      write(folder, file, named(file));
    }
    write(folder, 'babel.config.json', JSON.stringify(BABEL));
    const report = runTool(folder, 'jest/bin/jest.js', '--json');
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: 2 });
  });

  test('the tests run in Jest with ES modules', () => {
    for (const file of ['jest.config.js', 'test/jsdom-with-crypto.cjs']) {
      write(folder, file, named(file));
    }
    write(folder, 'package.json', '{ "type": "module" }');
    const options = { cwd: folder, encoding: 'utf8', stdio: 'pipe' } as const;
    const jest = join(root, 'node_modules/jest/bin/jest.js');
    const args = ['--experimental-vm-modules', '--no-warnings', jest, '--json'];
    const report = execFileSync(process.execPath, args, options);
    expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTests: 2 });
  });
});
