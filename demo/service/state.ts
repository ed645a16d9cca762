import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Step } from './intents.ts';
import type { CardPaymentIntent } from './schemas.ts';

/** What outlives the process: one line of JSON each. */
export type StateRecord =
  | { type: 'intent'; account: string; intent: CardPaymentIntent; steps: Step[] }
  /** Base64 of the DER: SPKI and PKCS #8. */
  | { type: 'pair'; public_key: string; private_key: string }
  /** `public_key`: empty if the key is spent. */
  | { type: 'key'; id: string; account: string; expires_at: number; public_key: string }
  | { type: 'key_used'; id: string }
  /** Of Idempotency-Keys only a keyed hash is kept: its secret, in Base64. */
  | { type: 'idempotency_secret'; secret: string }
  | { type: 'idempotency'; id: string; fingerprint: string; since: number; response: Kept }
  | { type: 'clock'; ahead_ms: number }
  /** Whatever comes before this counts no more. */
  | { type: 'reset' };

export interface Kept {
  status: number;
  body: string;
}

export type Save = (record: StateRecord) => void;

export interface State {
  save: Save;
  /** Resolves when everything that was saved is on the disk. */
  flushed(): Promise<void>;
  close(): Promise<void>;
}

/** The file is of no use. The message says what to do. */
export class StateError extends Error {
  override readonly name = 'StateError';
}

const HEADER = JSON.stringify({ type: 'cardseal-sandbox', version: 1 });

/**
 * What an earlier run has saved. A last line that is cut short was never acknowledged, and is
 * dropped.
 *
 * @throws StateError if the file is something else, is damaged, or is in use, or if its folder
 *   cannot be written to.
 */
export function readState(path: string): StateRecord[] {
  if (existsSync(path) && !statSync(path).isFile()) {
    throw new StateError(`${path} is no file. Choose another one.`);
  }
  lock(path);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  // The header is never cut short: the file came into being with it
  if (text !== '' && !text.startsWith(`${HEADER}\n`)) {
    unlock(path);
    throw new StateError(`${path} is no state of the sandbox. Choose another file.`);
  }
  const lines = text.split('\n');
  lines.pop(); // empty, or cut short
  const records = lines.slice(1).map((line, i) => {
    try {
      return JSON.parse(line) as StateRecord;
    } catch {
      unlock(path);
      throw new StateError(`${path} is damaged in line ${i + 2}. Delete it, or fix that line.`);
    }
  });
  return records.slice(records.findLastIndex(({ type }) => type === 'reset') + 1);
}

/** Writes the file anew, with what is still needed, and appends to it from then on. */
export function openState(path: string, records: Iterable<StateRecord>): State {
  let unwritten: StateRecord[] = [];
  let writing: Promise<void> | undefined;
  replaceFile(path, records);
  const file = open(path, 'a');
  file.catch(() => {}); // the first write hears of it

  return {
    save: (record) => void unwritten.push(record),
    flushed,
    async close() {
      await flushed();
      await (await file).close();
      unlock(path);
    },
  };

  /** All that come while a write is under way share the next one. */
  async function flushed(): Promise<void> {
    while (writing) await writing;
    if (unwritten.length === 0) return;
    writing = write().then(() => {
      writing = undefined; // after a failure nothing more is acknowledged
    });
    await writing;
  }

  async function write() {
    const lines = unwritten.map(lineOf).join('');
    unwritten = [];
    const handle = await file;
    await handle.appendFile(lines);
    await handle.datasync();
  }
}

const lineOf = (record: object) => `${JSON.stringify(record)}\n`;

/** Either the old file stays or the new one is there, complete. It has private keys in it. */
function replaceFile(path: string, records: Iterable<StateRecord>) {
  const next = `${path}.next`;
  const lines = [HEADER, ...[...records].map((record) => JSON.stringify(record))];
  writeFileSync(next, `${lines.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(next, path);
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** Two sandboxes would write over each other. */
function lock(path: string) {
  const file = lockOf(path);
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      throw new StateError(`${file} cannot be made (${code}). Choose a file in another folder.`);
    }
    const owner = Number(readFileSync(file, 'utf8'));
    if (isRunning(owner)) {
      throw new StateError(
        `${path} is in use by process ${owner}. If that is no sandbox, delete ${file}.`,
      );
    }
    rmSync(file); // it was killed
    lock(path);
  }
}

const unlock = (path: string) => rmSync(lockOf(path), { force: true });

const lockOf = (path: string) => `${path}.lock`;

/** In a container, every process may have the number that the one before had. */
function isRunning(pid: number): boolean {
  if (pid === process.pid || !pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
