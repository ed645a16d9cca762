/** The tests that judge mutants of src/: the core's and the form's in a real Chromium, the rest in Node. What tests built files is left out. */
import { defineConfig } from 'vitest/config';
import config from './vitest.config.ts';

/** Under whose settings of vitest.config.ts, and which tests. A form that a mutant has broken often does nothing: tests wait less for it there. */
const PROJECTS = [
  {
    of: 'node',
    name: 'node',
    include: ['node/core.test.ts', 'node/core-jsdom.test.ts', 'node/server.test.ts', 'browser/evidence/{errors,properties}.test.ts'],
    testTimeout: 60_000,
  },
  { of: 'chromium', name: 'core', include: ['browser/core-*.test.ts'], testTimeout: 60_000 },
  { of: 'chromium', name: 'form', include: ['browser/form/*.test.ts'], testTimeout: 6_000 },
];

const projects = PROJECTS.map(({ of, ...more }) => {
  const project = config.test!.projects!.find((project) => typeof project === 'object' && 'test' in project && project.test!.name === of);
  const { test, ...rest } = project as { test: { browser?: object } };
  const browser = test.browser && { ...test.browser, instances: [{ browser: of, name: `${more.name} in ${of}` }] };
  return { ...rest, test: { ...test, ...more, ...(browser && { browser }) } };
});

export default defineConfig({ root: import.meta.dirname, test: { projects: projects as never } });
