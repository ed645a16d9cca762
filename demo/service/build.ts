/**
 * `npx tsx demo/service/build.ts`: makes the package `cardseal-sandbox` in `demo/service/dist`. It
 * is the Card Payment Service of the demo, bundled into one file, so it installs nothing else.
 * Version and licence are those of cardseal.
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const target = join(import.meta.dirname, 'dist');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version, license } = readJson(join(root, 'package.json'));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

const { metafile } = await build({
  // The paths in the bundle's comments are relative to it, so they are the same everywhere
  absWorkingDir: root,
  entryPoints: ['demo/service/cli.ts'],
  outfile: join(target, 'cardseal-sandbox.cjs'),
  bundle: true,
  platform: 'node',
  format: 'cjs', // much of what it bundles is CommonJS and calls require()
  target: 'node20.19',
  define: { 'import.meta.dirname': '__dirname' }, // CommonJS has no import.meta
  banner: { js: `#!/usr/bin/env node\n/*! cardseal-sandbox ${version}, ${license} */` },
  metafile: true,
});
chmodSync(join(target, 'cardseal-sandbox.cjs'), 0o755);

const manifest = {
  name: 'cardseal-sandbox',
  version,
  description:
    'A Card Payment Service to try out cardseal, on your own machine, with test cards and faults.',
  keywords: ['cardseal', 'payment', 'card', 'sandbox', 'testing'],
  license,
  bin: { 'cardseal-sandbox': './cardseal-sandbox.cjs' },
  engines: { node: '>=20.19' },
  files: ['cardseal-sandbox.cjs', 'page', 'Containerfile', 'THIRD-PARTY-LICENSES.txt'],
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
for (const name of ['README.md', 'Containerfile']) {
  copyFileSync(join(import.meta.dirname, name), join(target, name));
}
cpSync(join(import.meta.dirname, 'page'), join(target, 'page'), { recursive: true });
copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
writeFileSync(join(target, 'THIRD-PARTY-LICENSES.txt'), licensesOf(metafile));

/** The licences of the packages that are in the bundle: they ask to be passed on with it. */
function licensesOf({ inputs }: Metafile): string {
  const folders = new Set(Object.keys(inputs).flatMap((path) => packageFolder(path) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = readJson(join(root, folder, 'package.json'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file && !license) throw new Error(`${name} has no licence`);
    const text = file
      ? readFileSync(join(root, folder, file), 'utf8').trim()
      : `Licence: ${license}`;
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/**
 * The folder of the package that a bundled file is from, or `undefined` for a file of this
 * repository.
 */
function packageFolder(path: string): string | undefined {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(`${dirname(path)}/`);
  return match?.[1];
}
