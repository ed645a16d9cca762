/** The code of the form that decides: as it is shipped, or with one line changed on purpose. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { FormCode } from './acts.ts';

const root = join(import.meta.dirname, '../../..');

/** A change of one file of `src/form`: what is replaced occurs in it exactly once. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export async function loadForm(...changes: Change[]): Promise<FormCode> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        export { cardForm } from './src/form/card-form.ts';
        export { keptBlock } from './src/form/block.ts';
        export { CardEncryptionError } from './src/core/index.ts';`,
      resolveDir: root,
    },
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'planted changes',
        setup({ onLoad }) {
          onLoad({ filter: /src.form/ }, ({ path }) => ({
            contents: changed(path, changes),
            loader: 'ts',
          }));
        },
      },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), 'cardseal-explore-'));
  const file = join(folder, 'form.mjs');
  writeFileSync(file, outputFiles[0]!.text);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function changed(path: string, changes: Change[]): string {
  let text = readFileSync(path, 'utf8');
  for (const { file, from, to } of changes) {
    if (file !== basename(path)) continue;
    if (text.split(from).length !== 2) throw new Error(`not exactly once in ${file}: ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}
