/** Says what `dist/` was built from, so that no test passes on files from older sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The build writes {@link fingerprint} into this file. */
export const BUILT_FROM = 'dist/built-from.json';

/** The version, and one hash over all that the build reads: `src/` and the build's configuration. */
export function fingerprint(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .sort();
  const hash = createHash('sha256');
  for (const path of [...sources, 'tsup.config.ts', 'build/index.js']) {
    hash.update(`${path}\0`);
    hash.update(readFileSync(join(root, path)));
    hash.update('\0');
  }
  const built = { version, sources: `sha256-${hash.digest('base64')}` };
  return `${JSON.stringify(built, null, 2)}\n`;
}

/** Throws if the built files below `root` are missing or older than their sources. */
export function throwIfNotBuilt(root: string): void {
  const file = join(root, BUILT_FROM);
  if (existsSync(file) && readFileSync(file, 'utf8') === fingerprint(root)) return;
  throw new Error('dist/ is not built from the present src/: run npm run build');
}
