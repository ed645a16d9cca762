/**
 * `npm run size`: what a page must load to encrypt a card, bundled alike for all: minified, then gzip and brotli at their strongest. Bytes
 * are exact, so the bounds are checked: a bound that is passed makes the command fail.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundle, CARDSEAL, CONTENDERS } from './contenders.ts';

/** All in bytes. */
export interface Size {
  name: string;
  label: string;
  minified: number;
  gzip: number;
  brotli: number;
  /** The most that `brotli` may be. */
  bound?: number;
}

const DIST = join(import.meta.dirname, '../../dist');

export async function measureSizes(): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const { name, label } of CONTENDERS) sizes.push({ name, label, ...measure(await bundle(`contenders/${name}`)) });
  sizes.find(({ name }) => name === CARDSEAL)!.bound = 2300;
  const form = await bundle('contenders/cardseal-form', ['prepare', 'encrypt', 'bindCardForm']);
  const script = readFileSync(join(DIST, 'cardseal.js'), 'utf8');
  sizes.splice(1, 0, { name: 'cardseal/form', label: '**Cardseal** with `bindCardForm`', ...measure(form) });
  sizes.splice(2, 0, { name: 'cardseal.js', label: '**Cardseal**, the script tag', ...measure(script), bound: 6000 });
  return sizes;
}

function measure(script: string) {
  const bytes = Buffer.from(script);
  return { minified: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
}

export const isTooBig = ({ brotli, bound = Number.POSITIVE_INFINITY }: Size) => brotli > bound;

async function main() {
  const sizes = await measureSizes();
  console.table(Object.fromEntries(sizes.map(({ name, label: _, ...size }) => [name, size])));
  for (const { name, brotli, bound } of sizes.filter(isTooBig)) {
    console.error(`${name} takes ${brotli} bytes (brotli), more than its bound of ${bound}.`);
    process.exitCode = 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
