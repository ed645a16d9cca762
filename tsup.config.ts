import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { minify } from 'terser';
import { defineConfig } from 'tsup';
import { license, version } from './package.json';

const target = ['chrome93', 'edge93', 'firefox92', 'safari16'];

export default defineConfig({
  // For bundlers: one readable file for each source file, under its name. So every entry shares the one CardEncryptionError.
  entry: ['src/*.ts', 'src/form/*.ts', '!src/script-tag.ts'],
  format: 'esm',
  target,
  platform: 'browser',
  splitting: false,
  esbuildPlugins: [
    {
      name: 'one file for each source file',
      setup: (build) =>
        build.onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path }) =>
          kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
        ),
    },
  ],
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } }, // tsup 8.5 sets an option that TypeScript 6 calls deprecated
  onSuccess: buildScriptTag,
});

/** For the script tag: everything in one classic script, readable; the same minified; and what stands in `integrity` for each. */
async function buildScriptTag() {
  const banner = `/*! cardseal ${version}, ${license} */`;
  const { outputFiles } = await build({ entryPoints: ['src/script-tag.ts'], bundle: true, format: 'iife', target, write: false });
  const readable = outputFiles[0]!.text;
  const { code } = await minify(readable, { ecma: 2020, format: { ascii_only: true } }); // 200 bytes less than by esbuild
  const integrity: Record<string, string> = {};
  for (const [file, text] of Object.entries({ 'cardseal.js': code!, 'cardseal.readable.js': readable })) {
    const contents = `${banner}\n${text}`;
    writeFileSync(`dist/${file}`, contents);
    integrity[file] = `sha384-${createHash('sha384').update(contents).digest('base64')}`;
  }
  writeFileSync('dist/integrity.json', `${JSON.stringify(integrity, null, 2)}\n`);
}
