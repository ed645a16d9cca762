/** The tests that judge mutants of src/: the core's and the form's in a real Chromium, the rest in Node. What tests built files is left out. */
import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

const INCLUDE: Record<string, string[]> = {
  node: ['node/core.test.ts', 'node/core-jsdom.test.ts', 'node/server.test.ts', 'browser/evidence/{errors,properties}.test.ts'],
  chromium: ['browser/core-*.test.ts', 'browser/form/*.test.ts'],
};

const projects = config.test!.projects!.flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project)) throw new Error('not a project of vitest.config.ts');
  const include = INCLUDE[String(project.test!.name)];
  return include ? [{ ...project, test: { ...project.test, include, testTimeout: 120_000 } }] : [];
});

export default defineConfig({ root: import.meta.dirname, test: { projects: projects as never } });
