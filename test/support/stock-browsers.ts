/**
 * Vitest browser provider for engines that Playwright has no build of on this machine: Debian's own Firefox, and
 * WebKitGTK's MiniBrowser on a virtual X display. It starts the real browser at Vitest's URL; from there Vitest
 * itself runs the tests over its websocket, and notices a browser that never connects or dies (not an endless loop).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineBrowserProvider } from '@vitest/browser';
import type { BrowserProvider, TestProject, Vitest } from 'vitest/node';

const previewDist = dirname(fileURLToPath(import.meta.resolve('@vitest/browser-preview')));

/** One run of one browser: its processes and its throw-away home directory. */
export class Running {
  readonly home = mkdtempSync(join(tmpdir(), 'vitest-browser-'));
  private readonly children: ChildProcess[] = [];
  private readonly onExit = () => {
    for (const child of this.children) child.kill('SIGKILL');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 3 });
  };
  constructor() {
    process.once('exit', this.onExit);
  }

  /** Starts a process. `died` is told if it ends before `stop` is called. */
  start(command: string, args: string[], env: NodeJS.ProcessEnv, died: (why: Error) => void): ChildProcess {
    const child = spawn(command, args, {
      env: { ...process.env, HOME: this.home, XDG_CACHE_HOME: this.home, XDG_CONFIG_HOME: this.home, XDG_DATA_HOME: this.home, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    let log = '';
    child.stderr!.on('data', (chunk) => {
      log = (log + chunk).slice(-4000);
    });
    child.once('error', died);
    child.once('exit', (code, signal) => {
      if (!this.stopping) died(new Error(`${command} ended early (${signal ?? code})\n${log}`));
    });
    return child;
  }

  private stopping = false;
  async stop(): Promise<void> {
    this.stopping = true;
    for (const child of [...this.children].reverse()) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 3000);
      await gone;
      clearTimeout(hard);
    }
    process.off('exit', this.onExit);
    this.onExit();
  }
}

/** Vitest's own, not in its types; @vitest/browser-playwright reports a crash in the same way. */
interface Sessions {
  _browserSessions?: { getSession(id: string): { fail?(why: Error): void } | undefined };
}

/** Starts a browser at a URL. `died` is told if it ends before `run.stop()` is called. */
export type Start = (run: Running, url: string, died: (why: Error) => void) => Promise<void>;

class StockBrowserProvider implements BrowserProvider {
  readonly name = 'preview'; // so that Vitest serves its simulated `userEvent` and locators
  readonly supportsParallelism = false;
  readonly distRoot = previewDist;
  readonly initScripts = [join(previewDist, 'locators.js')];
  private run: Running | undefined;
  private readonly project: TestProject;
  private readonly begin: Start;
  constructor(project: TestProject, begin: Start) {
    this.project = project;
    this.begin = begin;
    // The orchestrator asks for this before each file; the iframe is sized by CSS, so there is nothing to do.
    project.browser!.registerCommand('__vitest_viewport' as never, (() => {}) as never);
  }
  getCommandsContext() {
    return {};
  }
  async openPage(sessionId: string, url: string) {
    await this.close();
    const run = new Running();
    this.run = run;
    await this.begin(run, url, (why) => {
      const vitest: Vitest & Sessions = this.project.vitest;
      const session = vitest._browserSessions?.getSession(sessionId);
      if (session?.fail)
        session.fail(why); // ends the run at once
      else vitest.state.catchError(why, 'Browser Error'); // fails the run when it ends
    });
  }
  async close() {
    const { run } = this;
    this.run = undefined;
    await run?.stop();
  }
}

const stock = (begin: Start) =>
  defineBrowserProvider({ name: 'preview', providerFactory: (project) => new StockBrowserProvider(project, begin) });

const FIREFOX_PREFS = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.multiple_import_maps.enabled': true, // Vitest's own needs this of Firefox 150 and later
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#none/v1',
  'toolkit.telemetry.server': '',
};

export const startFirefox =
  (executable: string): Start =>
  async (run, url, died) => {
    writeFileSync(
      join(run.home, 'user.js'),
      Object.entries(FIREFOX_PREFS)
        .map(([k, v]) => `user_pref(${JSON.stringify(k)}, ${JSON.stringify(v)});\n`)
        .join(''),
    );
    run.start(executable, ['--headless', '--no-remote', '--profile', run.home, url], { MOZ_CRASHREPORTER_DISABLE: '1' }, died);
  };

export const startWebkit =
  (miniBrowser: string, xvfb: string): Start =>
  async (run, url, died) => {
    const x = run.start(xvfb, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {}, died);
    const display = await new Promise<string>((resolve, reject) => {
      x.stdio[3]!.once('data', (n) => resolve(`:${String(n).trim()}`));
      x.once('error', reject).once('exit', () => reject(new Error('Xvfb did not start')));
    });
    run.start(
      miniBrowser,
      ['--private', url],
      { DISPLAY: display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1', LIBGL_ALWAYS_SOFTWARE: '1' },
      died,
    );
  };

export const stockFirefox = (executable: string) => stock(startFirefox(executable));
export const stockWebkit = (miniBrowser: string, xvfb: string) => stock(startWebkit(miniBrowser, xvfb));
