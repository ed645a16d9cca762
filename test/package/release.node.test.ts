/** How a release is made: what the workflows may do, and what is in the package. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

interface Workflow {
  permissions: object;
  jobs: Record<
    string,
    {
      permissions: Record<string, string>;
      needs?: string | string[];
      steps: { uses?: string; run?: string; with?: Record<string, string> }[];
    }
  >;
}
const workflows = readdirSync(join(root, '.github/workflows')).map(
  (name) => [name, read(`.github/workflows/${name}`)] as const,
);

/** What is wrong with a workflow. */
function faults(text: string): string[] {
  const { permissions, jobs }: Workflow = parse(text);
  const found: string[] = [];
  if (JSON.stringify(permissions) !== '{}') found.push('its jobs do not start from no permission');
  for (const [name, job] of Object.entries(jobs)) {
    if (!job.permissions) found.push(`${name} names no permissions`);
    const writes = Object.values(job.permissions ?? {}).some((value) => value !== 'read');
    for (const { uses, run } of job.steps) {
      if (uses && !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))
        found.push(`${name} does not pin ${uses} by its commit`);
      if (writes && uses?.startsWith('actions/checkout@'))
        found.push(`${name} may write and checks the repository out`);
      if (writes && run && /npm (ci|install|run|test|exec)|npx|node /.test(run))
        found.push(`${name} may write and runs code: ${run}`);
      if (run && /npm ci(?! --ignore-scripts)/.test(run))
        found.push(`${name} runs install scripts`);
      if (run?.includes('${{')) found.push(`${name} pastes an expression into a script: ${run}`);
    }
  }
  for (const [, version] of text.matchAll(/uses: .*@[0-9a-f]{40}(.*)/g))
    if (!/^ # v\d+\.\d+\.\d+$/.test(version!)) found.push('a pin without its version');
  return found;
}

describe.each(workflows)('%s', (_, text) => {
  // Claim reproducible
  test('pins actions by commit, and gives no right to a job that runs code', () => {
    expect(faults(text)).toEqual([]);
  });

  // Control reproducible
  test.each<[string, (text: string) => string]>([
    ['a tag instead of a commit', (text) => text.replace(/@[0-9a-f]{40} # /, '@')],
    [
      'permissions that are not named',
      (text) => text.replace(/^permissions:.*$/m, 'permissions: write-all'),
    ],
    [
      'a right to write where code runs',
      (text) => text.replace('contents: read', 'contents: write'),
    ],
    ['install scripts', (text) => text.replace('npm ci --ignore-scripts', 'npm ci')],
  ])('control: %s is found', (_, breakIt) => {
    expect(breakIt(text)).not.toBe(text);
    expect(faults(breakIt(text))).not.toEqual([]);
  });
});

describe('release.yml', () => {
  const { jobs }: Workflow = parse(read('.github/workflows/release.yml'));
  const scripts = (name: string) => jobs[name]!.steps.map(({ run }) => run ?? '').join('\n');

  test('packs in one job alone', () => {
    expect(Object.keys(jobs).filter((name) => scripts(name).includes('npm pack'))).toEqual([
      'pack',
    ]);
  });

  // Claim reproducible
  test('tests and publishes the tarball of that hash, with provenance, after another machine has made it again', () => {
    expect(jobs.publish!.needs).toEqual(['pack', 'reproduce', 'test', 'evidence']);
    for (const name of ['test', 'publish'])
      expect(scripts(name)).toContain('echo "$SHA256  release/cardseal.tgz" | sha256sum --check');
    expect(scripts('test')).toContain('tar -xzf release/cardseal.tgz');
    expect(scripts('publish')).toMatch(/npm publish \.\/release\/cardseal\.tgz --provenance/);
    expect(jobs.publish!.permissions).toEqual({ 'id-token': 'write' });
  });

  test('does the same with the sandbox', () => {
    expect(jobs['publish-sandbox']!.needs).toEqual(['pack', 'reproduce', 'test', 'evidence']);
    expect(scripts('test')).toContain(
      'echo "$SANDBOX_SHA256  release/cardseal-sandbox.tgz" | sha256sum --check',
    );
    const published = scripts('publish-sandbox');
    expect(published).toContain('echo "$SHA256  release/cardseal-sandbox.tgz" | sha256sum --check');
    expect(published).toMatch(/npm publish \.\/release\/cardseal-sandbox\.tgz --provenance/);
    expect(jobs['publish-sandbox']!.permissions).toEqual({ 'id-token': 'write' });
    expect(scripts('reproduce')).toContain('"^$SANDBOX_SHA256  cardseal-sandbox-[0-9]"');
  });

  test('attaches each file that is copied by those who have no npm', () => {
    const script = scripts('announce');
    expect(script).toMatch(/sha256sum --check\ntar -xzf release\/cardseal\.tgz/);
    const isAttest = ({ uses }: { uses?: string }) => uses?.startsWith('actions/attest-');
    const attested = jobs.announce!.steps.find(isAttest)!.with!['subject-path']!.trim().split('\n');
    const { exports } = JSON.parse(read('package.json'));
    const files = Object.keys(exports).filter((name) => name.startsWith('./cardseal.'));
    expect(files).toHaveLength(3);
    for (const [, file] of files.map((name) => name.split('/'))) {
      expect(script).toContain(` package/dist/${file}`);
    }
    for (const file of [...files.map((name) => name.slice(2)), 'cardseal.php', 'cardseal.py']) {
      expect(script).toContain(` release/${file}`);
      expect(attested).toContain(`release/${file}`);
    }
  });

  test('runs what takes too long for npm test', () => {
    const { strategy } = jobs.evidence as { strategy?: { matrix: { command: string[] } } };
    const commands = ['interop', 'old-browsers', 'recorders', 'shops', 'stacks'];
    expect(strategy!.matrix.command).toEqual(commands);
    const { scripts: known } = JSON.parse(read('package.json'));
    for (const command of commands) expect(known).toHaveProperty([command]);
    expect(scripts('evidence')).toContain('npm run "$COMMAND"');
  });
});

test('what takes too long for each change runs every week: all that a release runs, and the mutants', () => {
  const { on, jobs } = parse(read('.github/workflows/weekly.yml'));
  expect(on).toHaveProperty('schedule');
  const { evidence } = parse(read('.github/workflows/release.yml')).jobs;
  expect(jobs.evidence.strategy).toEqual(evidence.strategy);
  expect(jobs.evidence.steps.at(-1)).toEqual(evidence.steps.at(-1));
  expect(jobs.mutate.steps.at(-1).run).toBe('node tools/mutation "$PART"');
});

const CYCLONEDX = ['--sbom-format', 'cyclonedx', '--package-lock-only'];

// Control no-dependencies
test('the SBOM of what is published names no component; that of the tools names many', () => {
  expect(
    JSON.parse(npm('sbom', ...CYCLONEDX, '--sbom-type', 'library', '--omit', 'dev')),
  ).toMatchObject({
    bomFormat: 'CycloneDX',
    components: [],
  });
  const tools = JSON.parse(npm('sbom', ...CYCLONEDX));
  expect(tools.components.length).toBeGreaterThan(100);
});
