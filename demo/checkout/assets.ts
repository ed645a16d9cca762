import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const DIST = join(import.meta.dirname, '../../dist');

/** A file that a page loads. */
export interface Asset {
  /** The media type, for the `Content-Type` header. */
  type: string;
  body: string;
}

/** The files that the checkout pages load, by file name. They are built at each start. */
export function buildAssets(): Map<string, Asset> {
  const here = import.meta.dirname;
  const cardseal = readFileSync(join(DIST, 'cardseal.pay.js'), 'utf8');
  return new Map([
    ['checkout.css', stylesheet(here, 'checkout.css')],
    ['bundled.js', script(here, 'script.ts')],
    ['cardseal.pay.js', { type: 'text/javascript', body: cardseal }],
  ]);
}

/** What `integrity` of the script tag says: the browser runs no other file. */
export function scriptTag() {
  const hashes = JSON.parse(readFileSync(join(DIST, 'integrity.json'), 'utf8'));
  return { src: '/assets/cardseal.pay.js', integrity: hashes['cardseal.pay.js'] as string };
}

export function stylesheet(folder: string, file: string): Asset {
  return { type: 'text/css', body: readFileSync(join(folder, file), 'utf8') };
}

/** Bundles a script as a checkout developer's bundler does: the module and what it imports. */
export function script(folder: string, entry: string): Asset {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
  });
  return { type: 'text/javascript', body: outputFiles[0]!.text };
}
