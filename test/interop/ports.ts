/** The ports of the merchant's half: where they are, and how each is run. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/loopback.ts';

const root = join(import.meta.dirname, '../..');
const PORTS_FOLDER = join(root, 'ports');

export interface Port {
  name: 'PHP' | 'Python';
  /** The one file that is made to be copied. */
  file: string;
  folder: string;
  /** The oldest version that it says it runs on, and this one. */
  version: { oldest: number[]; command: string[] };
  /** The interpreter, in the settings that hide least. */
  interpreter: string[];
  corpus: string;
  scenarios: string;
  store: string;
  client: string;
  shop: (port: number) => string[];
  /** For the staff: what became of an intent. */
  resolve: (orderIntentAndTruth: string[]) => string[];
}

const php = ['php', '-d', 'zend.exception_ignore_args=0', '-d', 'display_errors=stderr'];

export const PORTS: Port[] = [
  {
    name: 'PHP',
    file: 'cardseal.php',
    folder: join(PORTS_FOLDER, 'php/src'),
    version: { oldest: [8, 1], command: ['php', '-r', 'echo PHP_VERSION;'] },
    interpreter: php,
    corpus: join(import.meta.dirname, 'corpus.php'),
    scenarios: join(import.meta.dirname, 'scenarios.php'),
    store: join(import.meta.dirname, 'store.php'),
    client: join(import.meta.dirname, 'client.php'),
    shop: (port) => [...php, '-S', `127.0.0.1:${port}`, join(PORTS_FOLDER, 'php/shop.php')],
    resolve: (what) => [...php, join(PORTS_FOLDER, 'php/shop.php'), 'resolve', ...what],
  },
  {
    name: 'Python',
    file: 'cardseal.py',
    folder: join(PORTS_FOLDER, 'python/src'),
    version: {
      oldest: [3, 9],
      command: ['python3', '-c', 'import platform; print(platform.python_version())'],
    },
    interpreter: ['python3'],
    corpus: join(import.meta.dirname, 'corpus.py'),
    scenarios: join(import.meta.dirname, 'scenarios.py'),
    store: join(import.meta.dirname, 'store.py'),
    client: join(import.meta.dirname, 'client.py'),
    shop: (port) => ['python3', '-B', join(PORTS_FOLDER, 'python/shop.py'), '--port', String(port)],
    resolve: (what) => ['python3', '-B', join(PORTS_FOLDER, 'python/shop.py'), 'resolve', ...what],
  },
];

/** What a program printed. @throws if it failed, with what it complained of. */
export function run([command, ...args]: string[], input = ''): string {
  const options = { input, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  const { status, stdout, stderr, error } = spawnSync(command!, args, options);
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

/** By name: what stands in a port, and what could stand there instead. */
export type Faults = Record<string, [search: string, replacement: string]>;

/**
 * The control of a check of a port: a copy with each of these faults must fail it.
 *
 * @param check - Gets the folder of the copy. Throws if the port errs.
 */
export function testFaultsOf(port: Port, faults: Faults, check: (folder: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'port-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  test.each(Object.entries(faults))(
    'a port that errs is noticed: %s',
    (name, [search, replacement]) => {
      const copy = join(folder, name);
      cpSync(port.folder, copy, { recursive: true });
      const files = readdirSync(copy, { recursive: true, encoding: 'utf8' })
        .map((file) => join(copy, file))
        .filter((file) => /\.(php|py)$/.test(file))
        .filter((file) => readFileSync(file, 'utf8').includes(search));
      expect(files, 'the file with the faulty line').toHaveLength(1);
      const source = readFileSync(files[0]!, 'utf8');
      expect(source.split(search), 'the faulty line').toHaveLength(2);
      writeFileSync(
        files[0]!,
        source.replace(search, () => replacement),
      );
      expect(() => check(copy)).toThrow();
    },
  );
}

/** The client of a port, in a process of its own: one call after the other. */
export class Client {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  #complaints = '';

  /** `trusted`: a file with the certificates that it is to trust; the system's without it. */
  constructor({ name, interpreter, client, folder }: Port, trusted?: string) {
    const flags = trusted && name === 'PHP' ? ['-d', `curl.cainfo=${trusted}`] : [];
    const [command, ...args] = [...interpreter, ...flags, client, folder];
    const env = { ...process.env, ...(trusted && { SSL_CERT_FILE: trusted }) };
    this.#child = spawn(command!, args, { stdio: 'pipe', env });
    this.#child.stderr!.setEncoding('utf8').on('data', (text) => {
      this.#complaints += text;
    });
    const lines = createInterface({ input: this.#child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async call(call: object): Promise<ClientAnswer> {
    this.#child.stdin!.write(`${JSON.stringify(call)}\n`);
    const { value } = await this.#lines.next();
    if (!value || this.#complaints) throw new Error(`The port failed: ${this.#complaints}`);
    return JSON.parse(value);
  }

  stop() {
    this.#child.kill();
  }
}

export interface ClientAnswer {
  output?: Record<string, unknown>;
  error?: { recovery: string; status: number | null; code: string | null; intentId: string | null };
  /** The message about an argument that is refused. */
  invalid?: string;
  /** All that a log or an error page could show of the client or of the error. */
  shown: string;
}

/** The shop page of a port, running. */
export class Shop {
  /** Everything that it logged. */
  log = '';
  address = '';
  #child: ChildProcess | undefined;
  #port = 0;
  readonly #data = mkdtempSync(join(tmpdir(), 'shop-data-'));

  /** `timeoutS`: how long a request to the service may take; 30 seconds unless given. */
  constructor(
    private readonly port: Port,
    private readonly serviceAddress: string,
    private readonly timeoutS = 30,
  ) {}

  async start() {
    this.#port ||= await freePort();
    this.address = `http://127.0.0.1:${this.#port}`;
    const [command, ...args] = this.port.shop(this.#port);
    const child = spawn(command!, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own: PHP's server starts workers
      env: this.#environment(),
    });
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.log += text;
      });
    }
    while (!(await isAnswering(this.address))) {
      if (child.exitCode !== null) throw new Error(`The shop ended: ${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Ends it in the middle of whatever it does. Its orders stay. */
  async stop() {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    process.kill(-child.pid!, 'SIGKILL');
    await ended;
  }

  /** Ends it for good. */
  async close() {
    await this.stop();
    rmSync(this.#data, { recursive: true });
  }

  /** What the staff of the shop do after a payment that is not certain. Returns the outcome. */
  resolve(orderId: string, intentId: string, truth: string): object {
    const [command, ...args] = this.port.resolve([orderId, intentId, truth]);
    const options = { env: this.#environment(), encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(command!, args, options);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  }

  #environment() {
    return {
      ...process.env,
      CARD_PAYMENTS_URL: this.serviceAddress,
      CARD_PAYMENTS_TIMEOUT_S: String(this.timeoutS),
      SHOP_DATA: this.#data,
      PHP_CLI_SERVER_WORKERS: '6', // or a second request would wait for the first
    };
  }
}

async function isAnswering(address: string): Promise<boolean> {
  return fetch(`${address}/cardseal.js`).then(
    ({ ok }) => ok,
    () => false,
  );
}
