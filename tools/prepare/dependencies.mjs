/** Installs the development dependencies if they are missing or older than the lock file. Runs before anything is installed: plain Node. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  try {
    const { packages } = JSON.parse(readFileSync(join(root, lockFile), 'utf8'));
    return new Map(
      Object.entries(packages).map(([path, { version, optional }]) => [
        path,
        { version, optional },
      ]),
    );
  } catch {
    return new Map();
  }
}

const installed = packages('node_modules/.package-lock.json');
const upToDate = [...packages('package-lock.json')].every(
  ([path, { version, optional }]) =>
    path === '' || (installed.get(path)?.version ?? (optional && version)) === version,
);
if (!upToDate || installed.size === 0) {
  console.log('Installing the development dependencies (npm ci) ...');
  const npm = process.env.npm_execpath; // npm itself tells its scripts where it is
  const ci = ['ci', '--include=dev']; // also where NODE_ENV is production
  const [command, args] = npm ? [process.execPath, [npm, ...ci]] : ['npm', ci];
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    console.error('npm ci failed: see above. It needs the network once.');
    process.exit(1);
  }
}
