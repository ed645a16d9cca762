/**
 * Run by `npm run interop`: installs the programs in other languages that are missing, on Debian as
 * root; elsewhere it says what is missing. Installs the databases' drivers and other runtimes from
 * npm, too: they are for these tests only.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's packages, each with a command that succeeds if a version that will do is there. */
const PROBES: Record<string, string[]> = {
  openssl: ['openssl', 'version'],
  // Runs a source file, which only the development kit can. `HexFormat` came with 17.
  'default-jdk-headless': ['javac', '--release', '17', '--version'],
  'php-cli': ['php', '-r', 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);'],
  'php-sqlite3': ['php', '-r', "exit(in_array('sqlite', PDO::getAvailableDrivers()) ? 0 : 1);"],
  'php-pgsql': ['php', '-r', "exit(in_array('pgsql', PDO::getAvailableDrivers()) ? 0 : 1);"],
  postgresql: ['ls', '/usr/lib/postgresql'],
  pgbouncer: ['pgbouncer', '--version'],
  'mariadb-server': ['mariadbd', '--version'],
  curl: ['curl', '--version'],
  'redis-server': ['redis-server', '--version'],
  'php-mysql': ['php', '-r', "exit(in_array('mysql', PDO::getAvailableDrivers()) ? 0 : 1);"],
  'php-curl': ['php', '-r', "exit(extension_loaded('curl') ? 0 : 1);"],
  'php-fpm': ['sh', '-c', 'ls /usr/sbin/php-fpm*'],
  phpunit: ['phpunit', '--version'],
  composer: ['composer', '--version'],
  nginx: ['nginx', '-v'],
  // Debian's packages are for Debian's Python, whichever comes first in PATH.
  ...Object.fromEntries(
    ['gunicorn', 'uvicorn', 'flask', 'django', 'fastapi', 'psycopg', 'pymysql', 'pytest'].map(
      (name) => [`python3-${name}`, ['/usr/bin/python3', '-c', `import ${name}`]],
    ),
  ),
  mypy: ['mypy', '--version'],
  'python3-psycopg2': ['/usr/bin/python3', '-c', 'import psycopg2'],
  python3: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
  'python3-cryptography': ['python3', '-c', 'import cryptography'],
};

const missing = () =>
  Object.keys(PROBES).filter((name) => {
    const [command, ...args] = PROBES[name]!;
    return spawnSync(command!, args).status !== 0;
  });

function aptGet(...args: string[]) {
  console.log(`Installing missing programs: apt-get ${args.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: 'inherit',
    env,
  });
}

const hasAptGet = spawnSync('apt-get', ['--version']).status === 0;
if (missing().length && process.getuid?.() === 0 && hasAptGet) {
  aptGet('update', '-qq');
  aptGet('install', '-yqq', '--no-install-recommends', ...missing());
}
if (missing().length) {
  console.error(`Missing. On Debian, as root: apt-get install ${missing().join(' ')}`);
  console.error('The python3 that comes first in PATH must be the one that has cryptography.');
  process.exitCode = 1;
}

const INTEROP = join(import.meta.dirname, '../../test/interop');
for (const folder of ['drivers', 'runtimes']) installPackages(join(INTEROP, folder));

/** `npm ci`, if the lock file has changed since the last time. */
function installPackages(folder: string) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(folder, 'node_modules/installed.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.log(`Installing the packages of ${folder} (npm ci) ...`);
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'development' },
  });
  if (status === 0) writeFileSync(installed, lock);
  else process.exitCode = 1;
}
