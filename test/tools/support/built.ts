/**
 * For tests of built files. Importing this module fails if `dist/` is not built from the present
 * `src/`. Tests in a browser call the command of assert-built.ts instead.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { throwIfNotBuilt } from './fingerprint.ts';

const root = join(import.meta.dirname, '../../..');

throwIfNotBuilt(root);

/** The folder of the built files. */
export const DIST = join(root, 'dist');

/** The address of a built file, for `import()`. */
export const builtUrl = (path: string) => pathToFileURL(join(DIST, path)).href;
