import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import '../../support/built.ts';

const root = join(import.meta.dirname, '../../..');

/** `demo/start.ts` in a process of its own. */
export class DemoProcess {
  /** Everything it printed, on both outputs. */
  output = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  /**
   * @param args - Options of the demo; ports that are free unless they say otherwise.
   * @param command - Another way to start it.
   */
  constructor(
    args: string[] = [],
    command = [process.execPath, '--import', 'tsx', 'demo/start.ts'],
  ) {
    this.#child = spawn(
      command[0]!,
      [...command.slice(1), '--port', '0', '--service-port', '0', ...args],
      {
        cwd: root,
        detached: true, // a group of its own, so that `kill` reaches what npm starts, too
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#exit = once(this.#child, 'close');
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
      });
    }
  }

  /** The addresses it prints when it is ready. */
  async addresses(): Promise<{ checkout: string; service: string }> {
    while (!this.output.includes('Ctrl-C')) {
      await Promise.race([once(this.#child.stdout!, 'data'), this.#exit]);
      if (this.#child.exitCode !== null) throw new Error(`The demo ended early:\n${this.output}`);
    }
    const addressAfter = (label: string) => this.output.split(label)[1]!.trim().split(/\s/)[0]!;
    return {
      checkout: addressAfter('Checkout page:'),
      service: addressAfter('Card Payment Service:'),
    };
  }

  /** Resolves with the exit code and, if one ended it, the signal. */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<unknown[]> {
    this.#child.kill(signal);
    return this.#exit;
  }

  exit(): Promise<unknown[]> {
    return this.#exit;
  }

  /** Leaves nothing of it, in whatever state a test has left it. */
  kill() {
    try {
      process.kill(-this.#child.pid!, 'SIGKILL');
    } catch {} // it has ended
  }
}
