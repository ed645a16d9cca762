/**
 * Which browsers the built files need, by MDN's compatibility data. Node only.
 *
 * A syntax tree of a built file has names without types. TypeScript knows from `src/` which
 * interface a property of that name belongs to, for example that `values` means `Map.values`.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type AnyNode, type Node, parse } from 'acorn';
import { full, simple } from 'acorn-walk';
import { analyze } from 'eslint-scope';
import ts from 'typescript';

const root = join(import.meta.dirname, '../../..');

/** The oldest versions that the documents promise. iOS 12.2 came with the engine of Safari 12.1. */
export const FLOOR = { chrome: 64, edge: 79, firefox: 60, safari: 12.1, safari_ios: 12.2 };
export type Browser = keyof typeof FLOOR;
export const BROWSERS = Object.keys(FLOOR) as Browser[];
export const NAMES: Record<Browser, string> = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  safari: 'Safari',
  safari_ios: 'iOS',
};

/** First version with a feature, for each browser. `Infinity`: there is none yet. */
export type Versions = Record<Browser, number>;

/** A feature, by its path in the compatibility data, and a line that uses it. */
export interface Use {
  feature: string;
  line: number;
}

interface Statement {
  version_added: string | boolean | null;
  version_removed?: string;
  flags?: unknown;
  prefix?: string;
  alternative_name?: string;
}
interface Data {
  __compat?: { support: Record<Browser, Statement | Statement[]> };
  [name: string]: Data | unknown;
}

const data: Data = JSON.parse(
  readFileSync(join(root, 'node_modules/@mdn/browser-compat-data/data.json'), 'utf8'),
);

/** The first versions with a feature. Throws if the compatibility data do not know it. */
export function versionsOf(feature: string): Versions {
  const support = lookUp(feature)?.__compat?.support;
  if (!support) throw new Error(`There is no compatibility data for ${feature}`);
  const versions = {} as Versions;
  const acceptDefects = DEFECTS_DO_NO_HARM.includes(feature);
  for (const browser of BROWSERS)
    versions[browser] = firstVersion([support[browser]].flat(), acceptDefects);
  return versions;
}

/** Whether one of the promised browsers lacks the feature. */
export function isTooNew(feature: string): boolean {
  const versions = versionsOf(feature);
  return BROWSERS.some((browser) => versions[browser] > FLOOR[browser]);
}

/** For messages: 'needs Chrome 76, Firefox 75'. Names the browsers that are above the floor. */
export function needs(feature: string): string {
  const versions = versionsOf(feature);
  const above = BROWSERS.filter((browser) => versions[browser] > FLOOR[browser]);
  const list = above.map((browser) => `${NAMES[browser]} ${format(versions[browser])}`);
  return `needs ${list.join(', ')}`;
}

export const format = (version: number) => (version === Infinity ? 'none yet' : String(version));

function lookUp(feature: string): Data | undefined {
  let found: Data | undefined = data;
  for (const part of feature.split('.')) found = found?.[part] as Data | undefined;
  return found;
}

function firstVersion(statements: Statement[], acceptDefects: boolean): number {
  const plain = statements.filter(
    ({ flags, prefix, alternative_name }) => !flags && !prefix && !alternative_name,
  );
  const lasting = plain.filter(({ version_removed }) => !version_removed);
  const first = Math.min(Infinity, ...lasting.map(({ version_added }) => toNumber(version_added)));
  const defective = plain.find(
    ({ version_removed }) => version_removed && toNumber(version_removed) === first,
  );
  return acceptDefects && defective ? toNumber(defective.version_added) : first;
}

/** Features whose older, defective form does for the library, and why. */
const DEFECTS_DO_NO_HARM = [
  'api.KeyboardEvent.repeat', // wrong before Chrome 137 only if several keys are held down
];

function toNumber(version: string | boolean | null): number {
  if (version === true) return 0;
  return typeof version === 'string' && version !== 'preview'
    ? Number(version.replace('≤', ''))
    : Infinity;
}

/** All features with a name, by that name: `api.*.name`, globals, and methods of built-ins. */
const featuresByName = new Map<string, string[]>();
/** Options, such as `signal` of `addEventListener`, and events, such as `formdata`, by name. */
const optionsByName = new Map<string, string[]>();
const eventsByName = new Map<string, string[]>();

function register(features: Map<string, string[]>, name: string, feature: string) {
  features.set(name, [...(features.get(name) ?? []), feature]);
}

function registerAll(part: Data, path: string) {
  for (const [key, value] of Object.entries(part)) {
    if (key === '__compat' || key === '__meta') continue;
    const child = value as Data;
    const feature = `${path}.${key}`;
    const option = /^options_(\w+)_parameter$/.exec(key);
    if (option) register(optionsByName, option[1]!, feature);
    else if (key.endsWith('_event'))
      register(eventsByName, key.slice(0, -'_event'.length), feature);
    else if (child.__compat) register(featuresByName, key.replace(/_static$/, ''), feature);
    registerAll(child, feature);
  }
}
registerAll(data.api as Data, 'api');
registerAll((data.javascript as Data).builtins as Data, 'javascript.builtins');

/**
 * What came to a browser after a version: built-ins of the language, and members and events of
 * these interfaces, as `Object.hasOwn`, `HTMLFormElement.requestSubmit`, `formdata_event`.
 */
export function featuresSince(browser: Browser, version: number, interfaces: string[]): string[] {
  const parts = [
    ...interfaces.map((name) => `api.${name}`),
    ...Object.keys((data.javascript as Data).builtins as Data).map(
      (name) => `javascript.builtins.${name}`,
    ),
  ];
  const found: string[] = [];
  for (const part of parts) {
    const members = Object.keys(lookUp(part)!).filter((key) => !key.startsWith('__'));
    for (const path of [part, ...members.map((member) => `${part}.${member}`)]) {
      if (!lookUp(path)?.__compat || /_(parameter|event_handler)s?$/.test(path)) continue;
      if (versionsOf(path)[browser] > version)
        found.push(path.replace(/^(api|javascript\.builtins)\./, ''));
    }
  }
  return found.sort();
}

/** The syntax that the built files use and that an older engine might lack. */
const SYNTAX: Partial<Record<AnyNode['type'], (node: never) => string | undefined>> = {
  ImportDeclaration: () => 'javascript.statements.import',
  ExportNamedDeclaration: () => 'javascript.statements.export',
  ArrowFunctionExpression: ({ async }: { async: boolean }) =>
    async ? 'javascript.operators.async_function' : 'javascript.functions.arrow_functions',
  FunctionExpression: ({ async }: { async: boolean }) =>
    async ? 'javascript.operators.async_function' : undefined,
  FunctionDeclaration: ({ async }: { async: boolean }) =>
    async ? 'javascript.statements.async_function' : undefined,
  ObjectExpression: ({ properties }: { properties: AnyNode[] }) =>
    properties.some(({ type }) => type === 'SpreadElement')
      ? 'javascript.operators.spread.spread_in_object_literals'
      : undefined,
  ObjectPattern: ({ properties }: { properties: AnyNode[] }) =>
    properties.some(({ type }) => type === 'RestElement')
      ? 'javascript.operators.destructuring.rest_in_objects'
      : 'javascript.operators.destructuring',
  ClassDeclaration: () => 'javascript.classes',
  ForOfStatement: ({ await: isAsync }: { await: boolean }) =>
    isAsync ? 'javascript.statements.for_await_of' : 'javascript.statements.for_of',
};

/**
 * Everything that a built file uses of the language and the platform.
 * Throws a SyntaxError with the line if it has syntax newer than ES2018, which all promised
 * browsers parse: object rest and spread are in, `catch {}`, `?.`, `??` and class fields are not.
 */
export function usesOf(code: string, sources: Meanings): Use[] {
  const tree = parse(code, {
    ecmaVersion: 2018,
    sourceType: 'module',
    locations: true,
    ranges: true,
  });
  const uses: Use[] = [];
  const add = (node: Node, feature: string | undefined) => {
    if (feature) uses.push({ feature, line: node.loc!.start.line });
  };
  const addName = (node: AnyNode, name: string) => {
    for (const feature of sources.featuresOf(name)) add(node, feature);
  };

  for (const { identifier } of analyze(tree as never, { ecmaVersion: 2018, sourceType: 'module' })
    .globalScope!.through) {
    add(identifier as AnyNode, globalFeature(identifier.name));
  }
  const visitText = (node: AnyNode, text: string) => {
    for (const [, name] of text.matchAll(/:([a-z][a-z-]*)/g)) {
      const selector = `css.selectors.${name}`;
      if (lookUp(selector)?.__compat) add(node, selector);
    }
  };
  const visitKey = (node: AnyNode) => {
    if (node.type === 'Literal' && typeof node.value === 'string') addName(node, node.value);
  };
  simple(tree, {
    MemberExpression(node) {
      if (!node.computed) addName(node.property, (node.property as { name: string }).name);
      else visitKey(node.property);
    },
    Property(node) {
      const { key } = node;
      if (key.type !== 'Identifier' || node.computed) return;
      for (const feature of sources.optionsOf(key.name)) add(key, feature);
    },
    ObjectPattern(node) {
      for (const property of node.properties) {
        if (property.type === 'Property' && property.key.type === 'Identifier') {
          addName(property.key, property.key.name);
        }
      }
    },
    BinaryExpression(node) {
      if (node.operator === 'in') visitKey(node.left as AnyNode);
    },
    CallExpression(node) {
      // A member's name, such as in Reflect.get(form, 'elements'), follows the object.
      for (const argument of node.arguments.slice(1)) visitKey(argument);
      // A listener's options are the platform's, whatever else has the same name.
      const { callee } = node;
      const called = callee.type === 'MemberExpression' ? callee.property : callee;
      const isListening = called.type === 'Identifier' && called.name === 'addEventListener';
      for (const argument of node.arguments) {
        if (argument.type !== 'ObjectExpression' || !isListening) continue;
        for (const property of argument.properties) {
          if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
          const { name } = property.key;
          if (sources.optionsOf(name).length) continue; // noted above
          for (const feature of onlyNew(optionsByName.get(name))) add(property.key, feature);
        }
      }
      for (const argument of node.arguments) {
        if (argument.type !== 'Literal' || typeof argument.value !== 'string') continue;
        for (const feature of sources.eventsOf(argument.value)) add(argument, feature);
      }
    },
    Literal(node) {
      if (typeof node.value === 'string') visitText(node, node.value);
    },
    TemplateElement(node) {
      visitText(node, node.value.raw);
    },
  });
  full(tree, (node) => {
    const featureOf = SYNTAX[node.type as AnyNode['type']] as
      | ((node: Node) => string | undefined)
      | undefined;
    add(node, featureOf?.(node));
  });
  return uses;
}

/**
 * What a built file has that one of the promised browsers lacks, as 'form/read.js:12: ...'.
 * `isAllowed` tells of a feature whether the library has a fallback for it there.
 */
export function faultsOf(
  file: string,
  code: string,
  meanings: Meanings,
  isAllowed: (feature: string) => boolean,
): string[] {
  try {
    return usesOf(code, meanings)
      .filter(({ feature }) => isTooNew(feature) && !isAllowed(feature))
      .map(({ feature, line }) => `${file}:${line}: ${feature} ${needs(feature)}`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { loc } = error as SyntaxError & { loc: { line: number } };
    return [`${file}:${loc.line}: syntax that is newer than ES2018`];
  }
}

function globalFeature(name: string): string | undefined {
  return [
    `javascript.builtins.${name}`,
    ...GLOBAL_SCOPES.map((scope) => `api.${scope}${name}`),
  ].find((feature) => lookUp(feature)?.__compat);
}
const GLOBAL_SCOPES = ['', 'Window.', 'EventTarget.'];

/** What a module of `src/` means by the name of a property. */
export class Meanings {
  readonly #features = new Map<string, Set<string>>();
  readonly #own = new Set<string>();

  add(name: string, feature: string) {
    this.#features.set(name, (this.#features.get(name) ?? new Set()).add(feature));
  }

  /** The module itself has given the name to a property. */
  addOwn(name: string) {
    this.#own.add(name);
  }

  addAll(others: Meanings) {
    for (const [name, features] of others.#features)
      for (const feature of features) this.add(name, feature);
    for (const name of others.#own) this.addOwn(name);
  }

  ownNames(): Iterable<string> {
    return this.#own;
  }

  /** The features that a property of this name can be in the built file. */
  featuresOf(name: string): string[] {
    const known = this.#features.get(name);
    if (known) return [...known];
    return this.#own.has(name) ? [] : onlyNew(featuresByName.get(name));
  }

  /** The same for a property of an object literal, such as `signal`. */
  optionsOf(name: string): string[] {
    return this.#own.has(name) ? [] : onlyNew(optionsByName.get(name));
  }

  /** The same for the type of an event, such as `formdata`. */
  eventsOf(name: string): string[] {
    return onlyNew(eventsByName.get(name));
  }
}

/** The meanings of all modules, and of single ones by their path below `src/`, without ending. */
export class Sources {
  readonly all = new Meanings();
  readonly modules = new Map<string, Meanings>();

  constructor() {
    const folder = join(root, 'src');
    // Not the check, which is for test systems, nor the checkout, which is for servers.
    const files = ts.sys.readDirectory(folder, ['.ts'], ['check', 'checkout']);
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const program = ts.createProgram(files, { ...options, types: [], lib: LIB });
    const checker = program.getTypeChecker();
    for (const file of files) {
      const meanings = new Meanings();
      new Reader(checker, meanings).visit(program.getSourceFile(file)!);
      this.modules.set(relative(folder, file).replaceAll('\\', '/').replace(/\.ts$/, ''), meanings);
    }
    for (const meanings of this.modules.values()) this.all.addAll(meanings);
    // What one module takes from another has the meaning that it has there.
    for (const name of this.all.ownNames()) {
      for (const meanings of this.modules.values()) meanings.addOwn(name);
    }
  }
}

/** Finds out what the names in a module mean. */
class Reader {
  readonly #checker: ts.TypeChecker;
  readonly #meanings: Meanings;

  constructor(checker: ts.TypeChecker, meanings: Meanings) {
    this.#checker = checker;
    this.#meanings = meanings;
  }

  visit(node: ts.Node): void {
    const checker = this.#checker;
    if (ts.isPropertyAccessExpression(node)) {
      this.#note(node.name.text, checker.getSymbolAtLocation(node.name));
    }
    if (ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)) {
      this.#note(
        node.argumentExpression.text,
        checker.getSymbolAtLocation(node.argumentExpression),
      );
    }
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent)) {
      const name = node.propertyName ?? node.name;
      if (ts.isIdentifier(name)) {
        const property = checker.getTypeAtLocation(node.parent).getProperty(name.text);
        this.#note(name.text, property);
      }
    }
    if (
      (ts.isPropertySignature(node) ||
        ts.isPropertyDeclaration(node) ||
        ts.isPropertyAssignment(node)) &&
      ts.isIdentifier(node.name)
    ) {
      this.#noteOwn(node);
    }
    ts.forEachChild(node, (child) => this.visit(child));
  }

  /** A name that `src/` itself gives to a property. Options of the platform are not its own. */
  #noteOwn(node: ts.PropertySignature | ts.PropertyDeclaration | ts.PropertyAssignment) {
    const { text } = node.name as ts.Identifier;
    if (ts.isPropertyAssignment(node)) {
      const expected = this.#checker.getContextualType(node.parent)?.getProperty(text);
      if (expected?.declarations?.some(isListenerOption)) return;
    }
    this.#meanings.addOwn(text);
  }

  #note(name: string, symbol: ts.Symbol | undefined) {
    for (const declaration of symbol?.declarations ?? []) {
      const isNewMethod = ts.isMethodSignature(declaration) && declaration.questionToken;
      if (!isPlatform(declaration)) {
        if (!isNewMethod) this.#meanings.addOwn(name);
        continue;
      }
      if (isPlainData(declaration)) {
        this.#meanings.addOwn(name);
        continue;
      }
      this.#meanings.add(name, memberFeature(declaration, name));
    }
  }
}

/** Everything that any engine has, so that no name is unknown to TypeScript. */
const LIB = ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'];

const isPlatform = (declaration: ts.Declaration) =>
  /[\\/]lib\.[\w.]+\.d\.ts$/.test(declaration.getSourceFile().fileName);

const isListenerOption = (declaration: ts.Declaration) =>
  isPlatform(declaration) &&
  /EventListenerOptions/.test((declaration.parent as ts.InterfaceDeclaration).name?.text);

/** A property of an object that is no feature of the platform: options, descriptors, results. */
function isPlainData(declaration: ts.Declaration): boolean {
  const { parent } = declaration;
  if (!ts.isInterfaceDeclaration(parent)) return false;
  const isOption = ts.isPropertySignature(declaration) && declaration.questionToken !== undefined;
  return isOption || PLAIN_DATA.includes(parent.name.text);
}
const PLAIN_DATA = [
  'IArguments',
  'IteratorReturnResult',
  'IteratorYieldResult',
  'TextEncoderEncodeIntoResult',
];

/** A name that means only features that are too new: the one that most browsers have. */
function onlyNew(features: string[] = []): string[] {
  if (!features.length || !features.every(isTooNew)) return [];
  const age = (feature: string) => versionsOf(feature).chrome;
  return [features.reduce((oldest, feature) => (age(feature) < age(oldest) ? feature : oldest))];
}

/** `interface HTMLFormElement { requestSubmit }` is `api.HTMLFormElement.requestSubmit`. */
function memberFeature(declaration: ts.Declaration, member: string): string {
  const owner = ownerOf(declaration);
  const isGlobal = !owner || owner === 'WindowOrWorkerGlobalScope';
  if (isGlobal) return found(globalFeature(member), member);
  const name = owner.replace(/Constructor$/, '');
  const isConstant = member === member.toUpperCase();
  if (member === 'prototype' || isConstant) return found(globalFeature(name), name);
  const paths = [name, ...(SAME_AS[name] ?? []), ...BASES].flatMap((part) => [
    `javascript.builtins.${part}.${member}`,
    `javascript.builtins.Intl.${part}.${member}`,
    `api.${part}.${member}`,
    `api.${part}.${member}_static`,
  ]);
  const feature = paths.find((path) => lookUp(path)?.__compat);
  return found(feature, `${owner}.${member}`);
}

/** The interface, namespace or object that has this member. `undefined` for a global. */
function ownerOf(declaration: ts.Declaration): string | undefined {
  const { parent } = ts.isVariableDeclaration(declaration)
    ? declaration.parent.parent
    : declaration;
  if (ts.isInterfaceDeclaration(parent)) return parent.name.text;
  if (ts.isModuleBlock(parent)) return parent.parent.name.text;
  if (ts.isTypeLiteralNode(parent) && ts.isVariableDeclaration(parent.parent)) {
    return parent.parent.name.getText();
  }
  return undefined;
}

function found(feature: string | undefined, what: string): string {
  if (feature) return feature;
  throw new Error(`There is no compatibility data for ${what}: add its interface to SAME_AS`);
}

/** TypeScript's interfaces repeat members of these, which the compatibility data have once. */
const BASES = ['HTMLElement', 'Element', 'Node', 'UIEvent', 'Event', 'EventTarget'];

/** TypeScript's interfaces and mixins that have another name in the compatibility data. */
const SAME_AS: Record<string, string[]> = {
  HTMLCollectionOf: ['HTMLCollection'],
  HTMLCollectionBase: ['HTMLCollection'],
  HTMLFormControlsCollection: ['HTMLCollection'],
  NodeListOf: ['NodeList'],
  NewableFunction: ['Function'],
  TextEncoderCommon: ['TextEncoder'],
  HTMLElement: ['Element'],
  Body: ['Response'],
  CallableFunction: ['Function'],
  Console: ['console'],
  Uint8Array: ['TypedArray'],
  ReadonlyArray: ['Array'],
  ReadonlyMap: ['Map'],
  ReadonlySet: ['Set'],
  ParentNode: ['Element', 'Document'],
  ChildNode: ['Element'],
  NonElementParentNode: ['Document'],
  DocumentOrShadowRoot: ['Document'],
  HTMLOrSVGElement: ['HTMLElement'],
  HTMLHyperlinkElementUtils: ['HTMLAnchorElement'],
  ARIAMixin: ['Element'],
  InnerHTML: ['Element'],
  ElementContentEditable: ['HTMLElement'],
};
