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

export const vitest: Stack = {
  name: 'vitest',
  packages: ['vitest', 'jsdom', 'happy-dom', 'react'],
  checks: {
    'jsdom: the core and a bound form': runVitest('jsdom'),
    'happy-dom: the core and a bound form': runVitest('happy-dom'),
  },
};

function runJest(config: string) {
  return (place: Place) =>
    runTests(place, (report) => {
      return ['jest', '--config', config, '--ci', '-i', '--json', `--outputFile=${report}`];
    });
}

function runVitest(environment: string) {
  return (place: Place) =>
    runTests(place, (report) => {
      const reporters = ['--reporter=json', `--outputFile.json=${report}`, '--reporter=default'];
      return ['vitest', 'run', `--environment=${environment}`, ...reporters];
    });
}

/** The report says how many tests passed: a run without tests must not count. */
async function runTests({ app }: Place, command: (report: string) => string[]): Promise<void> {
  const report = join(app.folder, 'report.json');
  if (existsSync(report)) rmSync(report);
  const [program, ...args] = command(report);
  await app.run(program!, args);
  const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
  expect(numPassedTests === 3, `${numPassedTests} of ${numTotalTests} tests passed`);
  expect(numTotalTests === 3, `there are ${numTotalTests} tests`);
}
