/** The tests that judge mutants of the form, in a real Chromium. What tests built files is left out. */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import config from '../vitest.config.ts';

const chromium = config.test!.projects!.find(
  (project) =>
    typeof project === 'object' && 'test' in project && project.test!.name === 'chromium',
) as { test: object };

const form = {
  ...chromium,
  test: {
    ...chromium.test,
    include: ['mutation/form-tests.ts'],
    testTimeout: 2_000, // a form that a mutant has broken often does nothing
  },
};

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: { projects: [form as never] },
});
