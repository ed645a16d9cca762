import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Place, type Stack } from '../stack.ts';

const COMPILERS = ['5.0', '5.4', '6.0', '7.0'] as const;
type Compiler = (typeof COMPILERS)[number];

type Options = Record<string, string>;
const FOR_BUNDLERS: Options = { module: 'esnext', moduleResolution: 'bundler' };
const NODE16: Options = { module: 'node16', moduleResolution: 'node16' };
const NODENEXT: Options = { module: 'nodenext', moduleResolution: 'nodenext' };
const NODE10: Options = { module: 'esnext', moduleResolution: 'node10' };

const PAGE = join(import.meta.dirname, '../../../docs/errors.md');

/** The app's package.json has no `"type"`, so its `.ts` files are CommonJS modules. */
export const tsc: Stack = {
  name: 'tsc',
  packages: COMPILERS.map((compiler) => `typescript-${compiler}`),
  checks: {
    '`bundler` with 5.0, 5.4, 6.0, 7.0': compile(COMPILERS, FOR_BUNDLERS, 'consumer.ts'),
    '`node16` in an ES module with 5.0, 5.4, 6.0, 7.0': compile(COMPILERS, NODE16, 'consumer.mts'),
    '`node16` in a CommonJS module by `await import()` with 5.0, 5.4, 6.0, 7.0': compile(
      COMPILERS,
      NODE16,
      'import-later.ts',
    ),
    '`nodenext` in a CommonJS module with 6.0, 7.0': compile(
      ['6.0', '7.0'],
      NODENEXT,
      'consumer.ts',
    ),
    '`node10` with 5.0, 5.4': compile(['5.0', '5.4'], NODE10, 'consumer.ts'),
    '`node10` with 6.0 and `ignoreDeprecations`': compile(
      ['6.0'],
      { ...NODE10, ignoreDeprecations: '6.0' },
      'consumer.ts',
    ),
    'documented error of `node16` in a CommonJS module': fail(
      ['5.0', '5.4'],
      NODE16,
      "error TS1479: The current file is a CommonJS module whose imports will produce 'require' calls",
    ),
    'documented error of `node10` with 6.0': fail(
      ['6.0'],
      NODE10,
      "error TS5107: Option 'moduleResolution=node10' is deprecated",
    ),
    'documented error of `node10` with 7.0': fail(
      ['7.0'],
      NODE10,
      "error TS5108: Option 'moduleResolution=node10' has been removed.",
    ),
    'a wrong call is an error, in every way': refuse,
  },
};

function run({ app }: Place, compiler: Compiler, options: Options, file: string) {
  const program = join(app.folder, `node_modules/typescript-${compiler}/bin/tsc`);
  const rules = { strict: true, noEmit: true, skipLibCheck: false, types: [] };
  const target = { target: 'es2022', lib: ['es2022', 'dom'] };
  const config = { compilerOptions: { ...options, ...rules, ...target }, files: [file] };
  writeFileSync(join(app.folder, 'tsconfig.json'), JSON.stringify(config));
  return app.tryToRun(process.execPath, [program]);
}

function compile(compilers: readonly Compiler[], options: Options, file: string) {
  return async (place: Place) => {
    for (const compiler of compilers) {
      const { status, output } = await run(place, compiler, options, file);
      expect(status === 0, `TypeScript ${compiler}: ${output}`);
    }
  };
}

/** The error is the one that docs/errors.md has. */
function fail(compilers: Compiler[], options: Options, error: string) {
  return async (place: Place) => {
    expect(readFileSync(PAGE, 'utf8').includes(error), `docs/errors.md has no '${error}'`);
    for (const compiler of compilers) {
      const { output } = await run(place, compiler, options, 'consumer.ts');
      expect(output.includes(error), `TypeScript ${compiler} says instead: ${output}`);
    }
  };
}

/** Control: the compilers run, and they read the types. */
async function refuse(place: Place): Promise<void> {
  for (const compiler of COMPILERS) {
    const { output } = await run(place, compiler, FOR_BUNDLERS, 'wrong.ts');
    expect(output.includes('TS2554'), `TypeScript ${compiler} says instead: ${output}`);
  }
  const { output } = await run(place, '5.4', NODE10, 'wrong.ts');
  expect(output.includes('TS2554'), `TypeScript 5.4 with node10 says instead: ${output}`);
}
