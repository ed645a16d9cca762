/** Loads code of this repository: as it is, or with planted changes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { type Change, plant } from './plant.ts';

const root = join(import.meta.dirname, '../..');

export interface ChangeOfFile extends Change {
  /** From the top of the repository. */
  readonly file: string;
}

/**
 * @param contents - A module, in the top folder of the repository.
 * @returns What it exports.
 */
export async function load(contents: string, changes: readonly ChangeOfFile[]) {
  const planted = new Set<string>();
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'planted changes',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const file = relative(root, path).replaceAll('\\', '/');
            const own = changes.filter((change) => change.file === file);
            if (own.length) planted.add(file);
            return { contents: own.reduce(plant, readFileSync(path, 'utf8')), loader: 'ts' };
          });
        },
      },
    ],
  });
  for (const { file } of changes) {
    if (!planted.has(file)) throw new Error(`${file} is not part of it`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'cardseal-planted-'));
  const path = join(folder, 'code.mjs');
  writeFileSync(path, outputFiles[0]!.text);
  try {
    return await import(/* @vite-ignore */ pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
