/**
 * `npm run size`: what a page must load to encrypt a card, bundled alike for all: minified, then brotli at its strongest. Bytes are
 * exact, so the bounds are checked: a bound that is passed makes the command fail. Wants the built files (`npm run build`).
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

interface Page {
  name: string;
  /** The page's module. */
  source: string;
  /** The most bytes it may take with brotli. */
  bound?: number;
}

const PAGES: Page[] = [
  {
    name: 'cardseal',
    source: `import { encryptCard, prepareKey } from 'cardseal'; globalThis.page = { encryptCard, prepareKey };`,
    bound: 2300,
  },
];

export interface Size {
  name: string;
  minified: number;
  gzip: number;
  brotli: number;
  bound?: number;
}

export async function measure({ name, source, bound }: Page): Promise<Size> {
  const result = await build({
    stdin: { contents: source, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    legalComments: 'none',
  });
  const code = result.outputFiles[0]!.contents;
  const size = { name, minified: code.length, gzip: gzipSync(code, { level: 9 }).length, brotli: brotliCompressSync(code).length };
  return bound === undefined ? size : { ...size, bound };
}

const sizes = await Promise.all(PAGES.map(measure));
console.table(Object.fromEntries(sizes.map(({ name, ...size }) => [name, size])));
for (const { name, brotli, bound } of sizes) {
  if (bound !== undefined && brotli > bound) {
    console.error(`${name} takes ${brotli} bytes (brotli), more than its bound of ${bound}.`);
    process.exitCode = 1;
  }
}
