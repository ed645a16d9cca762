/** The code of the form that decides: as it is shipped, or with planted changes. */
import { type ChangeOfFile, load } from '../../../tools/planted/load.ts';
import type { FormCode } from './acts.ts';

export const loadForm = (...changes: ChangeOfFile[]): Promise<FormCode> =>
  load(
    `export { cardForm } from './src/form/card-form.ts';
    export { keptBlock } from './src/form/block.ts';
    export { CardEncryptionError } from './src/core/index.ts';`,
    changes,
  );
