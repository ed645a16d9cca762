/** What the documents point to exists, their tables are those of the code, and none says what would be false. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { FLOOR } from '../tools/support/compatibility.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const security = read('SECURITY.md');
const manifest = JSON.parse(read('package.json'));

/** The rows below "## Claims": claim, what proves it, what shows that the proof can fail. */
const claims = security
  .slice(security.indexOf('## Claims'), security.indexOf('### Mutation testing'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| claim'))
  .map(
    (line) =>
      line.split('|').map((cell) => cell.trim()) as [string, string, string, string, string],
  );

/** What is wrong with a cell that should point to tests. A link to a test has the test's title for its text. */
function faults(cell: string): string[] {
  const links = [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title, path]) => ({
    title: title!,
    path: path!,
  }));
  if (links.length === 0) return ['points to nothing'];
  return links.flatMap(({ title, path }) => {
    if (!existsSync(join(root, path))) return [`${path} is missing`];
    return path.endsWith('.test.ts') && !read(path).replaceAll("\\'", "'").includes(title)
      ? [`${path} has no test '${title}'`]
      : [];
  });
}

describe('SECURITY.md', () => {
  test.each(claims)('%s %s', (_, claim, proof, control) => {
    expect(claim.length).toBeGreaterThan(20);
    expect([...faults(proof), ...faults(control)]).toEqual([]);
  });

  test('control: a claim without a test, with a test that is not there, or in a file that is not there is found', () => {
    expect(claims.length).toBeGreaterThan(20);
    expect(faults('trust us')).not.toEqual([]);
    expect(faults('[the core is nice](test/core/errors.test.ts)')).not.toEqual([]);
    expect(faults('[the core touches](test/browser/gone.test.ts)')).not.toEqual([]);
  });

  test('names only commands that there are', () => {
    const named = [...security.matchAll(/`npm (?:run )?([\w-]+)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(manifest.scripts).toHaveProperty(name!);
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

  test.each(documents)('%s points to what exists', (path) => {
    expect(broken(path)).toEqual([]);
  });

  test('control: a link to a missing file or heading is found', () => {
    expect(documents.length).toBeGreaterThan(15);
    const text = '[a](docs/gone.md) [b](docs/form.md#gone) [c](docs/form.md#fields) [d](#gone)';
    expect(broken('README.md', text)).toEqual(['docs/gone.md', 'docs/form.md#gone', '#gone']);
  });

  test.each(documents)('%s names only commands that exist', (path) => {
    const names = [...read(path).matchAll(/`npm (?:run |--silent )*([\w-]+)[^`]*`/g)].map(
      ([, name]) => name!,
    );
    const ofNpm = ['install', 'ci', 'pack', 'version'];
    for (const name of names.filter((it) => !ofNpm.includes(it))) {
      expect(manifest.scripts).toHaveProperty(name);
    }
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
    // The library sets them.
    for (const own of ['data-cardseal-line', 'data-cardseal-enabled']) used.delete(own);
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
      expect(documented).toHaveLength(14);
    },
  );
});

test('README and docs/browsers.md name the oldest browsers that the built files are held to', () => {
  const { chrome, edge, firefox, safari, safari_ios } = FLOOR;
  const browsers = `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari} and iOS ${safari_ios}`;
  expect(read('README.md')).toContain(browsers);
  expect(read('docs/browsers.md')).toContain(browsers);
});
