import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Place, type Stack } from '../stack.ts';

export const vitest: Stack = {
  name: 'vitest',
  packages: ['vitest', 'jsdom', 'happy-dom', 'react'],
  checks: {
    'jsdom: the core and a bound form': runVitest('jsdom'),
    'happy-dom: the core and a bound form': runVitest('happy-dom'),
  },
};

/** The report says how many tests passed: a run without tests must not count. */
function runVitest(environment: string) {
  return async ({ app }: Place) => {
    const report = join(app.folder, 'report.json');
    if (existsSync(report)) rmSync(report);
    const reporters = ['--reporter=json', `--outputFile.json=${report}`, '--reporter=default'];
    await app.run('vitest', ['run', `--environment=${environment}`, ...reporters]);
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
    expect(numPassedTests === 3, `${numPassedTests} of ${numTotalTests} tests passed`);
    expect(numTotalTests === 3, `there are ${numTotalTests} tests`);
  };
}
