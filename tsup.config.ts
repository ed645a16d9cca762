import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { minify } from 'terser';
import { defineConfig } from 'tsup';
import {
  type CompilerOptions,
  ModuleKind,
  NewLineKind,
  ScriptTarget,
  transpileModule,
} from 'typescript';
import { BUILT_FROM, fingerprint } from './build/fingerprint.ts';
import { license, version } from './package.json';

export default defineConfig({
  // For bundlers: one module for each source file, under its name.
  // So all entries share one CardEncryptionError.
  entry: ['src/{core,server,checkout,pay,testing}/*.ts', 'src/form/**/*.ts'],
  format: 'esm',
  bundle: false,
  dts: false,
  plugins: [
    {
      name: 'TypeScript writes each module, because esbuild drops comments',
      renderChunk: (_code, { entryPoint }) => ({
        code: compile(entryPoint!, {
          rewriteRelativeImportExtensions: true,
          ...(/^src.(checkout|testing)/.test(entryPoint!) && FOR_SERVERS),
        }),
      }),
    },
  ],
  async onSuccess() {
    await buildDeclarations();
    await buildScripts();
    copyMessages();
    writeIntegrity();
    writeImportMap();
    writeFileSync(BUILT_FROM, fingerprint('.'));
  },
});

/** `fetch` came to servers after these, and test runners are as young. */
const FOR_SERVERS = { target: ScriptTarget.ES2022, useDefineForClassFields: true };

/** Readable JavaScript with the comments of the source. */
function compile(path: string, options: CompilerOptions = {}): string {
  const { outputText } = transpileModule(readFileSync(path, 'utf8'), {
    compilerOptions: {
      target: ScriptTarget.ES2018, // all that Safari 12 and Firefox 60 parse: docs/browsers.md
      module: ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      useDefineForClassFields: false,
      newLine: NewLineKind.LineFeed,
      ...options,
    },
  });
  return outputText;
}

/**
 * One declaration file for each public entry. It holds what the entry exports and nothing else.
 * The others take the types of the core from its declarations. The declarations of a script file
 * are those of its global.
 */
async function buildDeclarations() {
  for (const room of ['core', 'form', 'pay', 'server', 'checkout', 'testing'])
    await bundleDeclarations(`src/${room}/index.ts`, `dist/${room}/index.d.ts`);
  for (const [room, file] of SCRIPTS)
    await bundleDeclarations(`src/${room}/global.ts`, `dist/${file}.d.ts`);
}

/** The rooms that become classic scripts, and the names of the files. */
const SCRIPTS = [
  ['script-tag', 'cardseal'],
  ['pay-tag', 'cardseal.pay'],
  ['check', 'cardseal.check'],
] as const;

async function bundleDeclarations(input: string, file: string) {
  const own = input.split('/')[1];
  const bundle = await rollup({
    input,
    plugins: [
      {
        name: 'the types of another room come from its entry',
        resolveId(source, importer) {
          if (!importer) return null;
          const module = relative('src', resolve(dirname(importer), source)).replaceAll('\\', '/');
          const [room] = module.split('/');
          if (room === own) return null;
          const script = SCRIPTS.find(([name]) => name === room)?.[1];
          const id = relative(dirname(file), `dist/${script ?? `${room}/index`}.js`);
          return { id: id.startsWith('.') ? id : `./${id}`, external: true };
        },
      },
      dts(),
    ],
  });
  await bundle.write({ file });
  await bundle.close();
}

/**
 * For pages: classic scripts with everything that they need. Those that a page has in production
 * are there readable and minified, the check minified.
 */
async function buildScripts() {
  const scriptTag = await bundleScript('script-tag');
  const payTag = await bundleScript('pay-tag');
  const check = await bundleScript('check');
  const files = {
    'cardseal.js': await minified(scriptTag),
    'cardseal.readable.js': scriptTag,
    'cardseal.pay.js': await minified(payTag),
    'cardseal.pay.readable.js': payTag,
    'cardseal.check.js': await minified(check),
  };
  const banner = `/*! cardseal ${version}, ${license} */`;
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(`dist/${file}`, `${banner}\n${text}`);
  }
}

/** The texts of the form, and for `bindCheckout` the same with those about outcomes. */
function copyMessages() {
  cpSync('src/messages', 'dist/messages', { recursive: true });
  for (const file of readdirSync('src/messages/pay')) {
    const [ofForm, ofOutcomes] = [`src/messages/${file}`, `src/messages/pay/${file}`].map((path) =>
      JSON.parse(readFileSync(path, 'utf8')),
    );
    const all = JSON.stringify({ ...ofForm, ...ofOutcomes }, null, 2);
    writeFileSync(`dist/messages/pay/${file}`, `${all}\n`);
  }
}

/** The values for the attribute `integrity` and for import maps: of every script in `dist/`. */
function writeIntegrity() {
  const integrity: Record<string, string> = {};
  for (const path of readdirSync('dist', { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.js')) continue;
    const hash = createHash('sha384').update(readFileSync(join('dist', path)));
    integrity[path.replaceAll('\\', '/')] = `sha384-${hash.digest('base64')}`;
  }
  writeFileSync('dist/integrity.json', `${JSON.stringify(integrity, null, 2)}\n`);
}

/**
 * An import map for pages without a bundler that have this folder under `/cardseal/`: with the hash
 * of each module that they can reach.
 */
function writeImportMap() {
  const at = (path: string) => `/cardseal/${path}`;
  const integrity: Record<string, string> = JSON.parse(readFileSync('dist/integrity.json', 'utf8'));
  const ofPages = Object.entries(integrity).filter(([path]) => PAGE_MODULES.test(path));
  const map = {
    imports: {
      cardseal: at('core/index.js'),
      'cardseal/form': at('form/index.js'),
      'cardseal/pay': at('pay/index.js'),
    },
    integrity: Object.fromEntries(ofPages.map(([path, hash]) => [at(path), hash])),
  };
  writeFileSync('dist/importmap.json', `${JSON.stringify(map, null, 2)}\n`);
}

const PAGE_MODULES = /^(core|form|pay)\//;

async function minified(script: string): Promise<string> {
  const { code } = await minify(script, {
    ecma: 2018,
    safari10: true,
    compress: { passes: 3 },
    format: { ascii_only: true },
  });
  return code!;
}

async function bundleScript(room: string): Promise<string> {
  const bundle = await rollup({
    input: `src/${room}/index.ts`,
    plugins: [{ name: 'TypeScript compiles each module', load: (path) => compile(path) }],
  });
  const { output } = await bundle.generate({ format: 'iife', indent: '  ' });
  await bundle.close();
  return output[0].code;
}
