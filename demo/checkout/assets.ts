import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/** What the pages load, by file name. Made anew at each start. */
export function buildAssets(): Map<string, Asset> {
  return new Map([
    ['checkout.css', stylesheet('checkout.css')],
    ['bundled.js', script('bundled/script.ts')],
    ['cardseal.js', { type: 'text/javascript', body: readFileSync(join(import.meta.dirname, '../../dist/cardseal.js'), 'utf8') }],
  ]);
}

/** What the explanation beside the pages loads, by file name. */
export function buildExplanation(): Map<string, Asset> {
  return new Map([
    ['explained.css', stylesheet('explained/explained.css')],
    ['panel.js', script('explained/panel.ts')],
  ]);
}

export interface Asset {
  type: string;
  body: string;
}

function stylesheet(path: string): Asset {
  return { type: 'text/css', body: readFileSync(join(import.meta.dirname, path), 'utf8') };
}

/** As a checkout developer's bundler would: one module of the page's script and what it uses of cardseal. */
function script(entry: string): Asset {
  const entryPoints = [join(import.meta.dirname, entry)];
  const { outputFiles } = buildSync({ entryPoints, bundle: true, write: false, format: 'esm', target: 'es2022', charset: 'utf8' });
  return { type: 'text/javascript', body: outputFiles[0]!.text };
}
