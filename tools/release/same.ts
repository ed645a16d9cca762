/**
 * `node tools/release/same.mjs [FOLDER]`: each script in `dist/` is, to the byte, what the command lines of
 * tsc, Rollup and Terser make of `src/`. So a reader of `src/` has read what runs. It shares no
 * code with `build/`, and takes seconds.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const dist = process.argv[2] ?? join(root, 'dist');
const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const PAGES = { target: 'ES2018', useDefineForClassFields: false };
const SERVERS = { target: 'ES2022', useDefineForClassFields: true };
/** The target of each room whose modules are published. */
const MODULES: Record<string, typeof PAGES> = {
  ...{ core: PAGES, form: PAGES, pay: PAGES, server: PAGES },
  ...{ checkout: SERVERS, testing: SERVERS },
};
/** The room that each classic script is made of. */
const SCRIPTS: Record<string, string> = {
  'cardseal.readable.js': 'script-tag',
  'cardseal.js': 'script-tag',
  'cardseal.pay.readable.js': 'pay-tag',
  'cardseal.pay.js': 'pay-tag',
  'cardseal.check.js': 'check',
};

const folder = mkdtempSync(join(tmpdir(), 'same-'));
try {
  const compiled = new Map([PAGES, SERVERS].map((target, i) => [target, compile(target, `${i}`)]));
  const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.js'));
  const different = scripts.filter((file) => readFileSync(join(dist, file), 'utf8') !== make(file));
  const integrity = JSON.parse(readFileSync(join(dist, 'integrity.json'), 'utf8'));
  const wrong = scripts.filter((file) => integrity[file] !== hashOf(join(dist, file)));
  for (const file of different) console.error(`dist/${file} is not what src/ makes`);
  for (const file of wrong) console.error(`dist/integrity.json has another hash of ${file}`);
  console.log(`${scripts.length - different.length} of ${scripts.length} scripts are the same`);
  process.exitCode = different.length + wrong.length > 0 || scripts.length < 50 ? 1 : 0;

  /** What the file should be; `undefined` if nothing in `src/` makes it. */
  function make(file: string): string | undefined {
    const room = SCRIPTS[file];
    if (room) return script(join(compiled.get(PAGES)!, room, 'index.js'), file);
    const target = MODULES[file.split('/')[0]!];
    return target && readFileSync(join(compiled.get(target)!, file), 'utf8');
  }
} finally {
  rmSync(folder, { recursive: true });
}

function run(program: string, ...args: string[]): string {
  const path = join(root, 'node_modules', program);
  return execFileSync(process.execPath, [path, ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Returns the folder of the modules. Types are checked by `npm run typecheck`. */
function compile(target: typeof PAGES, name: string): string {
  const config = join(folder, `${name}.json`);
  const compilerOptions = {
    ...target,
    module: 'ESNext',
    verbatimModuleSyntax: true,
    rewriteRelativeImportExtensions: true,
    newLine: 'lf',
    types: [],
    noCheck: true,
    noEmit: false,
    rootDir: join(root, 'src'),
    outDir: join(folder, name),
  };
  const include = [join(root, 'src/**/*.ts')];
  const text = { extends: join(root, 'tsconfig.json'), compilerOptions, include };
  writeFileSync(config, JSON.stringify(text));
  run('typescript/bin/tsc', '--project', config);
  return join(folder, name);
}

function script(input: string, file: string): string {
  const bundled = join(folder, file);
  const rollup = ['--format', 'iife', '--indent', '  ', '--silent', '--file', bundled];
  run('rollup/dist/bin/rollup', input, ...rollup);
  const terser = ['--ecma', '2018', '--safari10', '-c', 'passes=3', '-m', '-f', 'ascii_only=true'];
  const text = file.endsWith('.readable.js')
    ? readFileSync(bundled, 'utf8')
    : run('terser/bin/terser', bundled, ...terser).trimEnd();
  return `/*! cardseal ${version}, ${license} */\n${text}`;
}

function hashOf(file: string): string {
  return `sha384-${createHash('sha384').update(readFileSync(file)).digest('base64')}`;
}
