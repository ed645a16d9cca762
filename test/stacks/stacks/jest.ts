import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Place, type Stack } from '../stack.ts';

export const jest: Stack = {
  name: 'jest',
  packages: ['jest', 'jest-environment-jsdom', 'babel-jest', 'ts-jest', 'typescript', 'react'],
  checks: {
    'babel-jest: the core and a bound form in JSX': runJest('babel-jest.config.js'),
    'ts-jest: the same in TypeScript': runJest('ts-jest.config.js'),
  },
};

/** The report says how many tests passed: a run without tests must not count. */
function runJest(config: string) {
  return async ({ app }: Place) => {
    const report = join(app.folder, 'report.json');
    if (existsSync(report)) rmSync(report);
    await app.run('jest', ['--config', config, '--ci', '-i', '--json', `--outputFile=${report}`]);
    const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
    expect(numPassedTests === 3, `${numPassedTests} of ${numTotalTests} tests passed`);
    expect(numTotalTests === 3, `there are ${numTotalTests} tests`);
  };
}
