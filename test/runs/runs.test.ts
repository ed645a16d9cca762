/** What a developer sees of test runs that cannot work: each ends in time and says why. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) kill(child);
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

/** Runs Vitest in a process of its own. */
async function run(args: string[], env: NodeJS.ProcessEnv) {
  const config = ['--config', 'test/runs/fixtures/vitest.config.ts'];
  const child = spawn(process.execPath, [vitest, 'run', ...args, ...config], {
    cwd: root,
    detached: true,
    env: { ...process.env, NO_COLOR: '1', VITEST: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const status = await new Promise<number | null>((end) => child.once('close', end));
  return { status, output, child };
}

describe.concurrent('a test that never ends, and blocks all others, ends the run, which names the project', () => {
  test.for([
    { project: 'node', named: 'node (endless.test.ts)' },
    { project: 'chromium', named: 'in chromium' },
  ])('in $project', async ({ project, named }, { expect }) => {
    const env = { TEST_STALL_MS: '20000' };
    const { status, output, child } = await run(['endless', '--project', project], env);
    expect(output).toContain(`Nothing happens for 20 s in: ${named}`);
    expect(status).toBe(1);
    await expect.poll(() => remaining(child), { timeout: 10_000 }).toEqual([]);
  });
});

test('a test whose result is lost fails the run', async () => {
  const { status, output } = await run(['lost', '--project', 'chromium'], {});
  expect(output).toContain('No result came from: in chromium lost.test.ts > breaks the page');
  expect(status).toBe(1);
});

test('a run without the browsers that it needs names all of them', async () => {
  const none = { PLAYWRIGHT_BROWSERS_PATH: '/nowhere', TEST_BROWSERS: 'playwright' };
  const { status, output } = await run(['--project', 'firefox', '--project', 'chromium'], none);
  expect(output).toContain('These browsers are missing: chromium, firefox.');
  expect(status).toBe(1);
});
