/** What the databases of these tests have in common, and the two that need few lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './ports.ts';

/** Ends a program as a crash would. */
export async function end(program: ChildProcess): Promise<void> {
  const isOver = once(program, 'exit');
  program.kill('SIGKILL');
  await isOver;
}

/** Until `attempt` does not throw: a server has started. */
export async function waitUntil(attempt: () => unknown): Promise<void> {
  const limit = Date.now() + 60_000;
  for (;;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (Date.now() > limit) throw error;
      await sleep(100);
    }
  }
}

/** Redis in a folder of its own. Without options: as it is installed. */
export async function startRedis(options: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const socket = join(folder, 'socket');
  const start = async () => {
    const args = ['--port', '0', '--unixsocket', socket, '--dir', folder, ...options];
    const server = spawn('redis-server', args, { stdio: 'ignore' });
    await waitUntil(() => run(['redis-cli', '-s', socket, 'ping']));
    return server;
  };
  let server = await start();
  return {
    socket,
    async restart() {
      await end(server);
      server = await start();
    },
    async stop() {
      await end(server);
      rmSync(folder, { recursive: true });
    },
  };
}

/** PgBouncer in transaction mode, in front of PostgreSQL: its socket is in the folder `host`. */
export async function startPgBouncer(postgres: { host: string; user: string; database: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o777);
  const { host, user, database } = postgres;
  const settings = [
    '[databases]',
    `* = host=${host} user=${user}`,
    '[pgbouncer]',
    `unix_socket_dir = ${folder}`,
    'listen_addr =',
    'listen_port = 6432',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'server_login_retry = 1', // seconds to wait before it connects to a lost database again
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings.join('\n'));
  // It refuses to run as root.
  const as = process.getuid!() === 0 ? ['-u', 'postgres'] : [];
  const server = spawn('pgbouncer', [...as, file], { stdio: 'ignore' });
  const address = { host: folder, port: 6432, user, database };
  const probe = ['psql', '-h', folder, '-p', '6432', '-U', user, database, '-c', 'SELECT 1'];
  await waitUntil(() => run(probe));
  return {
    address,
    async stop() {
      await end(server);
      rmSync(folder, { recursive: true });
    },
  };
}
