/**
 * Vitest plugin: no run starts without the browsers that it needs, and no run hangs. A run in which
 * nothing happens for a while ends, and the message names what stood still. Each test has a result.
 */
import { spawnSync } from 'node:child_process';
import type { Plugin } from 'vite';
import type {
  Reporter,
  TestCase,
  TestModule,
  TestProject,
  TestRunEndReason,
  TestSpecification,
  Vitest,
} from 'vitest/node';
import {
  ENGINES,
  ENGINES_OF,
  type Engine,
  howToInstall,
  missing,
} from '../../tools/prepare/browsers.ts';
import { PATIENCE } from './patience.ts';

/** Longer than any test or hook may take, so that their own limits come first. */
const STALL_MS = Number(process.env.TEST_STALL_MS ?? PATIENCE.testTimeout + 20_000);

/** How long an ended run may take to close browsers and servers. */
const CLOSE_MS = 10_000;

export function runGuard(): Plugin {
  return {
    name: 'run guard',
    configureVitest({ vitest }) {
      const { reporters } = vitest.config as { reporters: unknown[] };
      if (!reporters.some((reporter) => reporter instanceof RunGuard)) {
        reporters.push(new RunGuard(vitest));
      }
    },
  };
}

class RunGuard implements Reporter {
  readonly #vitest: Vitest;
  readonly #projects = new Set<string>();
  readonly #modules = new Set<TestModule>();
  #timer: NodeJS.Timeout | undefined;
  #lastEvent = 0;

  constructor(vitest: Vitest) {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]) {
    const engines = new Set(specifications.flatMap(({ project }) => enginesOf(project)));
    const absent = missing(ENGINES.filter((engine) => engines.has(engine)));
    if (absent.length) {
      process.stderr.write(`${howToInstall(absent)}\n`);
      process.exit(1);
    }
    for (const { project } of specifications) this.#projects.add(project.name);
    this.#alive();
    this.#timer = setInterval(() => this.#check(), 1000);
  }

  onTestModuleQueued(module: TestModule) {
    this.#modules.add(module);
    this.#alive();
  }

  onTestModuleEnd(module: TestModule) {
    this.#modules.delete(module);
    this.#alive();
  }

  onTestModuleCollected = () => this.#alive();
  onTestCaseReady = () => this.#alive();
  onTestCaseResult = () => this.#alive();
  onHookStart = () => this.#alive();
  onHookEnd = () => this.#alive();

  onTestRunEnd(
    modules: readonly TestModule[],
    _errors: readonly unknown[],
    reason: TestRunEndReason,
  ) {
    clearInterval(this.#timer);
    if (reason !== 'interrupted') failIfLost(modules);
    this.#projects.clear();
    this.#modules.clear();
  }

  #alive() {
    this.#lastEvent = performance.now();
  }

  #check() {
    if (performance.now() - this.#lastEvent < STALL_MS) return;
    clearInterval(this.#timer);
    const running = [...this.#modules].map(({ project, relativeModuleId }) => {
      return `${project.name} (${relativeModuleId})`;
    });
    const where = running.length ? running : [...this.#projects];
    process.stderr.write(`Nothing happens for ${STALL_MS / 1000} s in: ${where.join(', ')}\n`);
    process.exitCode = 1;
    process.once('exit', killChildren);
    setTimeout(() => process.exit(), CLOSE_MS);
    this.#vitest.exit(true);
  }
}

/**
 * A test whose page breaks what Vitest uses, for example `Array.from`, may not report its result.
 * Vitest counts it as neither passed nor failed.
 */
function failIfLost(modules: readonly TestModule[]): void {
  const tests = modules.flatMap(({ children }) => [...children.allTests('pending')]);
  for (const test of tests) {
    process.stderr.write(`FAIL  No result came from: ${nameOf(test)}\n`);
    process.exitCode = 1;
  }
}

/** Names a test as the lists at the end of a run do. */
const nameOf = ({ project, module, fullName }: TestCase): string =>
  `${project.name} ${module.relativeModuleId} > ${fullName}`;

/** A worker in an endless loop does not notice that the run has ended: it would run for ever. */
function killChildren(): void {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  for (const line of (stdout ?? '').split('\n')) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number);
    if (parent !== process.pid) continue;
    try {
      process.kill(pid!, 'SIGKILL');
    } catch {} // it has ended
  }
}

function enginesOf({ name, config }: TestProject): readonly Engine[] {
  if (config.browser.enabled) return [config.browser.name as Engine];
  return ENGINES_OF[name] ?? [];
}
