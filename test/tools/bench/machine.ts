/** What the numbers of a run depend on. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

export interface Machine {
  cpu: string;
  cores: number;
  memoryGiB: number;
  system: string;
  node: string;
  openssl: string;
  /** Microseconds of OpenSSL's bare RSA public-key operation, by bits of the key. */
  rsaMicroseconds: Record<number, number>;
}

export function describeMachine(): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu!.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    openssl: execFileSync('openssl', ['version'], { encoding: 'utf8' }).split(' ')[1]!,
    rsaMicroseconds: opensslSpeed([2048, 3072, 4096]),
  };
}

/** How many processes wanted to run in the last minute. */
export const load = () => Math.round(loadavg()[0]! * 100) / 100;

function opensslSpeed(bits: number[]): Record<number, number> {
  const args = ['speed', '-mr', '-seconds', '1', ...bits.map((n) => `rsa${n}`)];
  const lines = execFileSync('openssl', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).split('\n');
  // +F2:<index>:<bits>:<signatures per second>:<verifications per second>; in OpenSSL 3.0 so, in others seconds for each
  const rates = lines
    .filter((line) => line.startsWith('+F2:'))
    .map((line) => line.split(':').slice(2).map(Number));
  return Object.fromEntries(
    rates.map(([n, , verify]) => [n, verify! < 1 ? verify! * 1e6 : 1e6 / verify!]),
  );
}
