/** MariaDB in a folder of its own, with a socket there and nowhere else. */
import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, waitUntil } from './databases.ts';
import { run } from './ports.ts';

export async function startMariadb(options: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'mariadb-'));
  const isRoot = process.getuid!() === 0;
  if (isRoot) {
    const [uid, gid] = ['-u', '-g'].map((part) => Number(run(['id', part, 'mysql'])));
    chownSync(folder, uid!, gid!);
  }
  const user = isRoot ? ['--user=mysql'] : [];
  const data = `--datadir=${join(folder, 'data')}`;
  const install = ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db'];
  run(['mariadb-install-db', ...install, ...user, data]);
  const socketPath = join(folder, 'socket');
  const query = (statements: string, database = 'mysql') =>
    run(['mariadb', '--no-defaults', '-u', 'root', '-S', socketPath, database], statements);

  const start = async () => {
    const args = ['--no-defaults', ...user, data, `--socket=${socketPath}`, '--skip-networking'];
    const small = ['--innodb-buffer-pool-size=32M', '--performance-schema=OFF'];
    const server = spawn('mariadbd', [...args, ...small, ...options], { stdio: 'ignore' });
    await waitUntil(() => query('SELECT 1'));
    return server;
  };
  let server = await start();
  return {
    /** Creates a database with these tables. Returns the options of mysql2. */
    create(database: string, statements: string) {
      query(`CREATE DATABASE ${database}`);
      query(statements, database);
      return { socketPath, user: 'root', database };
    },
    query,
    socketPath,
    /** As after a crash: every connection is cut. */
    async restart() {
      await end(server);
      server = await start();
    },
    get pid() {
      return server.pid!;
    },
    async stop() {
      await end(server);
      rmSync(folder, { recursive: true });
    },
  };
}
