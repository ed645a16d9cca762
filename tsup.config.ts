import { defineConfig } from 'tsup';

const target = ['chrome93', 'edge93', 'firefox92', 'safari16'];

export default defineConfig([
  {
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
  },
]);
