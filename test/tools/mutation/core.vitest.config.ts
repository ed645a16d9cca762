/**
 * The tests that run over mutants of the core and of the server functions, in Node: there, a mutant
 * takes seconds. What needs a page or a worker is left out, and what tests built files.
 */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The quickest first: most mutants are found by the first files, and the rest is not run then. */
const FILES = [
  'core/field-rules.node.test.ts',
  'core/errors.test.ts',
  'core/encrypt-card-wiping.test.ts',
  'core/key-reuse.test.ts',
  'core/card-encode-into.test.ts',
  'server/index.node.test.ts',
  'corpus/corpus.node.test.ts',
  'core/encrypt-card.node.test.ts',
  'core/card-objects.test.ts',
  'core/errors-leak.test.ts',
  'core/key.test.ts',
  'core/encrypt-card.test.ts',
  'core/encrypt-card-properties.test.ts',
];

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const place = ({ moduleId }: TestSpecification) =>
      FILES.findIndex((file) => moduleId.endsWith(`/test/${file}`));
    return files.sort((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  resolve: {
    alias: { 'vitest/browser': join(import.meta.dirname, '../support/commands-in-node.ts') },
  },
  test: {
    include: FILES,
    sequence: { sequencer: QuickestFirst },
    testTimeout: 600_000, // Stryker itself stops what takes too long
    hookTimeout: 600_000,
  },
});
