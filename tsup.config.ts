import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  target: ['chrome93', 'edge93', 'firefox92', 'safari16'],
  platform: 'browser',
  clean: true,
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } }, // tsup 8.5 sets an option that TypeScript 6 calls deprecated
});
