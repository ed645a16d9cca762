/** PostgreSQL in a folder of its own, with a socket there and nowhere else. */
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './ports.ts';

/** Where Debian has the programs of each version. */
const VERSIONS = '/usr/lib/postgresql';

export function startPostgres() {
  const version = readdirSync(VERSIONS).sort().at(-1)!;
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid!() === 0;
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((part) => Number(run(['id', part, 'postgres'])));
    chownSync(folder, uid!, gid!);
  }
  const program = (name: string, ...args: string[]) => {
    const as = isRoot ? ['runuser', '-u', 'postgres', '--'] : [];
    return run([...as, join(VERSIONS, version, 'bin', name), '-D', data, ...args]);
  };
  program('initdb', '--auth=trust', '--username=postgres', '--no-sync');
  const log = join(folder, 'log');
  const start = () =>
    program('pg_ctl', '-w', '-s', '-l', log, '-o', `-k ${folder} -c listen_addresses=`, 'start');
  /** As after a crash: every connection is cut. */
  const crash = () => program('pg_ctl', '-w', '-s', '-m', 'immediate', 'stop');
  start();
  return {
    /** In the forms of libpq and of PDO. */
    dsn: `host=${folder} user=postgres dbname=postgres`,
    pdoDsn: `pgsql:host=${folder};user=postgres;dbname=postgres`,
    /** For the package `pg`. */
    environment: { PGHOST: folder, PGUSER: 'postgres', PGDATABASE: 'postgres' },
    restart() {
      crash();
      start();
    },
    stop() {
      crash();
      rmSync(folder, { recursive: true });
    },
  };
}
