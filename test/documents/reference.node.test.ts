/** docs/api/ is what the doc comments say, has everything public once, and its examples run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { writtenPages } from '../../tools/api/pages.ts';
import { DIST } from '../support/built.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { literalsIn, needsNoPage, PAGES, sectionIn } from './reference.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

test('docs/api/ is as `node tools/api` writes it', () => {
  expect(PAGES).toEqual(writtenPages());
});

/** Each entry by its built declarations: the pages are made of the sources. */
const ENTRIES: [page: string, declarations: string][] = [
  ...['core', 'form', 'pay', 'server', 'checkout', 'testing'].map((room): [string, string] => [
    `${room}.md`,
    `${room}/index.d.ts`,
  ]),
  ['script-tag.md', 'cardseal.d.ts'],
  ['pay-tag.md', 'cardseal.pay.d.ts'],
  ['check.md', 'cardseal.check.d.ts'],
];

test('there is a page for each entry of the package', () => {
  const { exports } = JSON.parse(read('package.json'));
  const typed = Object.entries<{ types?: string }>(exports).filter(([, target]) => target.types);
  const names = typed.map(([name]) => name.replace('.', 'cardseal'));
  const titles = ENTRIES.map(([page]) => /^# `(.*)`$/m.exec(PAGES.get(page)!)?.[1]);
  expect(titles).toEqual(names);
  expect([...PAGES.keys()].sort()).toEqual([...ENTRIES.map(([page]) => page), 'README.md'].sort());
});

/** A public name, with the members of an interface or a class. */
interface Public {
  name: string;
  isCode: boolean;
  members: string[];
  methods: string[];
}

function publicIn(declarations: string): Public[] {
  const text = readFileSync(join(DIST, declarations), 'utf8');
  const file = ts.createSourceFile(declarations, text, ts.ScriptTarget.Latest, true);
  const exported = new Set(
    file.statements
      .filter(ts.isExportDeclaration)
      .flatMap(({ exportClause }) => (exportClause as ts.NamedExports)?.elements ?? [])
      .map(({ name }) => name.text),
  );
  return file.statements
    .flatMap((statement): Public[] => {
      if (ts.isVariableStatement(statement)) {
        const names = statement.declarationList.declarations.map(({ name }) => name.getText());
        return names.map((name) => ({ name, isCode: false, members: [], methods: [] }));
      }
      const isClass = ts.isClassDeclaration(statement);
      const isFunction = ts.isFunctionDeclaration(statement);
      const isType = ts.isTypeAliasDeclaration(statement);
      if (!isClass && !isFunction && !isType && !ts.isInterfaceDeclaration(statement)) return [];
      const all = 'members' in statement ? [...statement.members] : [];
      const named = all.filter(({ name }) => name && !name.getText().startsWith('#'));
      const nameOf = ({ name }: ts.ClassElement | ts.TypeElement) => name!.getText();
      const methods = named.filter((it) => ts.isMethodSignature(it) || ts.isMethodDeclaration(it));
      return [
        {
          name: statement.name!.text,
          isCode: isClass || isFunction,
          members: named.map(nameOf),
          methods: methods.map(nameOf),
        },
      ];
    })
    .filter(({ name }) => exported.has(name));
}

describe.each(ENTRIES)('%s', (file, declarations) => {
  const page = PAGES.get(file)!;
  const all = publicIn(declarations);

  test('has each export once, with an example if it is code', () => {
    expect(all.length).toBeGreaterThan(0);
    for (const { name, isCode } of all) {
      const headings = page.split(`\n## ${name}\n`).length - 1;
      const hasExample = sectionIn(page, name).includes('\n**Example:**\n');
      expect({ name, headings, hasExample }).toEqual({
        name,
        headings: 1,
        hasExample: isCode || expect.any(Boolean),
      });
    }
  });

  test('has each property and method once', () => {
    for (const { name, members } of all) {
      const section = sectionIn(page, name);
      for (const member of members) {
        const quoted = member.replaceAll(/[[\].$]/g, '\\$&');
        const places = section.match(new RegExp(`^(?:### |\\| )\`${quoted}(?:\\(\\))?\``, 'gm'));
        expect({ name, member, times: places?.length }).toEqual({ name, member, times: 1 });
      }
    }
  });
});

/** What a shop's own code implements, and does not call. */
const OF_OTHERS = ['NodeResponse', 'NodeRequest', 'WebRequest'];

test('each method of the library is called in an example', () => {
  const examples = [...PAGES.values()].flatMap((page) =>
    [...page.matchAll(/^```(?:ts|html)\n(.*?)^```$/gms)].map(([, text]) => text!),
  );
  const methods = ENTRIES.flatMap(([, declarations]) => publicIn(declarations))
    .filter(({ name }) => !OF_OTHERS.includes(name) && !/^(?:Sqlite|Mysql|Postgres)/.test(name))
    .flatMap(({ methods }) => methods);
  expect(methods.length).toBeGreaterThan(15);
  const isCalled = (method: string) => examples.some((text) => text.includes(`.${method}(`));
  expect(methods.filter((method) => !isCalled(method))).toEqual([]);
});

/** The first cells of the rows below a heading, on every page. */
function rowsOf(heading: string): string[] {
  return [...PAGES.values()].flatMap((page) =>
    [...sectionIn(page, heading).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name!),
  );
}

describe('each name in the code is in one row:', () => {
  const literals = literalsIn('src');
  const found = (pattern: RegExp) =>
    new Set(literals.flatMap((text) => [...text.matchAll(pattern)].map(([name]) => name)));

  test('attributes', () => {
    const used = found(/data-(?:cardseal|test|payment)(?:-[a-z]+)*/g);
    // The library sets these.
    const own = ['display', 'enabled', 'left', 'line', 'outcome-line', 'told'];
    for (const name of own) used.delete(`data-cardseal-${name}`);
    expect(used.size).toBeGreaterThan(20);
    expect(rowsOf('Attributes').sort()).toEqual([...used].sort());
  });

  test('events', () => {
    // The form puts the name of an event together.
    const [, names] = /type EventName =([^;]*);/.exec(read('src/form/feedback/notices.ts'))!;
    const ofForm = [...names!.matchAll(/'(\w+)'/g)].map(([, name]) => `cardseal:${name}`);
    const raised = new Set([...ofForm, ...found(/^cardseal:\w+$/g)]);
    expect(raised.size).toBe(7);
    expect(rowsOf('Events').sort()).toEqual([...raised].sort());
  });

  test('error codes, and the outcomes on both sides', () => {
    const union = (path: string, type: string) => {
      const [, members] = new RegExp(`type ${type} =(.*?);\n\n`, 's').exec(read(path))!;
      return [...members!.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, word]) => word!);
    };
    const codes = union('src/core/types.ts', 'CardEncryptionErrorCode');
    const outcomes = union('src/pay/texts.ts', 'OutcomeStatus');
    for (const all of [codes, outcomes]) expect(all.length).toBeGreaterThan(5);
    expect(rowsOf('CardEncryptionErrorCode')).toEqual(codes);
    expect(rowsOf('OutcomeStatus')).toEqual(outcomes);
    const onServer = rowsOf('Outcome').flatMap((row) =>
      /status: ([^;}]*)/.exec(row)![1]!.split('|'),
    );
    const words = onServer.map((word) => word.replaceAll(/[\\' ]/g, ''));
    expect(words.sort()).toEqual([...outcomes].sort());
  });
});

/** Each example that needs no page, by the heading above it. */
const examples = [...PAGES].flatMap(([page, text]) =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, language, code]) => needsNoPage(language!, code!))
    .map(({ 2: code, index }) => ({
      page,
      heading: [...text.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1)![1]!,
      code: code!,
    })),
);

/** Programs whose database test/interop has: they are files of examples/servers/. */
const isOfDatabase = ({ code }: { code: string }) =>
  /^\/\/ store-(?:postgres|mysql)\.ts\n/.test(code);

describe('examples', () => {
  const service = createService({ generateKeyPair: recycledKeyPair });
  let folder: string;
  beforeAll(async () => {
    vi.stubEnv('CARD_PAYMENTS_URL', await service.listen({ host: '127.0.0.1', port: 0 }));
    vi.stubEnv('CARD_PAYMENTS_SECRET_KEY', ACCOUNTS[0].secretKey);
    mkdirSync(join(root, 'reports'), { recursive: true });
    folder = mkdtempSync(join(root, 'reports/reference-'));
    vi.stubEnv('ORDERS_FILE', join(folder, 'orders.sqlite'));
  });
  // Each example begins with no order.
  beforeEach(() => {
    delete (globalThis as Record<symbol, unknown>)[Symbol.for('cardseal.checkout.memoryStore')];
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    vi.unstubAllEnvs();
    await service.close();
    rmSync(folder, { recursive: true });
  });

  const inNode = examples.filter((example) => !isOfDatabase(example));

  test.each(inNode)('$page: $heading prints what its comments say', async ({ heading, code }) => {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((value) => {
      printed.push(Array.isArray(value) ? value.join(', ') : String(value));
    });
    const file = join(folder, `${heading}.ts`);
    writeFileSync(file, code);
    await import(file);
    const told = [...code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    expect(printed).toEqual(told);
    expect(told.length > 0 || heading === 'sqliteStore').toBe(true);
  });

  test('with a database are the programs that test/interop runs', () => {
    const programs = examples.filter(isOfDatabase).map(({ code }) => code);
    const expected = ['postgres', 'mysql'].map((name) => {
      const file = `store-${name}.ts`;
      return `// ${file}\n${read(`examples/servers/${file}`)}`;
    });
    expect(programs).toEqual(expected);
    expect(inNode.length).toBeGreaterThan(15);
  });
});
