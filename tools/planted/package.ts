import type { Fault } from './fault.ts';

export const PACKAGE: readonly Fault[] = [
  {
    name: 'old tools find no form',
    file: 'tools/release/old-resolvers.mjs',
    before: 'main: `.',
    after: 'main: `',
    breaks: 'Jest 27, webpack 4 and others cannot import cardseal/form',
    tests: ['node package/package'],
    isBuilt: true,
  },
  {
    name: 'the core imports the form',
    file: 'src/core/index.ts',
    before: 'export { CardEncryptionError }',
    after: "export { bindCardForm } from '../form/index.ts';\nexport { CardEncryptionError }",
    breaks: 'who only encrypts a card loads the whole form',
    tests: ['node package/imports'],
  },
];
