/**
 * Installs packages that are missing or older than their lock file: the root's, and those of folders
 * that have a package.json of their own. `dependencies.mjs` takes the folders that the tests need,
 * `dependencies.mjs tools/bench` the root and that one, `dependencies.mjs .` the root alone. Runs
 * before anything is installed: plain Node.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm test` needs beside the root's packages. */
const TESTED = ['test/documents/jest', 'test/package/tools', 'test/shops', 'tools/bench'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);
if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24)) {
  console.error(
    `Cardseal's demo and tests need Node 20.19, 22.12, 24 or later; this is ${process.version}.`,
  );
  process.exit(1);
}

/** What npm installed, or was told to install: name and version of each package. */
function packages(lockFile) {
  if (!existsSync(lockFile)) return new Map();
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'));
  return new Map(
    Object.entries(packages).map(([path, { version, optional }]) => [path, { version, optional }]),
  );
}

function isUpToDate(folder) {
  const installed = packages(join(folder, 'node_modules/.package-lock.json'));
  const wanted = [...packages(join(folder, 'package-lock.json'))];
  if (installed.size === 0) return false;
  return wanted.every(
    ([path, { version, optional }]) =>
      path === '' || (installed.get(path)?.version ?? (optional && version)) === version,
  );
}

/** Resolves to whether it went well. */
function install(folder) {
  console.log(`Installing packages (npm ci) in ${folder || 'the root'} ...`);
  const npm = process.env.npm_execpath; // npm itself tells its scripts where it is
  // Also where NODE_ENV is production. Nothing that is installed runs a script of its own.
  const ci = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  const [command, args] = npm ? [process.execPath, [npm, ...ci]] : ['npm', ci];
  const child = spawn(command, args, { cwd: join(root, folder), stdio: 'inherit' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (status) => resolve(status === 0));
  });
}

const named = process.argv.slice(2);
const others = named.length ? named.filter((folder) => folder !== '.') : TESTED;
const folders = ['', ...others];
const stale = folders.filter((folder) => !isUpToDate(join(root, folder)));
const wentWell = await Promise.all(stale.map(install));
if (wentWell.includes(false)) {
  console.error('npm ci failed: see above. It needs the network once.');
  process.exit(1);
}
