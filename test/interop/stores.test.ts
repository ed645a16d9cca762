/** The ports' stores lose nothing, whoever writes at the same time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PORTS, type Port } from './ports.ts';

async function use({ interpreter, store, folder }: Port, dsn: string, count: number) {
  const [command, ...args] = [...interpreter, store, folder, dsn, String(count)];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(status).toBe(0);
  return JSON.parse(output) as { value: string; version: number } | null;
}

function sqliteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return `sqlite:${join(folder, 'orders.sqlite')}`;
}

describe.each(PORTS)('SQLite in $name', (port) => {
  test('loses no write of four processes, and keeps what they have written', async () => {
    const dsn = sqliteFile();
    expect(await use(port, dsn, 0)).toBeNull();
    await Promise.all(Array.from({ length: 4 }, () => use(port, dsn, 25)));
    expect(await use(port, dsn, 0)).toEqual({ value: '100', version: 100 });
  });
});

test('what one port has stored, the other reads and goes on with', async () => {
  const dsn = sqliteFile();
  for (const port of [...PORTS, ...PORTS]) await use(port, dsn, 5);
  expect(await use(PORTS[0]!, dsn, 0)).toEqual({ value: '20', version: 20 });
});
