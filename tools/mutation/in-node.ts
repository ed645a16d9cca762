/** Tests that run over mutants in Node: there, a mutant takes seconds at most. */
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * @param files - In `test/`, the quickest first: a mutant that one has noticed needs no other.
 * Patterns come last.
 */
export function inNode(files: string[]) {
  class InThisOrder extends BaseSequencer {
    override async sort(specifications: TestSpecification[]) {
      const place = ({ moduleId }: TestSpecification) =>
        files.findIndex((file) => file.includes('*') || moduleId.endsWith(`/test/${file}`));
      return specifications.sort((a, b) => place(a) - place(b));
    }
  }
  return defineConfig({
    root: join(import.meta.dirname, '../../test'),
    resolve: {
      alias: {
        'vitest/browser': join(import.meta.dirname, '../../test/support/commands-in-node.ts'),
        // By its name, the package is what was built, without the mutants.
        'cardseal/checkout': join(import.meta.dirname, '../../src/checkout/index.ts'),
      },
    },
    test: {
      include: files,
      sequence: { sequencer: InThisOrder },
      testTimeout: 600_000, // Stryker itself stops what takes too long
      hookTimeout: 600_000,
    },
  });
}
