/** nginx in front of several processes of a shop, with the settings of docs/limits.md. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from './databases.ts';
import { run } from './ports.ts';

const document = readFileSync(join(import.meta.dirname, '../../docs/limits.md'), 'utf8');
const [, settings] = /```nginx\n(.*?)```/s.exec(document)!;

/** Every sender says in the header `x-test-address` from where it comes: here, all are this machine. */
export async function startNginx(port: number, addresses: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  const servers = addresses
    .map((address) => `server ${new URL(address).host} max_fails=0;`)
    .join(' ');
  const own = settings!
    .replaceAll(/server 127\.0\.0\.1:300\d max_fails=0;.*\n/g, '')
    .replace('upstream shop {', `upstream shop { ${servers}`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '')
    .replace('$proxy_add_x_forwarded_for', '$http_x_test_address');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/errors;
    events {} http { access_log off; ${paths.join(' ')} ${own} }`,
  );
  const server = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'errors')], {
    stdio: 'inherit',
  });
  const address = `http://127.0.0.1:${port}`;
  await waitUntil(() => run(['curl', '-s', '-o', '/dev/null', address]));
  return {
    address,
    async stop() {
      server.kill('SIGTERM'); // so that it ends its workers
      await new Promise((resolve) => server.once('exit', resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
