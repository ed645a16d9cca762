/**
 * `node tools/release/reproduce.mjs`: builds and packs the committed state twice, each time from a clean clone with its own dependencies, in another folder,
 * time zone and locale. The built files and the package must be the same to the byte. Prints the hashes, to hold against a release.
 */
// Claim reproducible. Why: The build writes no time and no path: tsup.config.ts.
// .github/workflows/release.yml compares the hashes of two machines.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '../..');
const WAYS = [
  { folder: 'a', TZ: 'UTC', LC_ALL: 'C' },
  { folder: 'a much longer path/of another depth', TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8' },
];

const root = mkdtempSync(join(tmpdir(), 'reproduce-'));
try {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
    cwd: repository,
    encoding: 'utf8',
  }).trim();
  if (execFileSync('git', ['status', '--porcelain'], { cwd: repository, encoding: 'utf8' })) {
    console.log('There are uncommitted changes: they are left out.');
  }
  const [one, other] = WAYS.map((way) => hashes({ ...way, commit }));
  const names = [...new Set([...one!.keys(), ...other!.keys()])].sort();
  const different = names.filter((name) => one!.get(name) !== other!.get(name));

  for (const name of names)
    console.log(`${different.includes(name) ? 'DIFFERENT' : one!.get(name)}  ${name}`);
  if (!names.some((name) => name.endsWith('.tgz'))) throw new Error('nothing was packed');
  if (different.length) throw new Error(`${different.length} of ${names.length} files differ`);
  console.log(
    `${names.length} files of commit ${commit}, built twice with Node ${process.version}: all the same`,
  );
} catch (reason) {
  console.error(`Not reproduced: ${(reason as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** SHA-256 of every built file of the library, and of both packages. */
function hashes({
  folder,
  commit,
  ...variables
}: (typeof WAYS)[number] & { commit: string }): Map<string, string> {
  const clone = join(root, folder);
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', '--no-checkout', repository, clone]);
  const commands = [
    'umask 022', // npm packs files with the modes that they have: a stricter umask must not show
    `git checkout --quiet ${commit}`,
    'npm ci --silent --prefer-offline',
    'npm run --silent build',
    'npm pack --silent',
    'npx --no-install tsx demo/service/build.ts',
    'npm pack --silent --ignore-scripts ./demo/service/dist',
  ];
  const script = commands.join(' && ');
  const { status, stderr } = spawnSync('sh', ['-c', script], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, ...variables },
  });
  if (status !== 0) throw new Error(`the build in '${folder}' failed\n${stderr}`);
  if (!existsSync(join(clone, 'dist'))) throw new Error('nothing was built');

  const built = readdirSync(join(clone, 'dist'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  const files = built.map(({ parentPath, name }) => join(parentPath, name));
  files.push(
    ...readdirSync(clone)
      .filter((name) => name.endsWith('.tgz'))
      .map((name) => join(clone, name)),
  );
  return new Map(
    files.map((file) => [
      file.slice(clone.length + 1),
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    ]),
  );
}
