/** Where an app is built: a folder with its own tools and the packed library. */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CACHE } from '../support/npm-package.ts';
import { readSteps } from './steps.ts';

const ROOT = join(import.meta.dirname, '../..');
const APPS = join(import.meta.dirname, '../../examples');
/** The file of docs/payment.md that the apps share. */
const PAYMENT = join(ROOT, 'test/documents/snippets/payment.ts');

/** The packages as they would be published: name, and path of the tarball. */
export type Tarballs = Record<'cardseal' | 'cardseal-sandbox', string>;

export function pack(): Tarballs {
  const folder = join(CACHE, 'stacks');
  mkdirSync(folder, { recursive: true });
  // Parcel and others would take the paths of this repository's own tsconfig.json.
  const boundary = join(folder, 'tsconfig.json');
  if (!existsSync(boundary)) writeFileSync(boundary, '{}\n');
  const packed = (source: string) => {
    const args = ['pack', source, '--silent', '--pack-destination', folder];
    return join(folder, execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim());
  };
  execFileSync(process.execPath, ['--import', 'tsx', 'demo/service/build.ts'], { cwd: ROOT });
  return { cardseal: packed('.'), 'cardseal-sandbox': packed('./demo/service/dist') };
}

/** A server that answers. */
export interface Server {
  address: string;
  stop: () => void;
}

/** The folder of one app. All that is started in it ends when the signal aborts. */
export class Workshop {
  folder = '';
  #made: string | undefined;
  readonly #name: string;
  readonly #tarballs: Tarballs;
  readonly #signal: AbortSignal;

  constructor(name: string, tarballs: Tarballs, signal: AbortSignal) {
    this.#name = name;
    this.#tarballs = tarballs;
    this.#signal = signal;
  }

  /** Copies an app into the cache, installs its tools if they have changed, and the library. */
  async copyApp(): Promise<void> {
    this.folder = join(CACHE, 'stacks', this.#name);
    const source = join(APPS, this.#name);
    const installed = join(this.folder, 'node_modules/installed.json');
    const manifest = readFileSync(join(source, 'package.json'), 'utf8');
    const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === manifest;
    if (!isInstalled) rmSync(this.folder, { recursive: true, force: true });
    cpSync(source, this.folder, { recursive: true });
    const sources = join(this.folder, 'src');
    if (existsSync(sources)) cpSync(PAYMENT, join(sources, 'payment.ts'));
    if (!isInstalled) {
      await this.run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock']);
      writeFileSync(installed, manifest);
    }
    const library = join(this.folder, 'node_modules/cardseal');
    rmSync(library, { recursive: true, force: true });
    mkdirSync(library);
    const args = ['-xzf', this.#tarballs.cardseal, '--strip-components=1', '-C', library];
    execFileSync('tar', args);
  }

  /** An empty folder outside of this repository, which is removed in the end. */
  makeFolder(): void {
    this.#made = mkdtempSync(join(tmpdir(), `${this.#name}-`));
    this.folder = this.#made;
  }

  /** When all that was started has been told to end. */
  remove(): void {
    if (this.#made) rmSync(this.#made, { recursive: true, force: true, maxRetries: 10 });
  }

  /**
   * Does what a page of docs/ says, from an empty folder.
   *
   * @returns What it has started: the sandbox first, and last what serves the page.
   */
  async followPage(page: string): Promise<Server[]> {
    const { commands, files, servers } = readSteps(page);
    this.makeFolder();
    await this.runSteps(commands);
    for (const { path, text } of files) this.write(path, text);
    const started: Server[] = [];
    for (const command of servers) started.push(await this.serve('sh', ['-c', command]));
    return started;
  }

  /** Runs commands one after the other. They install the packed library and the packed sandbox. */
  async runSteps(commands: string[]): Promise<void> {
    for (const command of commands) {
      const words = command.split(' ');
      if (words[0] === 'cd') this.folder = join(this.folder, words[1]!);
      else await this.run('sh', ['-c', words.map((word) => this.#packed(word)).join(' ')]);
    }
  }

  #packed(word: string): string {
    return this.#tarballs[word as keyof Tarballs] ?? word;
  }

  write(path: string, text: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /**
   * Makes the copied app show the state of its framework, for the test. The examples themselves
   * must not: merchants copy them.
   *
   * @param before - Occurs once in the file.
   */
  insert(path: string, before: string, text: string): void {
    const parts = readFileSync(join(this.folder, path), 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`${path} has '${before}' ${parts.length - 1} times`);
    this.write(path, parts.join(text + before));
  }

  /** The installed version of a package. */
  version(name: string): string {
    const file = join(this.folder, 'node_modules', name, 'package.json');
    return JSON.parse(readFileSync(file, 'utf8')).version;
  }

  /** Runs a program of the app's tools to its end. Rejects with its output if it fails. */
  async run(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
    const { status, output } = await this.tryToRun(command, args, env);
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}:\n${output}`);
    return output;
  }

  /** The same for a program that may fail. */
  async tryToRun(command: string, args: string[], env: Record<string, string> = {}) {
    const { child, output } = this.#spawn(command, args, env);
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    this.#signal.throwIfAborted();
    return { status, output: output() };
  }

  /** Starts a server, and waits until it answers at the address that it prints. */
  async serve(command: string, args: string[], env: Record<string, string> = {}): Promise<Server> {
    const { child, output, stop } = this.#spawn(command, args, env);
    for (;;) {
      this.#signal.throwIfAborted();
      if (child.exitCode !== null)
        throw new Error(`${command} ${args.join(' ')} ended:\n${output()}`);
      const [address] = /http:\/\/(localhost|127\.0\.0\.1):\d+/.exec(output()) ?? [];
      if (address && (await fetch(address).catch(() => undefined))) return { address, stop };
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  #spawn(command: string, args: string[], env: Record<string, string>) {
    const bin = join(this.folder, 'node_modules/.bin');
    const child = spawn(command, args, {
      cwd: this.folder,
      env: {
        ...process.env,
        NO_COLOR: '1',
        CI: '1',
        NEXT_TELEMETRY_DISABLED: '1',
        npm_config_yes: 'true', // fetch the tools that make a project
        PATH: `${bin}:${process.env.PATH}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, so that all that it starts can be stopped
    });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    const stop = () => {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL');
    };
    this.#signal.addEventListener('abort', stop);
    child.once('close', () => this.#signal.removeEventListener('abort', stop));
    return { child, output: () => text, stop };
  }
}
