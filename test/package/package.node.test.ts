import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIST } from '../support/built.ts';
import { fetchPackage, listFiles, unpack } from '../support/npm-package.ts';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const TOOLS = join(import.meta.dirname, 'tools/node_modules');

/** The oldest that is supported. Snippets compile with the one that is installed. */
const OLDEST_COMPILER = {
  spec: 'typescript@5.0.4',
  integrity:
    'sha512-cW9T5W9xY37cc+jfEnaUvX91foxtHkza3Nw3wkoF4sSlKn0MONdkdEndig/qPBWXNkmplh3NzayQzCiHM4/hqw==',
};

/** Uses everything that is exported. Each optional property takes `undefined`, too. */
const CONSUMER = `
import * as core from 'cardseal';
import type * as types from 'cardseal';
import { bindCardForm, type CardFormBinding, type CardFormOptions, type CardProblem } from 'cardseal/form';
import { bindCheckout, type CheckoutBinding, type CheckoutFormOptions, type CheckoutMessages, type CheckoutResponse, type OutcomeMessages, type OutcomeStatus, type OutcomeText, type ShownOutcome, shownOf } from 'cardseal/pay';
import { browserKey, parseEncryptedCard } from 'cardseal/server';
import { fakeCheckout, type FakeCheckout, openBlock, type OpenedCard, type Play, TEST_CARD, testKey, typeCard, type TypedCard } from 'cardseal/testing';
import { CardPayments, createCheckout, type IssuedKey, type NodeRequest, memoryStore, type Order, type OrderStore, type Outcome, postgresStore } from 'cardseal/checkout';

declare const form: HTMLFormElement;
const key: types.CardEncryptionKey = { id: 'a', scheme: 'b', public_key: 'c' };
const prepared: Promise<types.PreparedKey> = core.prepareKey(key);
// @ts-expect-error: this key is not prepared
export const raw: types.PreparedKey = key;
export const asAnyKey: types.CardEncryptionKey = await prepared;
const card: types.Card = { number: '1', name: new Uint8Array(1), exp_month: '1', exp_year: '1', cvv: '1' };
export const block: Promise<types.EncryptedCard> = core.encryptCard(await prepared, card);
declare const noOptions: { [option in Exclude<keyof CardFormOptions, 'key'>]: undefined };
export const options: CardFormOptions = { key: () => key, ...noOptions };
const binding: CardFormBinding = bindCardForm(form, options);
await binding.ready;
form.addEventListener('cardseal:error', ({ detail }) => {
  const error: core.CardEncryptionError = detail;
  const code: types.CardEncryptionErrorCode = error.code;
  const field: types.CardField | undefined = error.field;
  console.log(code, field, error.limit);
});
export const problem: CardProblem = 'name_too_long';
export const forwarded: types.CardEncryptionKey = browserKey(key);
export const checked: types.EncryptedCard = parseEncryptedCard('', { keyId: undefined, expiresAt: undefined });
export const first: types.LayoutField = checked.layout[0]!.field;
declare const pool: Parameters<typeof postgresStore>[0];
const stores: OrderStore[] = [memoryStore(), postgresStore(pool)];
const payments = { baseUrl: '', secretKey: '', timeoutMs: undefined };
const checkout = createCheckout({ payments, store: stores[0], log: undefined });
export const watched = createCheckout({ payments: new CardPayments(payments) });
const order: Order = { id: '1', amount: 1, currency: 'USD', description: undefined, capture_method: undefined };
const issued: IssuedKey = await checkout.issueKey(order);
export const sent: types.CardEncryptionKey | undefined = issued.status === 200 ? issued.body : undefined;
export const outcome: Outcome = await checkout.pay(order, undefined, '');
export const known: Outcome = await checkout.outcome(order.id);
declare const noPayOptions: { [option in Exclude<keyof CheckoutFormOptions, 'url'>]: undefined };
export const bound: CheckoutBinding = bindCheckout(form, { url: '/checkout', ...noPayOptions });
export const shown: ShownOutcome = shownOf(known satisfies CheckoutResponse);
const status: OutcomeStatus = shown.status;
const ofOutcomes: OutcomeMessages = { failed: 'Nein' };
export const texts: CheckoutMessages = { ...ofOutcomes, number_required: undefined };
const text: OutcomeText = 'not_certain_without_order';
form.addEventListener('cardseal:outcome', ({ detail }) => console.log(detail.text, status, text));
export const byRequest: Promise<Response> = checkout.handle(new Request('/'), order, { page: '/', sender: undefined });
export const byNode = checkout.node(() => order, { senderOf: ({ headers }: NodeRequest) => String(headers) });
const play: Play = 'lost';
export const fake: FakeCheckout = fakeCheckout(play);
const typed: TypedCard = TEST_CARD;
typeCard(form, typed);
export const opened: OpenedCard = await openBlock(await core.encryptCard(await testKey(), card));
export const resolved: Outcome = await checkout.resolve(order.id, '', 'not_paid');
`;

/** The entries of the package, as paths in dist/ without an ending. */
const ENTRIES = [
  'core/index',
  'form/index',
  'pay/index',
  'server/index',
  'checkout/index',
  'testing/index',
];

/** The script files, without their ending. */
const SCRIPTS = ['cardseal', 'cardseal.pay', 'cardseal.check'];

/** Source files below src/, without their ending. */
const modules = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.slice(0, -'.ts'.length))
  .sort();

const languages = readdirSync(join(root, 'src/messages')).filter((it) => it.endsWith('.json'));

/** Whether a source file is built into a file of its own. Those of the script files are not. */
const isOfOwnFile = (name: string) => !/^(script-tag|pay-tag|check)\//.test(name);

/** The package as it is published, and the folder of an app that has installed it. */
let tarball: string;
let app: string;
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'packed-'));
  tarball = join(folder, npm('pack', '--silent', '--pack-destination', folder).trim());
  app = join(folder, 'app');
  const installed = join(app, 'node_modules/cardseal');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
});
afterAll(() => rmSync(join(app, '..'), { recursive: true, force: true }));

// Claim no-dependencies
test('packs the sources, a readable file for each, the types of each entry, the documents, and nothing else', () => {
  const files = listFiles(tarball).filter((path) => path !== '');
  const packed = files.map((path) => path.slice('package/'.length)).sort();
  const expected = [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json'],
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => `docs/${path}`),
    ...modules.map((name) => `src/${name}.ts`),
    ...modules.filter(isOfOwnFile).map((name) => `dist/${name}.js`),
    ...ENTRIES.map((name) => `dist/${name}.d.ts`),
    ...['dist/cardseal.js', 'dist/cardseal.readable.js'],
    ...['dist/cardseal.pay.js', 'dist/cardseal.pay.readable.js', 'dist/cardseal.check.js'],
    ...SCRIPTS.map((name) => `dist/${name}.d.ts`),
    ...['dist/integrity.json', 'dist/importmap.json', 'dist/built-from.json'],
    ...['form', 'pay', 'server', 'checkout', 'testing'].map((entry) => `${entry}/package.json`),
    ...languages.flatMap((file) => [`src/messages/${file}`, `dist/messages/${file}`]),
    ...languages.flatMap((file) => [`src/messages/pay/${file}`, `dist/messages/pay/${file}`]),
  ].sort();
  expect(packed).toEqual(expected);
});

test('holds every page that its SECURITY.md and CHANGELOG.md link to', () => {
  const packed = listFiles(tarball);
  for (const page of ['SECURITY.md', 'CHANGELOG.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, path]) => path!);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((path) => !packed.includes(`package/${path}`))).toEqual([]);
  }
});

test('each of cardseal/messages/*.json can be imported, and is its source', () => {
  for (const file of languages) {
    const built: unknown = createRequire(import.meta.url)(`cardseal/messages/${file}`);
    expect(built).toEqual(JSON.parse(readFileSync(join(root, 'src/messages', file), 'utf8')));
  }
});

test('each of cardseal/messages/pay/*.json has the texts of the form and those about outcomes', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, 'src/messages', path), 'utf8'));
  for (const file of languages) {
    const built: unknown = createRequire(import.meta.url)(`cardseal/messages/pay/${file}`);
    expect(built).toEqual({ ...read(file), ...read(`pay/${file}`) });
  }
});

describe('the declarations', () => {
  test('of each entry declare nothing that the entry does not export', () => {
    for (const name of [...ENTRIES, ...SCRIPTS]) {
      const found = internals(readFileSync(join(DIST, `${name}.d.ts`), 'utf8'));
      expect({ name, found }).toEqual({ name, found: [] });
    }
  });

  test('compile with TypeScript 5.0, skipLibCheck: false and Node16', async () => {
    const compiler = join(unpack(await fetchPackage(OLDEST_COMPILER)), 'package');
    const modules = {
      'consumer.mts': CONSUMER,
      // The control: the compiler runs, and it reads the types.
      'control.mts': "import { nothing } from 'cardseal';",
    };
    expect(compile(compiler, modules)).toMatch(/^control\.mts\(1,10\): error TS2305: .+\n$/);
  });

  const COMPILER = join(root, 'node_modules/typescript');

  test('of cardseal.js declare the global Cardseal, without what only cardseal.pay.js has', () => {
    const tag = `/// <reference types="cardseal/cardseal.js" />
      const form = document.forms[0]!;
      const { isBusy } = Cardseal.bindCardForm(form, { luhn: false });
      export const both = [isBusy, window.Cardseal.encryptCard, Cardseal.prepareKey];
      export const { code } = new Cardseal.CardEncryptionError('invalid_form', 'text');
      Cardseal.bindCheckout(form, { url: '/' });`;
    const found = compile(COMPILER, { 'tag.mts': tag });
    expect(found).toMatch(/^tag\.mts\(6,16\): error TS2339: .*'bindCheckout' does not exist.*\n$/);
    const both = `import 'cardseal/cardseal.js';\n${tag}\nimport 'cardseal/cardseal.pay.js';`;
    expect(compile(COMPILER, { 'tag.mts': both })).toBe('');
  });

  test('of cardseal.check.js declare the global CardsealCheck, which may be missing', () => {
    const test = `import 'cardseal/cardseal.check.js';
      export const kinds = CardsealCheck?.report().findings.map(({ kind }) => kind);
      window.CardsealCheck?.clear();
      CardsealCheck.clear();`;
    const found = compile(COMPILER, { 'test.mts': test });
    expect(found).toMatch(/^test\.mts\(4,7\): error TS18048: .*\n$/);
  });

  test('of cardseal/checkout need the types of Node or of the DOM for the names in docs/server.md', () => {
    const server = { 'server.mts': "export { createCheckout } from 'cardseal/checkout';" };
    const bare = { lib: ['ES2022'], target: 'ES2022' };
    const node = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
    expect(compile(COMPILER, server, { ...bare, ...node })).toBe('');
    expect(compile(COMPILER, server, { ...bare, lib: ['ES2022', 'DOM'] })).toBe('');
    const missing = compile(COMPILER, server, bare).matchAll(/error TS2304: .*?'(\w+)'/g);
    const names = [...new Set([...missing].map(([, name]) => `\`${name}\``))].sort();
    expect(names).toHaveLength(3);
    const document = readFileSync(join(root, 'docs/server.md'), 'utf8');
    expect(document).toContain(`${names[0]}, ${names[1]} and ${names[2]}`);
  });
});

// Claim no-dependencies. Why: package.json names development tools only, and no script that npm
// runs at installation.
test('asks nothing of those who install it: no dependency, no install script, no engine', () => {
  const fields = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies'];
  for (const field of [...fields, 'engines', 'os', 'cpu'])
    expect(manifest).not.toHaveProperty(field);
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest.scripts).not.toHaveProperty(script);
});

test('tools that do not know `exports` find the same files, and nothing of it is left in the repository', () => {
  const { resolve } = createRequire(import.meta.url);
  const inApp = (...path: string[]) => join(app, 'node_modules', ...path);
  const entries = Object.entries<{ types: string; default: string }>(manifest.exports);
  const modules = entries.filter(([entry, { types }]) => types && !entry.endsWith('.js'));
  for (const [entry, files] of modules) {
    const name = join('cardseal', entry);
    // Node reads `exports` for a package, but not for the folder of a file.
    expect(resolve(inApp(name))).toBe(inApp('cardseal', files.default));
    const moduleResolution = ts.ModuleResolutionKind.Node10;
    const options = { moduleResolution };
    const types = ts.resolveModuleName(name, join(app, 'index.ts'), options, ts.sys);
    expect(types.resolvedModule?.resolvedFileName).toBe(inApp('cardseal', files.types));
    const folder = JSON.parse(readFileSync(inApp(name, 'package.json'), 'utf8'));
    expect(folder.type).toBe('module');
    if (entry !== '.') expect(existsSync(join(root, entry))).toBe(false);
  }
});

test('serves the script-tag file where those who ask for the package alone look for it', () => {
  for (const path of [manifest.unpkg, manifest.jsdelivr, manifest.exports['./cardseal.js'].default])
    expect(path).toBe('./dist/cardseal.js');
});

test('publint has nothing to say', () => {
  const publint = join(TOOLS, 'publint/src/cli.js');
  const args = ['run', root, '--strict', '--pack', 'false'];
  const env = { ...process.env, NO_COLOR: '1' }; // it takes CI=true for a terminal with colors
  const said = execFileSync(process.execPath, [publint, ...args], { encoding: 'utf8', env });
  const lines = said.split('\n').filter(Boolean);
  expect(lines.slice(1)).toEqual(['Linting...', 'All good!']);
});

test('the types of every entry are there and right, in the profile of a package that is ESM only', () => {
  const attw = join(TOOLS, '@arethetypeswrong/cli/dist/index.js');
  const args = [tarball, '--profile', 'esm-only', '--format', 'json'];
  const report = execFileSync(process.execPath, [attw, ...args], { encoding: 'utf8' });
  const { analysis } = JSON.parse(report);
  const isForTypes = (entry: string) => !/\.json$|\*/.test(entry);
  const entries = Object.keys(manifest.exports).filter(isForTypes);
  expect(Object.keys(analysis.entrypoints).filter(isForTypes).sort()).toEqual(entries.sort());
  for (const entry of entries)
    expect([entry, analysis.entrypoints[entry].hasTypes]).toEqual([entry, true]);
});

/** The names that a declaration file declares for itself alone. */
function internals(declarations: string): string[] {
  const file = ts.createSourceFile('x.d.ts', declarations, ts.ScriptTarget.ESNext);
  const declared: string[] = [];
  const exported: string[] = [];
  for (const statement of file.statements) {
    if (ts.isExportDeclaration(statement)) {
      for (const { name } of (statement.exportClause as ts.NamedExports).elements)
        exported.push(name.text);
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations)
        declared.push((name as ts.Identifier).text);
    } else if (!ts.isImportDeclaration(statement)) {
      const { name } = statement as ts.DeclarationStatement;
      if (name && name.text !== 'global') declared.push(name.text);
    }
  }
  return declared.filter((name) => !exported.includes(name));
}

/** What the compiler says of modules of a shop that has installed the package. */
function compile(compiler: string, modules: Record<string, string>, options: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'consumer-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/cardseal'), 'dir');
    for (const [file, text] of Object.entries(modules)) writeFileSync(join(folder, file), text);
    const compilerOptions = {
      module: 'Node16',
      moduleResolution: 'Node16',
      target: 'ES2018',
      lib: ['ES2018', 'DOM'],
      types: [],
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      skipDefaultLibCheck: true, // the compiler's own declarations: they take most of the time
      ...options,
    };
    const config = JSON.stringify({ compilerOptions, files: Object.keys(modules) });
    writeFileSync(join(folder, 'tsconfig.json'), config);
    const args = [join(compiler, 'bin/tsc'), '--project', folder, '--pretty', 'false'];
    return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
