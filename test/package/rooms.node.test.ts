/**
 * The rooms of the form, and who may import what by name: what touches a card or a block is read by
 * a reviewer who must trust the script tag. The rest cannot reach them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../../src');

/** What runs of a file, by the name under which it is exported. Types run nothing. */
interface Import {
  file: string;
  from: string;
  name: string;
}

/** What the files of a place may import from elsewhere: names, or `*` for all, by the place. */
const MAY_IMPORT: Record<string, Record<string, string[]>> = {
  // These three get the elements of the card, to find them and to stand beside them, but neither a
  // card nor a block: see "reads no control" below.
  'form/feedback/': {
    'form/controls/': ['cardControls'],
    'form/page/': ['*'],
    'core/': ['CardEncryptionError', 'ownProperty'],
  },
  'form/page/': {
    'form/card/': ['hasDigit'], // whether a press pays by card depends on whether a field is empty
    'form/controls/': ['cardControls', 'findFields', 'isShared', 'numberAndCode'],
    'form/feedback/': ['log'],
    'core/': ['CardEncryptionError', 'checkBrowser'],
  },
  'form/controls/': {
    // For the options of a select, which the page has written.
    'form/card/': ['numberOf', 'onlyNumeral', 'readNumerals'],
    'form/feedback/': ['log'],
    'form/page/': ['concat', 'elementsOf', 'isSeen', 'unclobbered', 'wordsOf'],
    'core/': ['CardEncryptionError'],
  },
  'form/card/': {
    'form/controls/': ['*'],
    'form/feedback/': ['log'],
    'form/page/': ['concat', 'createEvent', 'elementsOf', 'unique'],
    'core/': ['CARD_FIELDS', 'CardEncryptionError', 'encodeInto'],
  },
  'form/decide.ts': { 'core/': ['CardEncryptionError'] },
  'form/key-source.ts': {
    'form/feedback/': ['isAboutCard', 'reportToPage'],
    'form/page/': ['newAborter'],
    'core/': ['CardEncryptionError', 'prepareKey'],
  },
  'form/key-requests.ts': { 'form/feedback/': ['asCardEncryptionError'] },
  // It sees test cards in the page, because it looks for them. It encrypts none, and binds no form.
  'check/': {
    'form/card/': ['holdsNumber', 'readDigits'],
    'form/controls/': ['isOfName', 'slotOf'],
    'form/feedback/': ['log'],
    'form/page/': ['*'],
  },
  'pay/': {
    'form/index.ts': ['bindCardForm'],
    'form/feedback/': ['log', 'reportToPage'],
    'form/page/': [
      ...['createElement', 'isSeen', 'newAborter', 'raise', 'rootOf', 'toJson'],
      ...['unclobbered', 'whenStill'],
    ],
    'core/': ['CardEncryptionError'],
  },
  // It gives the page the functions of the core and of the form, and calls only those of the form.
  'script-tag/': {
    'form/index.ts': ['bindCardForm'],
    'form/page/': ['checkIsForm', 'elementsOf', 'listenOn', 'unclobbered', 'watchElements'],
    'core/': ['CardEncryptionError', 'encryptCard', 'prepareKey'],
  },
  'pay-tag/': {
    'form/index.ts': ['bindCardForm'],
    'form/page/': ['unclobbered'],
    'pay/': ['HIDDEN', 'bindCheckout'],
    'script-tag/': ['all of it', 'readHeaders', 'readShared'],
  },
  'server/': { 'core/': ['*'] },
  'checkout/': { 'server/': ['*'] },
  'testing/': {},
};

function importsOf(file: string, text: string): Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((node): Import[] => {
    const isImport = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    if (!isImport || !node.moduleSpecifier) return [];
    const { text: path } = node.moduleSpecifier as ts.StringLiteral;
    const from = path.startsWith('.') ? join(file, '..', path) : path;
    return namesOf(node).map((name) => ({ file, from, name }));
  });
}

/** The names that one line imports, without types. */
function namesOf(node: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const clause = ts.isImportDeclaration(node) ? node.importClause : node;
  if (!clause) return ['all of it']; // import './file.ts'
  if (clause.isTypeOnly) return [];
  const list = ts.isImportDeclaration(node) ? node.importClause!.namedBindings : node.exportClause;
  if (!list || !('elements' in list)) return ['all of it']; // a default, `* as` or `export *`
  const values = [...list.elements].filter(({ isTypeOnly }) => !isTypeOnly);
  return values.map(({ name, propertyName }) => (propertyName ?? name).text);
}

function wrong(imports: Import[]): string[] {
  return Object.entries(MAY_IMPORT).flatMap(([place, allowed]) =>
    imports
      .filter(({ file, from }) => file.startsWith(place) && !from.startsWith(place))
      .filter(({ from, name }) => {
        const names = Object.entries(allowed).find(([other]) => from.startsWith(other))?.[1] ?? [];
        return !names.includes(name) && !names.includes('*');
      })
      .map(({ file, from, name }) => `${file} imports ${name} from ${from}`),
  );
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));
const read = (file: string) => readFileSync(join(SOURCES, file), 'utf8');
const imports = files.flatMap((file) => importsOf(file, read(file)));

test('each room imports by name what it may, and nothing else', () => {
  expect(imports.length).toBeGreaterThan(100);
  for (const place of Object.keys(MAY_IMPORT)) {
    expect(
      files.filter((file) => file.startsWith(place)),
      place,
    ).not.toEqual([]);
  }
  expect(wrong(imports)).toEqual([]);
});

test('each name that a room may import, it does import', () => {
  const unused = Object.entries(MAY_IMPORT).flatMap(([place, allowed]) =>
    Object.entries(allowed).flatMap(([other, names]) =>
      names
        .filter(
          (name) =>
            !imports.some(
              (it) =>
                it.file.startsWith(place) &&
                it.from.startsWith(other) &&
                (it.name === name || name === '*'),
            ),
        )
        .map((name) => `${place} does not import ${name} from ${other}`),
    ),
  );
  expect(unused).toEqual([]);
});

/**
 * The usual ways from an element or an event to what was typed, or to the block. A guard against
 * accidents, not a proof: code that means to read a control finds a way that is not here.
 */
const READS = new RegExp(
  [
    /\.(value|valueAs\w+|defaultValue|nodeValue|selectedOptions|selectedIndex|options)\b/,
    /\[['"`]value['"`]\]|\{[^{}]*\bvalue\b[^{}]*\} ?(\)|=)/,
    /getAttribute\(['"`]value|getAttributeNode|\.attributes\b/,
    /Reflect\.get\b|getOwnPropertyDescriptor|Object\.(entries|values)\(control/,
    /FormData|\.formData\b|URLSearchParams/,
    /(outer|inner)(HTML|Text)\b|XMLSerializer|cloneNode|importNode/,
    /\.(data|key|clipboardData|dataTransfer)\b/,
    /getSelection|\.selection(Start|End)\b|setRangeText|execCommand/,
    /\b(\w*[oO]ption|control|input|select|field)[!?]?\.(textContent|text|label)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** What looks like one of them: texts of the page's developer, a type, and members of the form. */
const NO_CARD = [
  'onFormData(data: FormData): void;',
  'ownProperty(messages, problem).value',
  '[...control.options].map(({ value }) => value)',
  'Reflect.get(formPrototype, member, form)',
];

/** The browser hands it the form's data, and it hands it on. It is in the sitting. */
const MAY_READ = ['form/page/listeners.ts'];

test.each(['form/feedback/', 'form/page/', 'form/controls/'])('%s reads no control', (room) => {
  for (const file of files.filter((it) => it.startsWith(room) && !MAY_READ.includes(it))) {
    const text = NO_CARD.reduce((rest, it) => rest.replace(it, ''), read(file));
    expect(text, file).not.toMatch(READS);
  }
});

/** What a release note or a table of compatibility says of an old browser. */
const OLD_BROWSER = /(Chrome|Firefox|Safari) (before \d|\d+(\.\d+)? to \d)|came with Chrome/;

test('what only old browsers need stands in one file', () => {
  const inForm = files.filter((file) => file.startsWith('form/') && file !== 'form/options.ts');
  const found = inForm.filter((file) => OLD_BROWSER.test(read(file)));
  expect(found).toEqual(['form/page/old-browsers.ts']);
});

/** What a reviewer who must trust the script tag reads: .github/CONTRIBUTING.md. */
const SITTING =
  /^(core\/|form\/(card\/|bind-card-form|card-form|decide|perform|block|block-input|make-block)|form\/page\/listeners)/;

/** Types and names that are handed on run nothing: nothing in such a file has to be trusted. */
function runsNothing(file: string, text: string): boolean {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  return statements.every(
    (it) =>
      ts.isInterfaceDeclaration(it) ||
      ts.isTypeAliasDeclaration(it) ||
      (ts.isModuleDeclaration(it) && it.name.text === 'global') || // types for everybody
      (ts.isImportDeclaration(it) && it.importClause?.isTypeOnly) ||
      (ts.isExportDeclaration(it) && it.moduleSpecifier),
  );
}

test('what touches a card or a block is read in one sitting', () => {
  const sitting = files.filter((file) => SITTING.test(file) && !runsNothing(file, read(file)));
  const lines = sitting.map((file) => read(file).split('\n').length - 1);
  const sum = lines.reduce((total, count) => total + count, 0);
  expect(sitting.length).toBeGreaterThan(20);
  expect(sum, 'if it is longer, raise LONGEST_SITTING, with the reason').toBeLessThan(
    LONGEST_SITTING,
  );
});

/**
 * In lines, with comments. A scale, and never a reason for dense code: raise it with a reason. The
 * last ones: fields that a framework fills again are emptied again (G12), and text beside a hidden
 * select is refused (G4); a listener of a press that passes gets its block by `encrypt()` (F4); keys
 * and pointers of the shopper are known (G3); another card that is begun while `onEncrypted` works
 * counts (F10), a hidden input that the page has removed comes back, and what the browser makes of a
 * click is told from a later task (G3). Then lines that spare readers what they had to read twice,
 * and that tell a number that `maxlength` has cut off (G8). The last ones: the page hears of emptied
 * fields without a block in the form and without `required` (F11, F12), and gets copies of the block.
 * Then lists in place of a `Map` or `Set`, because a page may have a class of that name, and a search
 * of long texts in one pass (G5).
 */
const LONGEST_SITTING = 3310;

test('each file that runs something is in the sitting, or has a row of what it may import', () => {
  const rows = Object.keys(MAY_IMPORT);
  const free = files.filter(
    (file) =>
      !SITTING.test(file) &&
      !rows.some((place) => file.startsWith(place)) &&
      !runsNothing(file, read(file)),
  );
  expect(free).toEqual([]);
});

/** The rules that outsiders' cases have shown missing, each in a comment beside its code. */
const RULES = Array.from({ length: 18 }, (_, i) => `G${i + 1}`);

test.each(RULES)('%s stands beside its code, and in a test', (rule) => {
  const isNamed = (text: string) => new RegExp(`(//|\\*).*\\b${rule}\\b`).test(text);
  const sources = files.filter((file) => file.startsWith('form/') && isNamed(read(file)));
  expect(sources).not.toEqual([]);
  const tests = ['form', 'script-tag'].flatMap((room) => {
    const folder = join(import.meta.dirname, '..', room);
    return readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  });
  expect(tests.filter((text) => new RegExp(`\\b${rule}\\b`).test(text))).not.toEqual([]);
});

describe('control:', () => {
  const found = (file: string, text: string) => wrong(importsOf(file, text));

  test.each([
    ['form/feedback/status.ts', "import { readCard } from '../card/read.ts';"],
    ['form/feedback/status.ts', "import { keptBlock } from '../block.ts';"],
    ['form/feedback/status.ts', "import * as fields from '../controls/fields.ts';"],
    [
      'form/feedback/status.ts',
      "import { cardControls as it, findFields } from '../controls/fields.ts';",
    ],
    ['form/controls/fields.ts', "import { emptyControls } from '../card/empty.ts';"],
    ['form/page/page.ts', "import { readCard } from '../card/read.ts';"],
    ['check/typed-card.ts', "import { encryptCard } from '../core/index.ts';"],
    ['checkout/orders.ts', "export { prepareKey } from '../core/index.ts';"],
    ['testing/index.ts', "import '../core/index.ts';"],
    ['script-tag/index.ts', "import { cardForm } from '../form/card-form.ts';"],
    ['pay-tag/index.ts', "import { encryptCard } from '../core/index.ts';"],
    ['form/key-source.ts', "import { keptBlock } from './block.ts';"],
    ['form/key-requests.ts', "import { cardFields } from './card/card-fields.ts';"],
  ])('%s: %s is found', (file, text) => {
    expect(found(file, text)).toHaveLength(1);
  });

  test('types are not', () => {
    const text =
      "import type { Card } from '../core/index.ts'; import { type A } from '../core/a.ts';";
    expect(found('checkout/orders.ts', text)).toEqual([]);
  });

  test.each([
    ['export interface Card { number: string }', true],
    ["export { encryptCard } from './encrypt-card.ts';", true],
    ['declare global { interface Window { card: Card } }', true],
    ["import './encrypt-card.ts';", false],
    ['export const LONGEST = 19;', false],
  ])('%s runs nothing: %s', (text, expected) => {
    expect(runsNothing('core/a.ts', text)).toBe(expected);
  });

  test.each([
    'control.value',
    'const { value, name } = control;',
    'controls.map(({ value }) => value)',
    "control.getAttribute('value')",
    'new FormData(form)',
    'control["value"]',
    "Reflect.get(control, 'value')",
    "control.getAttributeNode('value')",
    'control.attributes',
    'control.outerHTML',
    'control.cloneNode()',
    'event.data',
    'event.key',
    'event.clipboardData',
    'getSelection()',
    'control.selectionStart',
    'option.textContent',
    'chosenOption!.text',
  ])('a control that is read by %s is found', (code) => {
    expect(code).toMatch(READS);
  });

  test.each([
    'const value = 1;',
    'line.textContent = text;',
    "control.setAttribute('required', value)",
  ])('%s reads no control', (code) => {
    expect(code).not.toMatch(READS);
  });
});
