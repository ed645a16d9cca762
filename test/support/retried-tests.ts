import type { Reporter } from 'vitest/node';

/** Vitest reporter: names each test that failed at first and passed when it was tried again. */
export const retriedTests: Reporter = {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        const name = `${module.project.name} ${module.relativeModuleId} > ${test.fullName}`;
        const [error] = test.result().errors ?? [];
        console.log(`RETRIED ${name}: ${error?.message.split('\n')[0]}`);
      }
    }
  },
};
