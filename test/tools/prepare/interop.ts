/**
 * Run by `npm run interop`: installs the programs in other languages that are missing, on Debian as
 * root; elsewhere it says what is missing.
 */
import { spawnSync } from 'node:child_process';

interface Program {
  name: string;
  /** Succeeds if the program is there, in a version that will do. */
  probe: string[];
  debianPackage: string;
}

const PROGRAMS: Program[] = [
  { name: 'openssl', probe: ['openssl', 'version'], debianPackage: 'openssl' },
  // Runs a source file, which only the development kit can. `HexFormat` came with 17.
  {
    name: 'Java 17 or later (JDK)',
    probe: ['javac', '--release', '17', '--version'],
    debianPackage: 'default-jdk-headless',
  },
  {
    name: 'PHP 8.0 or later',
    probe: ['php', '-r', 'exit(PHP_VERSION_ID < 80000 ? 1 : 0);'],
    debianPackage: 'php-cli',
  },
  {
    name: 'SQLite for PHP',
    probe: ['php', '-r', "exit(in_array('sqlite', PDO::getAvailableDrivers()) ? 0 : 1);"],
    debianPackage: 'php-sqlite3',
  },
  {
    name: 'PostgreSQL for PHP',
    probe: ['php', '-r', "exit(in_array('pgsql', PDO::getAvailableDrivers()) ? 0 : 1);"],
    debianPackage: 'php-pgsql',
  },
  { name: 'PostgreSQL', probe: ['ls', '/usr/lib/postgresql'], debianPackage: 'postgresql' },
  {
    name: "PostgreSQL for Debian's Python",
    probe: ['/usr/bin/python3', '-c', 'import psycopg2'],
    debianPackage: 'python3-psycopg2',
  },
  {
    name: 'Python 3.8 or later',
    probe: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))'],
    debianPackage: 'python3',
  },
  {
    name: "Python's cryptography",
    probe: ['python3', '-c', 'import cryptography'],
    debianPackage: 'python3-cryptography',
  },
];

const isThere = ({ probe: [command, ...args] }: Program) => spawnSync(command!, args).status === 0;
const missing = () => PROGRAMS.filter((program) => !isThere(program));
const packages = () => missing().map(({ debianPackage }) => debianPackage);

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
  aptGet('install', '-yqq', '--no-install-recommends', ...packages());
}
if (missing().length) {
  console.error(
    `Missing: ${missing()
      .map(({ name }) => name)
      .join(', ')}.`,
  );
  console.error(`On Debian, as root: apt-get install ${packages().join(' ')}`);
  if (packages().includes('python3-cryptography') && !packages().includes('python3')) {
    console.error('The python3 that comes first in PATH must be the one that has cryptography.');
  }
  process.exitCode = 1;
}
