import type { Reporter, TestCase } from 'vitest/node';

/** Names a test as the lists at the end of a run do. */
export const nameOf = ({ project, module, fullName }: TestCase): string =>
  `${project.name} ${module.relativeModuleId} > ${fullName}`;

/** Vitest reporter: names each test that failed at first and passed when it was tried again. */
export const retriedTests: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        const [error] = test.result().errors ?? [];
        console.log(`RETRIED ${nameOf(test)}: ${error?.message.split('\n')[0]}`);
      }
    }
  },
};
