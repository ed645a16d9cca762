import type { Fault } from './fault.ts';

export const PACKAGE: readonly Fault[] = [
  {
    name: 'old tools find no form',
    file: 'tools/release/old-resolvers.mjs',
    at: 'manifest.main',
    plant: { gives: 'files.default' },
    breaks: 'Jest 27, webpack 4 and others cannot import cardseal/form',
    why: 'What packs is not mutated.',
    tests: ['node package/package'],
    isBuilt: true,
  },
  {
    name: 'the core imports the form',
    file: 'src/core/index.ts',
    at: '*',
    plant: { begins: "export { bindCardForm } from '../form/index.ts';" },
    breaks: 'who only encrypts a card loads the whole form',
    why: 'No mutant adds a statement.',
    tests: ['node package/imports'],
  },
];
