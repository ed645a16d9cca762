/** What the documents point to exists, their tables are those of the code, and none says what would be false. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { FLOOR } from '../support/compatibility.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const security = read('SECURITY.md');
const manifest = JSON.parse(read('package.json'));

/** A section below "## Claims": what holds, why, what proves it, and what shows that the proof can fail. */
interface Claim {
  claim: string;
  why: string[];
  tests: string[];
  controls: string[];
}

/** What vitest replaces in the title of a table's test. Readers of SECURITY.md read `…` there. */
const PLACEHOLDER = /%[a-z]|\$\w+/;

/** Whether a test file has a test of that title. */
function hasTest(file: string, title: string): boolean {
  const parts = title.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join(`(?:${PLACEHOLDER.source})`)).test(file);
}

/** What is wrong with the links of a line. A link to a test has the test's title for its text. */
function faults(line: string): string[] {
  const links = [...line.matchAll(/\[([^\]]+)\]\(([^)#]+)[^)]*\)/g)].map(([, title, path]) => ({
    title: title!,
    path: path!,
  }));
  if (links.length === 0) return [`'${line}' points to nothing`];
  return links.flatMap(({ title, path }) => {
    if (!existsSync(join(root, path))) return [`${path} is missing`];
    if (!path.endsWith('.test.ts')) return [];
    if (PLACEHOLDER.test(title)) return [`nobody reads '${title}' in a report`];
    const file = read(path).replaceAll("\\'", "'");
    return hasTest(file, title) ? [] : [`${path} has no test '${title}'`];
  });
}

function claimOf(section: string): Claim {
  const lines = section.split('\n');
  const linesOf = (kind: string) =>
    lines.filter((line) => line.startsWith(`- ${kind}: `)).map((line) => line.slice(2));
  return {
    claim: lines[0]!,
    why: linesOf('Why'),
    tests: linesOf('Test'),
    controls: linesOf('Control'),
  };
}

const claimsIn = (text: string): Claim[] => {
  const [, ...sections] = text
    .slice(text.indexOf('## Claims'), text.indexOf('### Mutation testing'))
    .split(/^#### /m);
  return sections.map(claimOf);
};

/** What a reader of the claim would miss. */
function faultsOf({ why, tests, controls }: Claim): string[] {
  return [
    ...(why.length === 1 ? [] : ['not one reason']),
    ...(tests.length > 0 ? [] : ['no test']),
    ...(controls.length > 0 ? [] : ['no control']),
    ...[...why, ...tests, ...controls].flatMap(faults),
  ];
}

const claims = claimsIn(security);

describe('SECURITY.md', () => {
  test.each(claims)('$claim', (claim) => {
    expect(claim.claim.length).toBeGreaterThan(15);
    expect(faultsOf(claim)).toEqual([]);
  });

  test('has its claims in sections of one shape, and no line of a claim outside of them', () => {
    expect(claims.length).toBeGreaterThan(20);
    const found = claims.flatMap(({ why, tests, controls }) => [...why, ...tests, ...controls]);
    expect([...security.matchAll(/^- (?:Why|Test|Control): /gm)]).toHaveLength(found.length);
  });

  test('control: a claim without a reason, a test or a control is found, and each link that is wrong', () => {
    const why = '- Why: [errors.ts](src/core/errors.ts)';
    const proof =
      '- Test: [a when() that … counts as a card payment](test/form/other-ways-to-pay.test.ts)';
    const control = '- Control: [run.ts](test/vectors/interop/run.ts)';
    const faultsIn = (...lines: string[]) =>
      faultsOf(claimOf(['The core is nice', ...lines].join('\n')));
    expect(faultsIn(why, proof, control)).toEqual([]);
    expect(faultsIn()).toEqual(['not one reason', 'no test', 'no control']);
    expect(faultsIn(why, proof, '- Control: trust us')).toEqual([
      "'Control: trust us' points to nothing",
    ]);
    expect(faultsIn('- Why: [a](src/gone.ts)', proof, control)).toEqual(['src/gone.ts is missing']);
    expect(faultsIn(why, proof.replace('counts as ', ''), control)).toHaveLength(1);
    expect(faultsIn(why, proof.replace('…', '%s'), control)).toHaveLength(1);
  });
});

/** Every page in the repository. */
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

test('no document says what would be false', () => {
  // A page with card fields stays in scope, whatever encrypts them; and script in the page reads them first.
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

describe('links between documents', () => {
  /** As GitHub makes them. */
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

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
    const text = '[a](docs/gone.md) [b](docs/form.md#gone) [c](docs/form.md#fields) [d](#gone)';
    expect(broken('README.md', text)).toEqual(['docs/gone.md', 'docs/form.md#gone', '#gone']);
  });

  test('comments in src/ point to pages and headings that exist', () => {
    const sources = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' });
    const links = sources
      .split('\n')
      .filter(Boolean)
      .flatMap((path) => [...read(path).matchAll(/docs\/[\w-]+\.md(?:#[\w-]+)?/g)])
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

describe('tables of names', () => {
  /** The names in the first cells of the table rows below a heading. */
  const namesIn = (path: string, heading: string) => {
    const text = read(path);
    const start = text.indexOf(`\n${heading}\n`);
    const end = text.indexOf('\n## ', start + 1);
    const rows = text
      .slice(start, end)
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    return rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`([\w-]+)(?:\(\))?`/g)].map(([, name]) => name!),
    );
  };

  test('docs/script-tag.md has every attribute that the code reads, and no other', () => {
    const files = execFileSync('git', ['ls-files', 'src/form', 'src/script-tag/index.ts'], {
      cwd: root,
      encoding: 'utf8',
    });
    const sources = files.split('\n').filter(Boolean).map(read).join('\n');
    const used = new Set([...sources.matchAll(/data-cardseal(?:-[a-z]+)*/g)].map(([name]) => name));
    // The library sets these.
    for (const own of ['line', 'left', 'enabled']) used.delete(`data-cardseal-${own}`);
    expect(namesIn('docs/script-tag.md', '## Attributes').sort()).toEqual([...used].sort());
  });

  test.each(['CardFormOptions', 'CardFormBinding'])(
    'docs/form.md has every member of %s',
    (type) => {
      const path = 'src/form/options.ts';
      const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
      const declared = file.statements
        .filter(ts.isInterfaceDeclaration)
        .find(({ name }) => name.text === type)!;
      const members = declared.members.map(({ name }) => name!.getText());
      const documented = namesIn('docs/form.md', '## Options');
      expect(members.length).toBeGreaterThan(3);
      expect(documented).toEqual(expect.arrayContaining(members));
      expect(documented).toHaveLength(16);
    },
  );
});

test('README and docs/browsers.md name the oldest browsers that the built files are held to', () => {
  const { chrome, edge, firefox, safari, safari_ios } = FLOOR;
  const browsers = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari} and iOS ${safari_ios}`;
  expect(read('README.md')).toContain(browsers);
  expect(read('docs/browsers.md')).toContain(browsers);
});
