import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/** What the pages load, by file name. Made anew at each start. */
export function buildAssets(): Map<string, { type: string; body: string }> {
  return new Map([
    ['checkout.css', { type: 'text/css', body: readFileSync(join(import.meta.dirname, 'checkout.css'), 'utf8') }],
    ['bundled.js', { type: 'text/javascript', body: bundle('bundled/script.ts') }],
  ]);
}

/** As a checkout developer's bundler would: one module of the page's script and what it uses of cardseal. */
function bundle(entry: string): string {
  const entryPoints = [join(import.meta.dirname, entry)];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, format: 'esm', target: 'es2022', charset: 'utf8' });
  return outputFiles[0]!.text;
}
