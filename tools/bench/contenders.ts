/** What can encrypt a card in a page, and how each becomes the script of one: bundled alike for all. Wants the built files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface Contender {
  /** Of its file in contenders/. */
  name: string;
  /** In the tables. */
  label: string;
}

export const SNIPPET = 'snippet';
export const CARDSEAL = 'cardseal';

export const CONTENDERS: Contender[] = [
  { name: CARDSEAL, label: '**Cardseal**' },
  { name: SNIPPET, label: 'the usual WebCrypto snippet' },
  { name: 'jose', label: `jose ${version('jose')}, \`CompactEncrypt\`` },
  { name: 'adyen-cse-js', label: `adyen-cse-js ${version('adyen-cse-js')}` },
  { name: 'jsencrypt', label: `jsencrypt ${version('jsencrypt')}, \`encryptOAEP\`` },
  { name: 'node-forge', label: `node-forge ${version('node-forge')}` },
  { name: 'openpgp', label: `openpgp ${version('openpgp')}` },
];

function version(name: string): string {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, 'node_modules', name, 'package.json'), 'utf8'),
  ).version;
}

/** A page's whole script, minified, from a file below this folder: sets the global `contender` to what it takes from that file. */
export async function bundle(file: string, names = ['prepare', 'encrypt']): Promise<string> {
  const list = `{ ${names.join(', ')} }`;
  const { outputFiles } = await build({
    stdin: {
      contents: `import ${list} from './${file}.js'; globalThis.contender = ${list};`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    platform: 'browser',
    legalComments: 'none',
  });
  return outputFiles[0]!.text;
}
