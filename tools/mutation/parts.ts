/**
 * What is mutated, and who judges it: the first judge sees every mutant, each later one those that
 * live so far. A judge is a set of tests, those of `NAME.vitest.config.ts`; or TypeScript, which
 * sees mutants that no program could have.
 */
import type { PartialStrykerOptions } from '@stryker-mutator/api/core';

/** The rules of a press: what test/form/explore runs with everything around it simulated. */
const RULES = ['block', 'card-form', 'decide', 'key-requests', 'make-block', 'perform'].map(
  (name) => `src/form/${name}.ts`,
);

export const PARTS: { [part: string]: { mutate: string[]; judges: Judge[] } } = {
  core: { mutate: ['src/core/*.ts', 'src/server/*.ts'], judges: ['core', 'types'] },
  // Only the databases themselves can judge their stores: `npm run interop`.
  checkout: {
    mutate: ['src/checkout/*.ts', '!src/checkout/{mysql,postgres,sqlite}-store.ts'],
    judges: ['checkout', 'types'],
  },
  rules: { mutate: RULES, judges: ['rules', 'form', 'types'] },
  form: {
    mutate: ['src/form/**/*.ts', 'src/script-tag/index.ts', ...RULES.map((file) => `!${file}`)],
    judges: ['form', 'types'],
  },
  // What the table does not decide is carried out in a page: only the tests of a page see it.
  pay: { mutate: ['src/pay/decide.ts'], judges: ['pay', 'types'] },
  // Only test/check/list.e2e.test.ts sees the list.
  check: { mutate: ['src/check/*.ts', '!src/check/list.ts'], judges: ['search', 'check', 'types'] },
};

/** TypeScript takes more time than the tests: it judges what they let live. */
const IN_NODE = { timeoutMS: 20_000, checkers: [] };
const IN_CHROMIUM = { timeoutMS: 10_000, checkers: [], buildCommand: 'npm run build' };

export const JUDGES = {
  core: IN_NODE,
  checkout: IN_NODE,
  pay: IN_NODE,
  rules: IN_NODE,
  search: IN_NODE,
  types: { testRunner: 'command', commandRunner: { command: 'exit 0' }, coverageAnalysis: 'off' },
  form: IN_CHROMIUM,
  check: IN_CHROMIUM,
} satisfies { [judge: string]: PartialStrykerOptions };
export type Judge = keyof typeof JUDGES;
