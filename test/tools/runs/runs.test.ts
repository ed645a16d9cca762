/** What a developer sees of test runs that cannot work: each ends in time and says why. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { find } from '../prepare/browsers.ts';
import { Running, startDisplay } from '../support/processes.ts';

const root = join(import.meta.dirname, '../../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const config = 'test/vitest.config.ts';

const folders: string[] = [];
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running.splice(0)) kill(child);
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The group: what the run has started goes with it. */
function kill({ pid }: ChildProcess) {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {} // it has ended
}

/** The processes of the group that still run. One that has ended may wait for its parent. */
function remaining({ pid }: ChildProcess): string[] {
  const columns = ['-A', '-o', 'pgid=,stat=,args='];
  const lines = execFileSync('ps', columns, { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => {
    const [group, state] = line.trim().split(/\s+/);
    return group === String(pid) && !state!.startsWith('Z');
  });
}

function temporaryFolder(inside = tmpdir()) {
  const folder = mkdtempSync(join(inside, 'test-runs-'));
  folders.push(folder);
  return folder;
}

/** A folder with executables of these names, each a shell script. */
function executables(scripts: Record<string, string>) {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Starts Vitest in a process of its own. `output` is what it has printed so far. */
function startRun(args: string[], env: NodeJS.ProcessEnv = {}, cwd = root) {
  const child = spawn(process.execPath, [vitest, ...args], {
    cwd,
    detached: true,
    env: { ...process.env, NO_COLOR: '1', VITEST: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const run = {
    child,
    output: '',
    ended: new Promise<number | null>((end) => child.once('close', end)),
  };
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text) => {
      run.output += text;
    });
  }
  return run;
}

async function runToEnd(args: string[], env: NodeJS.ProcessEnv) {
  const begin = performance.now();
  const run = startRun(['run', ...args], env);
  const status = await run.ended;
  const seconds = (performance.now() - begin) / 1000;
  return { status, output: run.output, seconds, child: run.child };
}

const RUNS_CONFIG = ['--config', 'test/tools/runs/fixtures/vitest.config.ts'];

// These runs wait most of the time, and so they do it together.
describe.concurrent('a browser that does not come up ends the run, which names the engine', () => {
  const CHROMIUM = ['chromium', 'chromium-headless-shell'];
  const NEVER_CONNECTS = { script: 'exec sleep 300', says: 'not ready within 4 s' };
  const ENDS_AT_ONCE = { script: 'echo no luck >&2; exit 3', says: 'no luck' };

  test.each([
    { engine: 'chromium', what: 'never connects', names: CHROMIUM, ...NEVER_CONNECTS },
    { engine: 'chromium', what: 'ends at once', names: CHROMIUM, ...ENDS_AT_ONCE },
    { engine: 'firefox', what: 'never connects', names: ['firefox-esr'], ...NEVER_CONNECTS },
    { engine: 'firefox', what: 'ends at once', names: ['firefox-esr'], ...ENDS_AT_ONCE },
    { engine: 'webkit', what: 'has no display', names: ['Xvfb'], ...NEVER_CONNECTS },
  ] as const)('$engine $what', async ({ engine, names, script, says }) => {
    // WebKit without Xvfb is Playwright's own build, which no executable on PATH can replace.
    if (engine === 'webkit' && !find(engine)?.xvfb) return;
    const folder = executables(Object.fromEntries(names.map((name) => [name, script])));
    const { status, output, seconds } = await runToEnd([...RUNS_CONFIG, '--project', engine], {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      TEST_BROWSERS: 'system',
      TEST_START_LIMIT_MS: '4000',
    });
    expect(output).toContain(`The browser of in ${engine} failed`);
    expect(output).toContain(says);
    expect(status).toBe(1);
    expect(seconds).toBeLessThan(45);
  });
});

describe.concurrent('a test that never ends, and blocks all others, ends the run, which names the project', () => {
  test.for([
    { project: 'node', named: 'node (endless.test.ts)' },
    { project: 'chromium', named: 'in chromium' },
    { project: 'firefox', named: 'in firefox' },
  ])('in $project', async ({ project, named }, { expect }) => {
    const args = ['endless', ...RUNS_CONFIG, '--project', project];
    const { status, output, seconds, child } = await runToEnd(args, { TEST_STALL_MS: '8000' });
    expect(output).toContain(`Nothing happens for 8 s in: ${named}`);
    expect(status).toBe(1);
    expect(seconds).toBeLessThan(45);
    await expect.poll(() => remaining(child), { timeout: 10_000 }).toEqual([]);
  });
});

test('a test whose result is lost fails the run', async () => {
  const args = ['lost', ...RUNS_CONFIG, '--project', 'chromium'];
  const { status, output } = await runToEnd(args, {});
  expect(output).toContain('No result came from: in chromium lost.test.ts > breaks the page');
  expect(status).toBe(1);
});

describe('a run without the browsers that it needs', () => {
  const none = { PLAYWRIGHT_BROWSERS_PATH: '/nowhere', TEST_BROWSERS: 'playwright' };

  test('names all of them in three lines, without a stack', async () => {
    const selected = ['--project', 'firefox', '--project', 'chromium', ...RUNS_CONFIG];
    const { status, output } = await runToEnd(selected, none);
    const lines = output.split('\n').filter((line) => line && !line.includes('RUN'));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe('These browsers are missing: chromium, firefox.');
    expect(output).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  });

  test('goes on in the projects that need none', async () => {
    const args = ['--project', 'node', '--config', config, 'test/core/errors.node.test.ts'];
    const { status, output } = await runToEnd(args, none);
    expect(output).toMatch(/Tests {2}\d+ passed/);
    expect(status).toBe(0);
  });
});

describe('a virtual display', () => {
  const noted: Error[] = [];
  const start = (xvfb: string, limitMs?: number) => {
    const run = new Running();
    return startDisplay(run, xvfb, (why) => noted.push(why), limitMs).finally(() => run.stop());
  };

  test('starts again when another X server has taken its display', async () => {
    const folder = executables({
      Xvfb: `echo x >> "$0.tries"
        [ "$(wc -l < "$0.tries")" -lt 3 ] && exit 0 # as it does when the display is taken
        echo 7 >&3
        exec sleep 300`,
    });
    expect(await start(join(folder, 'Xvfb'))).toBe(':7');
    expect(noted).toEqual([]);
  });

  test('that can never start is an error', async () => {
    const folder = executables({ Xvfb: 'echo the display is taken >&2; exit 0' });
    await expect(start(join(folder, 'Xvfb'))).rejects.toThrow('the display is taken');
  });

  test('that never names itself is an error within the time limit', async () => {
    const folder = executables({ Xvfb: 'exec sleep 300' });
    await expect(start(join(folder, 'Xvfb'), 200)).rejects.toThrow('Xvfb');
  });
});

test('watch mode runs a browser test again within 2 s of a change in src', async () => {
  // A copy inside the repository finds its node_modules and may be edited while other tests run.
  mkdirSync(join(root, 'reports'), { recursive: true });
  const copy = temporaryFolder(join(root, 'reports'));
  for (const path of ['src', 'demo', 'test', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  const args = ['watch', '--project', 'chromium', '--config', config];
  const run = startRun([...args, 'test/core/errors.test.ts'], {}, copy);
  const count = (text: RegExp) => run.output.split(text).length - 1;
  const isIdle = (runs: number) => expect(count(/Waiting for file changes/)).toBe(runs);
  await vi.waitFor(() => isIdle(1), { timeout: 40_000, interval: 20 });
  const durations: number[] = [];
  for (const change of [1, 2]) {
    const begin = performance.now();
    // Vite itself watches files that its configuration imports. This one is not among them.
    writeFileSync(join(copy, 'src/core/index.ts'), `\n// change ${change}\n`, { flag: 'a' });
    await vi.waitFor(() => isIdle(change + 1), { timeout: 8_000, interval: 20 });
    durations.push(performance.now() - begin);
    expect(count(/Tests {2}\d+ passed/)).toBe(change + 1);
  }
  expect(Math.min(...durations)).toBeLessThan(2000); // the other one may meet a busy moment
});
