/** SECURITY.md points to tests: they are there. And no document says what would be false. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const security = read('SECURITY.md');
const manifest = JSON.parse(read('package.json'));

/** The rows below "## Claims": claim, what proves it, what shows that the proof can fail. */
const claims = security
  .slice(security.indexOf('## Claims'), security.indexOf('### Mutation testing'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| claim'))
  .map((line) => line.split('|').map((cell) => cell.trim()) as [string, string, string, string, string]);

/** What is wrong with a cell that should point to tests. A link to a test has the test's title for its text. */
function faults(cell: string): string[] {
  const links = [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, title, path]) => ({ title: title!, path: path! }));
  if (links.length === 0) return ['points to nothing'];
  return links.flatMap(({ title, path }) => {
    if (!existsSync(join(root, path))) return [`${path} is missing`];
    return path.endsWith('.test.ts') && !read(path).replaceAll("\\'", "'").includes(title) ? [`${path} has no test '${title}'`] : [];
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
    expect(faults('[the core is nice](test/browser/core-errors.test.ts)')).not.toEqual([]);
    expect(faults('[the core touches](test/browser/gone.test.ts)')).not.toEqual([]);
  });

  test('names only commands that there are', () => {
    const named = [...security.matchAll(/`npm (?:run )?([\w-]+)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(manifest.scripts).toHaveProperty(name!);
  });
});

test('no document says what would be false', () => {
  // A page with card fields stays in scope, whatever encrypts them; and script in the page reads them first.
  const forbidden = ['pci compliant', 'reduces you to saq a', 'out of scope', 'protects against xss'];
  for (const path of ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'demo/README.md', 'test/vectors/README.md', 'package.json']) {
    const text = read(path).toLowerCase().replaceAll(/\s+/g, ' ');
    for (const words of forbidden) expect({ path, says: text.includes(words) && words }).toEqual({ path, says: false });
  }
});
