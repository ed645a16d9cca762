/** What the documents point to exists, their tables are those of the code, and none says what would be false. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { ENGLISH_OUTCOMES } from '../../src/pay/texts.ts';
import { anchorOf } from '../../tools/api/anchor.ts';
import { type Marker, markersOf } from '../../tools/claims/markers.ts';
import {
  allMarkers,
  claimsIn,
  exceptionListsIn,
  MORE,
  PAGE,
  writtenPage,
} from '../../tools/claims/page.ts';
import { FLOOR } from '../support/compatibility.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const security = read('SECURITY.md');
const manifest = JSON.parse(read('package.json'));

describe('the claims of SECURITY.md', () => {
  const claims = claimsIn(security);
  const markers = allMarkers();

  test('are in a table whose every row has a claim, a sentence and its exceptions', () => {
    expect(claims.length).toBeGreaterThan(25);
    const section = security.slice(security.indexOf('## Claims'));
    expect(section.match(/^\| \[/gm)).toHaveLength(claims.length);
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
  });

  test.each(claims)('$id has a reason, a test and a control', ({ id }) => {
    expect(faultsOf(markers.filter((marker) => marker.id === id))).toEqual([]);
  });

  test('are all that a test or a planted fault names', () => {
    const ids = claims.map(({ id }) => id);
    expect(markers.filter(({ id }) => !ids.includes(id))).toEqual([]);
  });

  test('have exceptions that can be read: short cells, and lists that belong to them', () => {
    expect(exceptionListsIn(security).length).toBeGreaterThan(10);
    expect(faultsOfExceptions(security)).toEqual([]);
  });

  test('control: a long cell, a list without its cell, and a list out of order are found', () => {
    const row = (id: string, cell: string) => `| [${id}](docs/claims.md#${id}) | holds | ${cell} |`;
    const head = '\n## Further exceptions\n';
    const page = (cell: string, ...lists: string[]) =>
      [row('a', cell), head, ...lists, '## Next\n\n### c'].join('\n');
    const [ordinary, unusual] = PARTS.map((part) => `${part}:\n\n- One.\n- Two\n  lines.\n`);
    const list = `### a\n\n${ordinary}\n${unusual}`;
    const faults = (...of: Parameters<typeof page>) => faultsOfExceptions(page(...of));
    expect(faults('None.')).toEqual([]);
    expect(faults('One. [more](#a)', list)).toEqual([]);
    const long = 'x'.repeat(LONGEST_EXCEPTION + 1);
    expect(faults(long)).toEqual(['a: the cell is too long']);
    expect(faults('One. [more](#a)')).toEqual(['a: the cell leads to no list']);
    expect(faults('One. [more](#b)', list)).toEqual([
      'a: the cell leads to the list of b',
      'a: no cell leads to the list',
    ]);
    expect(faults('One.', list)).toEqual(['a: no cell leads to the list']);
    expect(faults('[more](#a), and more.', list)).toEqual([
      'a: the cell does not end with its link',
      'a: no cell leads to the list',
    ]);
    expect(faults('None.', `### b\n\n${ordinary}`)).toEqual(['b: the list has no claim']);
    expect(faults('[more](#a)', list, list)).toEqual(['a: two lists']);
    const inList = (text: string) => faults('[more](#a)', `### a\n\n${text}`);
    const wrongParts = ['a: the parts of the list, or their order'];
    expect(inList(`${unusual}\n${ordinary}`)).toEqual(wrongParts);
    expect(inList(`${ordinary}\n${ordinary}`)).toEqual(wrongParts);
    expect(inList('Sometimes:\n\n- One.\n')).toEqual(wrongParts);
    expect(inList('')).toEqual(wrongParts);
    expect(inList(`${PARTS[0]}:\n`)).toEqual(wrongParts);
    expect(inList(`${ordinary}\nA text.\n`)).toEqual(wrongParts);
    expect(inList(`${PARTS[0]}:\n\n- ${long}\n`)).toEqual(['a: an exception is too long']);
  });

  test('stand in docs/claims.md as `node tools/claims` writes it', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(writtenPage());
  });

  test('control: what is wrong with a marker is found', () => {
    const proof = 'test("a", () => {});';
    const inTest = (...lines: string[]) => markersOf('test/a.test.ts', lines.join('\n'));
    const why = '// Claim a. Why: `claimKey` in src/core/encrypt-card.ts';
    const [first, ...more] = inTest(why, '// does it.', '// Control b', proof);
    expect(first).toEqual({
      kind: 'Claim',
      id: 'a',
      why: '`claimKey` in src/core/encrypt-card.ts does it.',
      title: 'a',
      path: 'test/a.test.ts',
    });
    expect(more).toMatchObject([{ kind: 'Control', id: 'b', why: '' }]);
    expect(faultsOf([first!, { ...first!, kind: 'Control' }])).toEqual([]);
    expect(faultsOf([])).toEqual(['not a reason', 'no test', 'no control']);
    expect(faultsOf([{ ...first!, why: '`nothing` in src/core/errors.ts, src/gone.ts' }])).toEqual([
      'no control',
      'src/core/errors.ts has no nothing',
      'src/gone.ts is missing',
    ]);
    expect(() => inTest('// Claim a', 'const b = 1;')).toThrow('no test follows');
    const table = "test.each([])('of %s: $b', () => {});";
    const [within] = inTest("describe('all', () => {", '// Claim a', table, '});');
    expect(within!.title).toBe('all › of …: …');
  });
});

/** In characters of Markdown: about two sentences. */
const LONGEST_EXCEPTION = 250;

/** The parts of a list in "Further exceptions", in their order. */
const PARTS = ['In an ordinary shop', 'In unusual cases', 'With scripts that interfere'];

/** What keeps a reader of SECURITY.md from finding, or reading, the exceptions of a claim. */
function faultsOfExceptions(page: string): string[] {
  const claims = claimsIn(page);
  const lists = exceptionListsIn(page);
  const ids = lists.map(({ id }) => id);
  const targetOf = (cell: string) => MORE.exec(cell)?.[1];
  const ofCell = ({ id, exceptions }: (typeof claims)[number]) => {
    const target = targetOf(exceptions);
    const isOther = target !== undefined && target !== id;
    const isAstray = target === undefined && exceptions.includes('[more]');
    return [
      ...(exceptions.length > LONGEST_EXCEPTION ? ['the cell is too long'] : []),
      ...(target === id && !ids.includes(id) ? ['the cell leads to no list'] : []),
      ...(isOther ? [`the cell leads to the list of ${target}`] : []),
      ...(isAstray ? ['the cell does not end with its link'] : []),
    ].map((fault) => `${id}: ${fault}`);
  };
  const ofList = ({ id, text }: (typeof lists)[number]) => {
    const claim = claims.find((it) => it.id === id);
    return [
      ...(claim ? [] : ['the list has no claim']),
      ...(claim && targetOf(claim.exceptions) !== id ? ['no cell leads to the list'] : []),
      ...(hasParts(text) ? [] : ['the parts of the list, or their order']),
      ...(bulletsOf(text).every((it) => it.length <= LONGEST_EXCEPTION)
        ? []
        : ['an exception is too long']),
    ].map((fault) => `${id}: ${fault}`);
  };
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `${id}: two lists`);
  return [...claims.flatMap(ofCell), ...lists.flatMap(ofList), ...twice];
}

/** Whether a list consists of one part or more, in their order, each with its bullets. */
function hasParts(list: string): boolean {
  const part = (name: string) => `(?:${name}:\\n\\n(?:- .+\\n(?: {2}.+\\n)*)+\\n?)?`;
  return list !== '' && new RegExp(`^${PARTS.map(part).join('')}$`).test(`${list}\n`);
}

/** The bullets of a list, each on one line. */
const bulletsOf = (list: string): string[] =>
  list
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice('- '.length));

/** What a reader of a claim would miss in its section of docs/claims.md. */
function faultsOf(markers: Marker[]): string[] {
  const why = markers.map((marker) => marker.why).filter(Boolean);
  const files = why.flatMap((text) => [...text.matchAll(/(?:src|demo|tools)\/[\w./-]*\.\w+/g)]);
  const names = why.flatMap((text) => [
    ...text.matchAll(/`(\w+)`(?: and `(\w+)`)? in ((?:src|demo)\/[\w./-]*\.\w+)/g),
  ]);
  return [
    ...(why.length ? [] : ['not a reason']),
    ...(markers.some(({ kind }) => kind === 'Claim') ? [] : ['no test']),
    ...(markers.some(({ kind }) => kind === 'Control') ? [] : ['no control']),
    ...names.flatMap(([, ...of]) => {
      const path = of.pop()!;
      const text = existsSync(join(root, path)) ? read(path) : '';
      const missing = of.filter((name) => name && !text.includes(name));
      return missing.map((name) => `${path} has no ${name}`);
    }),
    ...files
      .filter(([path]) => !existsSync(join(root, path)))
      .map(([path]) => `${path} is missing`),
  ];
}

/** Every page in the repository. */
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

test('no document says what would be false', () => {
  // A page with card fields stays in scope, whatever encrypts them; and script in the page reads
  // them first.
  const forbidden = [
    'pci compliant',
    'reduces you to saq a',
    'out of scope',
    'protects against xss',
  ];
  for (const path of [...documents, 'package.json']) {
    const text = read(path).toLowerCase().replaceAll(/\s+/g, ' ');
    for (const words of forbidden)
      expect({ path, says: text.includes(words) && words }).toEqual({ path, says: false });
  }
});

test('no page of docs/ is over two screens', () => {
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(40);
  const isLong = (file: string) => read(`docs/${file}`).split('\n').length > 126;
  // `node tools/claims` writes it.
  const exceptions = ['claims.md'];
  expect(pages.filter((file) => !exceptions.includes(file) && isLong(file))).toEqual([]);
});

describe('links between documents', () => {
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

  function broken(path: string, text = read(path)): string[] {
    const links = [...text.matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, target]) => target!);
    return links.filter((link) => {
      const [file = '', anchor] = link.split('#');
      const target = file ? join(dirname(path), file) : path;
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
  }

  test('point to what exists', () => {
    for (const path of documents)
      expect({ path, broken: broken(path) }).toEqual({ path, broken: [] });
  });

  test('control: a link to a missing file or heading is found', () => {
    expect(documents.length).toBeGreaterThan(15);
    const text = '[a](docs/gone.md) [b](docs/form.md#gone) [c](docs/form.md#which-way) [d](#gone)';
    expect(broken('README.md', text)).toEqual(['docs/gone.md', 'docs/form.md#gone', '#gone']);
  });

  test('comments in src/ point to pages and headings that exist', () => {
    const sources = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' });
    const links = sources
      .split('\n')
      .filter(Boolean)
      .flatMap((path) => [...read(path).matchAll(/docs\/[\w/-]+\.md(?:#[\w-]+)?/g)])
      .map(([link]) => link);
    expect(links.length).toBeGreaterThan(4);
    expect(links.flatMap((link) => broken('README.md', `[a](${link})`))).toEqual([]);
  });

  test('name only commands that exist', () => {
    const ofNpm = ['install', 'ci', 'pack', 'version'];
    const names = documents.flatMap((path) =>
      [...read(path).matchAll(/`npm (?:run |--silent )*([\w-]+)[^`]*`/g)].map(([, name]) => name!),
    );
    expect(names.length).toBeGreaterThan(30);
    for (const name of names.filter((it) => !ofNpm.includes(it)))
      expect(manifest.scripts).toHaveProperty(name);
    const tools = documents.flatMap((path) =>
      [...read(path).matchAll(/`node (tools\/[\w./-]+)[^`]*`/g)].map(([, name]) => name!),
    );
    expect(tools.length).toBeGreaterThan(5);
    const isThere = (path: string) =>
      /\.\w+$/.test(path) ? existsSync(join(root, path)) : existsSync(join(root, path, 'index.js'));
    expect(tools.filter((path) => !isThere(path))).toEqual([]);
  });
});

test('.github/CONTRIBUTING.md names only files and rooms that exist', () => {
  const guide = read('.github/CONTRIBUTING.md');
  const [, rooms] = /^\| room of `src\/` .*\n.*\n((?:\|.*\n)+)/m.exec(guide)!;
  const inRooms = rooms!.split('\n').flatMap((row) => {
    const [, of = '', , first = ''] = row.split('|');
    const places = [...of.matchAll(/`([\w/-]+)`/g)].map(([, name]) => `src/${name}`);
    const files = [...first.matchAll(/`([\w-]+\.ts)`/g)].map(([, name]) => name!);
    const isThere = (file: string) => places.some((it) => existsSync(join(root, it, file)));
    return [
      ...places.filter((it) => !existsSync(join(root, it))),
      ...files.filter((it) => !isThere(it)),
    ];
  });
  expect(inRooms).toEqual([]);
  const paths = guide.matchAll(/`((?:src|test|demo|ports|tools|examples)\/[\w./-]+)`/g);
  const named = [...paths].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('docs/pay.md and each language have every text about an outcome, and no other', () => {
  const rows = read('docs/pay.md').matchAll(/^\| `(\w+)` \| (.+) \|$/gm);
  const shown = [...rows].map(([, name, text]) => [name!, text!] as const);
  const found = shown.filter(([name, text]) => name in ENGLISH_OUTCOMES && / .*\.$/.test(text));
  expect(Object.fromEntries(found)).toEqual(ENGLISH_OUTCOMES);
  const names = [...Object.keys(ENGLISH_OUTCOMES), 'no_answer'].sort(); // the form's, in other words
  const languages = readdirSync(join(root, 'src/messages/pay'));
  expect(languages).toHaveLength(11);
  for (const language of languages) {
    const texts: Record<string, string> = JSON.parse(read(`src/messages/pay/${language}`));
    expect({ language, names: Object.keys(texts).sort() }).toEqual({ language, names });
    expect(Object.values(texts).filter((text) => text.trim() === '')).toEqual([]);
  }
});

describe('CHANGELOG.md', () => {
  const changelog = read('CHANGELOG.md');
  const isNamed = (name: string) => changelog.includes(`\`${name}\``);
  const entries = Object.keys(manifest.exports)
    .filter((entry) => entry !== './package.json')
    .map((entry) => entry.replace(/^\./, 'cardseal'));

  test('names each file and entry of the package', () => {
    expect(entries.length).toBeGreaterThan(8);
    expect(entries.filter((entry) => !isNamed(entry))).toEqual([]);
  });

  test.each(['core', 'form', 'pay', 'server', 'checkout', 'testing'])(
    'names each export of src/%s/index.ts',
    (room) => {
      const path = join(root, `src/${room}/index.ts`);
      const program = ts.createProgram([path], { noLib: true, allowImportingTsExtensions: true });
      const checker = program.getTypeChecker();
      const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!;
      const names = checker.getExportsOfModule(module).map(({ name }) => name);
      expect(names.length).toBeGreaterThan(2);
      expect(names.filter((name) => !isNamed(name))).toEqual([]);
    },
  );

  test('names each attribute and event that a page can use', () => {
    const files = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' });
    const sources = files
      .split('\n')
      .filter((path) => path.endsWith('.ts'))
      .map(read)
      .join('\n');
    const pattern = /data-cardseal(?:-[a-z]+)*|(?<=')cardseal:[a-z]+(?=')/g;
    const names = new Set([...sources.matchAll(pattern)].map(([name]) => name));
    // The library's own marks.
    for (const own of ['display', 'enabled', 'told']) names.delete(`data-cardseal-${own}`);
    expect(names.size).toBeGreaterThan(20);
    const isMissing = (name: string) => !isNamed(name) && !isNamed(`[${name}]`);
    expect([...names].filter(isMissing)).toEqual([]);
  });
});

test('README and docs/browsers.md name the oldest browsers that the built files are held to', () => {
  const { chrome, edge, firefox, safari, safari_ios } = FLOOR;
  const browsers = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari} and iOS ${safari_ios}`;
  expect(read('README.md')).toContain(browsers);
  expect(read('docs/browsers.md')).toContain(browsers);
});
