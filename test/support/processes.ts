/** The processes of one browser, and a virtual display for a browser that needs one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Died = (why: Error) => void;

/** One run of one browser: its processes and its home directory, which is removed afterwards. */
export class Running {
  readonly home = mkdtempSync(join(tmpdir(), 'test-browser-'));
  readonly #children: ChildProcess[] = [];
  #stopping = false;
  readonly #onExit = () => {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 });
  };

  constructor() {
    process.once('exit', this.#onExit);
  }

  /** Starts a process. `died` is told if it cannot start or ends before `stop` is called. */
  start(command: string, args: string[], env: NodeJS.ProcessEnv, died: Died): ChildProcess {
    const { home } = this;
    const folders = {
      HOME: home,
      XDG_CACHE_HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
    };
    const child = spawn(command, args, {
      env: { ...process.env, ...folders, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    let log = '';
    child.stderr!.on('data', (chunk) => {
      log = (log + chunk).slice(-4000);
    });
    child.once('error', died);
    child.once('exit', (code, signal) => {
      if (!this.#stopping) died(new Error(`${command} ended early (${signal ?? code})\n${log}`));
    });
    return child;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    for (const child of [...this.#children].reverse()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), 3000);
      await gone;
      clearTimeout(kill);
    }
    process.off('exit', this.#onExit);
    this.#onExit();
  }
}

const DISPLAY_ATTEMPTS = 5;
const DISPLAY_LIMIT_MS = 15_000;

/**
 * Starts Xvfb and returns its display, such as `:1`. Tries again if Xvfb ends early: two that start
 * in the same moment can take the same display, and then one of them ends with status 0.
 */
export async function startDisplay(run: Running, xvfb: string, died: Died): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryDisplay(run, xvfb, died);
    } catch (error) {
      if (attempt === DISPLAY_ATTEMPTS) throw error;
    }
  }
}

async function tryDisplay(run: Running, xvfb: string, died: Died) {
  return new Promise<string>((resolve, reject) => {
    let display = '';
    const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'];
    const x = run.start(xvfb, args, {}, (why) => (display ? died(why) : reject(why)));
    const limit = setTimeout(() => {
      reject(new Error(`${xvfb} does not name its display within ${DISPLAY_LIMIT_MS / 1000} s`));
      x.kill('SIGKILL');
    }, DISPLAY_LIMIT_MS);
    x.once('exit', () => clearTimeout(limit));
    x.stdio[3]!.once('data', (number) => {
      clearTimeout(limit);
      display = `:${String(number).trim()}`;
      resolve(display);
    });
  });
}
