/**
 * For tests of built files. Importing this module fails if `dist/` is not built from the present
 * `src/`. Tests in a browser call the command of assert-built.ts instead.
 */
import { join } from 'node:path';
import { throwIfNotBuilt } from '../../build/fingerprint.ts';

const root = join(import.meta.dirname, '../..');

throwIfNotBuilt(root);

/** The folder of the built files. */
export const DIST = join(root, 'dist');
