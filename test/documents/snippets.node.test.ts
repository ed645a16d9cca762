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
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { encryptCard } from '../../src/core/index.ts';
import '../support/built.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { needsNoPage } from './reference.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Snippet {
  page: string;
  language: string;
  /** The name that its first line gives it in a comment, if it does. */
  file: string | undefined;
  text: string;
}

const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
const pages = [
  'README.md',
  ...documents.filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`),
];
const snippets = pages.flatMap(snippetsOf);

function snippetsOf(page: string): Snippet[] {
  return [...read(page).matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
    page,
    language: language!,
    text: text!,
    file: /^\/\/ ([\w./[\]-]+\.[cm]?[jt]sx?)\b/.exec(text!)?.[1],
  }));
}

const folders: string[] = [];
const makeFolder = (parent = root) => {
  mkdirSync(join(parent, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(parent, 'reports/readme-'));
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

const runNode = (folder: string, ...args: string[]) => {
  try {
    return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${args.join(' ')} failed\n${stdout}\n${stderr}`);
  }
};

describe('each snippet', () => {
  const browserPages = join(root, 'test/documents/snippets');
  const tested = new Set(
    readdirSync(browserPages).map((file) => readFileSync(join(browserPages, file), 'utf8')),
  );
  /** A server's files, each on the page that test/documents/server-recipes.node.test.ts names. */
  const OF_SERVER = ['server-express.ts', 'shop.ts', 'page.ts', 'store.ts', 'end.ts'];
  const programs = ['ts', 'tsx', 'vue', 'html', 'js'];
  const isTestedHere = ({ page, file }: Snippet) =>
    page.startsWith('docs/testing') || ['card-server.ts', 'other-fields.ts'].includes(file ?? '');
  /** By test/documents/server-recipes.node.test.ts; by `npm run stacks`. */
  const isTestedByItself = ({ page, file = '' }: Snippet) =>
    /^docs\/(react|react-hook-form|svelte|solid|angular|masks|start-[\w-]+)\.md$/.test(page) ||
    OF_SERVER.includes(file);
  /** Programs of a server that other pages have, and the test that runs the very text. */
  const RUN_BY: Record<string, string> = {
    'store-postgres.ts': 'interop/shop-postgres.test.ts',
    'store-mysql.ts': 'interop/shop-mysql.test.ts',
    'store-redis.js': 'interop/databases.test.ts',
    'check-store.ts': 'documents/production.node.test.ts',
    'named-order.ts': 'documents/server-recipes.node.test.ts',
    'is-over.ts': 'documents/server-recipes.node.test.ts',
    'replace-order.ts': 'documents/server-recipes.node.test.ts',
    'paid.ts': 'documents/production.node.test.ts',
    'sweep.ts': 'documents/production.node.test.ts',
    'resolve.ts': 'documents/production.node.test.ts',
  };
  /** By reference.node.test.ts. */
  const isRunInNode = ({ page, language, text }: Snippet) =>
    page.startsWith('docs/api/') && needsNoPage(language, text);
  /** The last one is in docs/check.md: test/documents/check.e2e.test.ts runs it. */
  const isRunElsewhere = (snippet: Snippet) => {
    const { page, file = '', text } = snippet;
    if (page === 'docs/check.md' && text.startsWith("test('no script of the page")) return true;
    return file in RUN_BY || isRunInNode(snippet);
  };
  /** test/interop/databases.test.ts compiles it, with the types of its driver. */
  const needsDriver = ({ file }: Snippet) => file === 'store-mysql.ts';

  test.each(Object.entries(RUN_BY))('%s is run by test/%s', (file, by) => {
    const own = snippets.filter((it) => it.file === file && !it.page.startsWith('docs/api/'));
    expect(own).toHaveLength(1);
    // The store in Redis is a file of that folder: server-recipes.node.test.ts compares them.
    const name = file === 'store-redis.js' ? "inNode('redis'" : file.split('.')[0]!;
    expect(read(`test/${by}`).includes(name)).toBe(true);
  });

  test('of a program is run by a test', () => {
    const untested = snippets
      .filter(({ language }) => programs.includes(language))
      .filter((it) => !isTestedHere(it) && !isTestedByItself(it) && !isRunElsewhere(it))
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
      (it) => ['ts', 'tsx'].includes(it.language) && !isTestedByItself(it) && !needsDriver(it),
    );
    expect(typescript.length).toBeGreaterThan(5); // else the search for them misses some
    for (const [i, { language, text, file }] of typescript.entries()) {
      write(folder, file ?? `snippet-${i}.${language}`, text);
    }
    for (const file of ['shop.ts', 'page.ts', 'store.ts', 'mail.ts'])
      write(folder, file, read(`examples/servers/${file}`));
    write(folder, 'payment.ts', read('test/documents/snippets/payment.ts'));
    const [, inLine] = /^`(checkout\.node\(.*\))`$/m.exec(read('docs/production.md'))!;
    write(folder, 'sender.ts', SENDER_OF_HTTP + inLine);
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
    runNode(folder, join(root, 'node_modules/typescript/bin/tsc'), '--project', '.');
  });
});

/** What stands around the one line of docs/production.md. */
const SENDER_OF_HTTP = `import type { IncomingMessage } from 'node:http';
import { checkout } from './shop.js';
const orderOf = (_request: IncomingMessage) => undefined;
export const handler = `;

const VISA = {
  number: '4242424242424242',
  name: 'Ada Lovelace',
  exp_month: '12',
  exp_year: '2049',
  cvv: '835',
};

describe('on the server', () => {
  /** The checkout of a snippet, and the service that it talks to. */
  async function load(file: string) {
    const folder = makeFolder();
    write(folder, file, snippets.find((it) => it.file === file)!.text);
    for (const file of ['shop.ts', 'page.ts', 'store.ts'])
      write(folder, file, read(`examples/servers/${file}`));
    // Other files of tests run in this process: they must not meet the file of this one.
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('ORDERS_FILE', join(folder, 'orders.sqlite'));
    const service = createService({ generateKeyPair: recycledKeyPair });
    onTestFinished(() => service.close());
    vi.stubEnv('CARD_PAYMENTS_URL', await service.listen({ host: '127.0.0.1', port: 0 }));
    vi.stubEnv('CARD_PAYMENTS_SECRET_KEY', ACCOUNTS[0].secretKey);
    const load = (name: string) => import(join(folder, name));
    return { snippet: await load(file), load };
  }

  const newOrder = () => ({ id: randomUUID(), amount: 1000, currency: 'USD' });

  test('the excerpt in docs/server.md pays once, and refuses everything else', async () => {
    const { cardKey, pay } = (await load('card-server.ts')).snippet;
    const order = newOrder();
    const card = { ...VISA };
    const { status, body } = await cardKey(order);
    expect([status, Object.keys(body)]).toEqual([200, ['id', 'scheme', 'public_key']]);
    const refused = { status: 'invalid_encrypted_card' };
    expect(await pay(order, 'application/json', JSON.stringify(card))).toEqual(refused);
    const block = JSON.stringify(await encryptCard(body, card));
    const paid = await pay(order, 'application/json', block);
    expect(paid).toMatchObject({ status: 'committed' });
    expect(await pay(order, 'application/json', block)).toEqual(paid);
  });

  test.each<[type: string, encode: (fields: Record<string, string>) => string]>([
    ['application/json', JSON.stringify],
    ['text/plain;charset=UTF-8', JSON.stringify],
    ['application/x-www-form-urlencoded', (fields) => String(new URLSearchParams(fields))],
  ])('other fields beside the block are read: %s', async (type, encode) => {
    const { snippet, load: loadOther } = await load('other-fields.ts');
    const { checkout } = await loadOther('shop.ts');
    const order = newOrder();
    for (const broken of ['{"number":"4242', 'null', '']) {
      const outcome = { status: 'invalid_encrypted_card' };
      const expected = { email: undefined, outcome };
      expect(await snippet.payWithEmail(order, type, broken)).toEqual(expected);
    }
    const { body } = await checkout.issueKey(order);
    const encrypted_card = JSON.stringify(await encryptCard(body, { ...VISA }));
    const outcome = { status: 'committed', reference: expect.any(String) };
    const email = 'zoe@shop.example';
    const sent = encode({ email, encrypted_card });
    expect(await snippet.payWithEmail(order, type, sent)).toEqual({ email, outcome });
  });
});

describe('docs/testing.md and docs/testing-setup.md', () => {
  const named = (file: string) => {
    const ofTesting = snippets.filter(({ page }) => page.startsWith('docs/testing'));
    const found = ofTesting.find((it) => it.file === file);
    if (!found) throw new Error(`docs/testing*.md have no snippet ${file}`);
    return found.text;
  };
  const babel = JSON.stringify({ plugins: ['@babel/plugin-transform-modules-commonjs'] });
  const environment = { 'test/jsdom-with-crypto.cjs': named('test/jsdom-with-crypto.cjs') };
  const folderOfJest = join(import.meta.dirname, 'jest');
  const jest = [join(folderOfJest, 'node_modules/jest/bin/jest.js'), '--json'];
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter', 'json'];

  test.each<[tool: string, files: Record<string, string>, args: string[]]>([
    ['Vitest with jsdom', { 'vitest.config.mjs': named('vitest.config.js') }, vitest],
    [
      'Jest with Babel',
      { ...environment, 'jest.config.cjs': named('jest.config.cjs'), 'babel.config.json': babel },
      jest,
    ],
    [
      'Jest with ES modules',
      {
        ...environment,
        'jest.config.js': named('jest.config.js'),
        'package.json': '{ "type": "module" }',
      },
      ['--experimental-vm-modules', '--no-warnings', ...jest],
    ],
  ])('the tests run in %s', (_, files, args) => {
    // A project that has installed the package: a copy, as npm makes it, and no link to the sources.
    const folder = makeFolder(folderOfJest);
    for (const path of ['package.json', 'dist']) {
      cpSync(join(root, path), join(folder, 'node_modules/cardseal', path), { recursive: true });
    }
    const tests = ['test/checkout.test.js', 'test/pay.test.js'];
    const own = Object.fromEntries(tests.map((file) => [file, named(file)]));
    const all = { 'package.json': '{ "private": true }', ...own, ...files };
    for (const [file, text] of Object.entries(all)) write(folder, file, text);
    const report = JSON.parse(runNode(folder, ...args));
    expect(report).toMatchObject({ success: true, numPassedTests: 5 });
  });

  // By `npm run stacks`
  test('jsdom can be replaced by happy-dom in one word', () => {
    expect(named('vitest.config.js')).toContain("environment: 'jsdom'");
    expect(read('docs/testing-setup.md')).toContain("`environment: 'happy-dom'`");
  });
});
