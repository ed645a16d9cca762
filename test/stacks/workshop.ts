/** Where an app is built: a copy in the cache, with its own tools and the packed library. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CACHE } from '../tools/support/npm-package.ts';

const ROOT = join(import.meta.dirname, '../..');
const APPS = join(import.meta.dirname, 'apps');
/** The file of docs/form.md that the apps share. */
const PAYMENT = join(ROOT, 'test/documents/snippets/payment.ts');

/** Packs the library as it would be published, and gives the path of the tarball. */
export function pack(): string {
  const folder = join(CACHE, 'stacks');
  mkdirSync(folder, { recursive: true });
  // Parcel and others would take the paths of this repository's own tsconfig.json.
  const boundary = join(folder, 'tsconfig.json');
  if (!existsSync(boundary)) writeFileSync(boundary, '{}\n');
  const args = ['pack', '--silent', '--pack-destination', folder];
  return join(folder, execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim());
}

/** One app in the cache. All that it starts ends when the signal aborts. */
export class Workshop {
  readonly folder: string;
  readonly #signal: AbortSignal;

  constructor(name: string, signal: AbortSignal) {
    this.folder = join(CACHE, 'stacks', name);
    this.#signal = signal;
  }

  /** Copies the app, installs its tools if they have changed, and unpacks the library. */
  async prepare(tarball: string): Promise<void> {
    const installed = join(this.folder, 'node_modules/installed.json');
    const manifest = readFileSync(join(APPS, basename(this.folder), 'package.json'), 'utf8');
    const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === manifest;
    if (!isInstalled) rmSync(this.folder, { recursive: true, force: true });
    cpSync(join(APPS, basename(this.folder)), this.folder, { recursive: true });
    for (const sources of ['src', 'app']) {
      const folder = join(this.folder, sources);
      if (existsSync(folder)) cpSync(PAYMENT, join(folder, 'payment.ts'));
    }
    if (!isInstalled) {
      await this.run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock']);
      writeFileSync(installed, manifest);
    }
    const library = join(this.folder, 'node_modules/cardseal');
    rmSync(library, { recursive: true, force: true });
    mkdirSync(library);
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', library]);
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

  /** Starts a server, and waits until it answers at the address. */
  async serve(command: string, args: string[], env: Record<string, string>, address: string) {
    const { child, output, stop } = this.#spawn(command, args, env);
    for (;;) {
      this.#signal.throwIfAborted();
      if (child.exitCode !== null) throw new Error(`${command} ended:\n${output()}`);
      if (await fetch(address).catch(() => undefined)) return { output, stop };
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  #spawn(command: string, args: string[], env: Record<string, string>) {
    const bin = join(this.folder, 'node_modules/.bin');
    const child = spawn(command, args, {
      cwd: this.folder,
      env: { ...process.env, NO_COLOR: '1', CI: '1', PATH: `${bin}:${process.env.PATH}`, ...env },
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
