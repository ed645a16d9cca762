/** The built package where there is no page: importing it does nothing and breaks nothing, and it works as far as the environment can. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { card, decrypt, freshKey } from '../support/core.ts';

const root = join(import.meta.dirname, '../..');

/** Runs a module in a Node of its own, in which 'cardseal' is the built package. Returns what it wrote; it must end by itself. */
function run(source: string) {
  const options = { cwd: root, encoding: 'utf8', timeout: 30_000 } as const;
  const args = ['--input-type=module', '--eval', source];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, signal, stdout, stderr };
}
const says = (stdout: string) => ({ status: 0, signal: null, stdout, stderr: '' });

/** Imports the package and compares all globals, and what they hold, with what was there before. */
const IMPORT_AND_COMPARE = `
  const { stdout } = process;
  const globals = () => new Map(Reflect.ownKeys(globalThis).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  const changes = (before, after) => [...new Set([...before.keys(), ...after.keys()])].filter((name) => {
    const [one, two] = [before.get(name), after.get(name)];
    return !one || !two || ['value', 'get', 'set', 'writable', 'enumerable', 'configurable'].some((key) => !Object.is(one[key], two[key]));
  });
  globals(); // Node 22 and later make some globals, such as undici's dispatcher, at the first look
  const before = globals();
  const cardseal = await import('cardseal');
  stdout.write(changes(before, globals()).map(String).join());
`;

/** Takes away everything that is not of the language itself: no window, no document, no crypto, no TextEncoder, no console, no process. */
const BARE = `
  import { runInNewContext } from 'node:vm';
  const language = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)'));
  language.delete('console');
  const own = process;
  for (const name of Reflect.ownKeys(globalThis)) if (!language.has(name)) delete globalThis[name];
  globalThis.process = own;
`;

// Claim import-does-nothing. Why: Every module only declares. Objects that need a feature of the
// browser are made at the first use, such as the `WeakMap` in src/core/key.ts.
test.each(['cardseal', 'cardseal/form', 'cardseal/server'])(
  'importing %s changes no global, writes nothing and keeps nothing running, in Node and where there is nothing but the language',
  (entry) => {
    const source = IMPORT_AND_COMPARE.replace("import('cardseal')", `import('${entry}')`);
    expect(run(source)).toEqual(says(''));
    expect(run(BARE + source)).toEqual(says(''));
  },
);

// Claim core-errors
test('where a page has frozen Error.prototype, an error has its name and its code', () => {
  const source = `
    Object.freeze(Error.prototype);
    const { prepareKey } = await import('cardseal');
    await prepareKey({}).catch(({ name, code }) => process.stdout.write([name, code].join()));`;
  expect(run(source)).toEqual(says('CardEncryptionError,invalid_key'));
});

// Control import-does-nothing
test('a changed global would be noticed', () => {
  expect(
    run(
      IMPORT_AND_COMPARE.replace(
        "import('cardseal')",
        "import('data:text/javascript,globalThis.planted = 1')",
      ),
    ),
  ).toEqual(says('planted'));
});

// Claim import-does-nothing
test('importing it where there is nothing but the language does the same, and prepareKey says what is missing', () => {
  const remaining =
    "stdout.write([typeof crypto, typeof TextEncoder, typeof atob, typeof document, typeof console].join() + ' ');";
  const prepare = `await cardseal.prepareKey(${JSON.stringify(freshKey())}).catch(({ code }) => stdout.write(code));`;
  expect(run(BARE + IMPORT_AND_COMPARE + remaining + prepare)).toEqual(
    says('undefined,undefined,undefined,undefined,undefined unsupported_browser'),
  );
});

test('the built package encrypts in Node', async () => {
  const { stdout, ...rest } = run(`
    import { encryptCard, prepareKey } from 'cardseal';
    process.stdout.write(JSON.stringify(await encryptCard(await prepareKey(${JSON.stringify(freshKey())}), ${JSON.stringify(card())})));
  `);
  expect(rest).toEqual({ status: 0, signal: null, stderr: '' });
  expect(await decrypt(JSON.parse(stdout))).toEqual(card());
});
