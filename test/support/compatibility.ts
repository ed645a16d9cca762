/** Which browsers the built files need, by MDN's compatibility data. Node only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyNode, type Node, type Program, parse } from 'acorn';
import { simple } from 'acorn-walk';
import { analyze } from 'eslint-scope';

/** The oldest versions that the documents promise. iOS 12.2 came with the engine of Safari 12.1. */
export const FLOOR = { chrome: 64, edge: 79, firefox: 60, safari: 12.1, safari_ios: 12.2 };
export type Browser = keyof typeof FLOOR;
const BROWSERS = Object.keys(FLOOR) as Browser[];

interface Statement {
  version_added: string | boolean | null;
  version_removed?: string;
  flags?: unknown;
  prefix?: string;
  alternative_name?: string;
}
export interface Data {
  __compat?: { support: Record<Browser, Statement | Statement[]> };
  [name: string]: Data | unknown;
}

const file = join(import.meta.dirname, '../../node_modules/@mdn/browser-compat-data/data.json');
const data: Data = JSON.parse(readFileSync(file, 'utf8'));

/** The interfaces of the platform and the built-ins of the language, by name. */
export const api = data.api as Record<string, Data>;
export const builtins = (data.javascript as Data).builtins as Record<string, Data>;

/** The first version of a browser with a feature. `Infinity`: there is none yet. */
export function firstVersion({ __compat }: Data, browser: Browser): number {
  const versions = [__compat!.support[browser]]
    .flat()
    .filter((it) => !it.flags && !it.prefix && !it.alternative_name && !it.version_removed)
    .map(({ version_added }) => toNumber(version_added));
  return Math.min(Infinity, ...versions);
}

function toNumber(version: string | boolean | null): number {
  if (version === true) return 0;
  const isNumber = typeof version === 'string' && version !== 'preview';
  return isNumber ? Number(version.replace('≤', '')) : Infinity;
}

/** Whether one of the promised browsers lacks the feature. */
const isTooNew = (feature: Data) =>
  BROWSERS.some((browser) => firstVersion(feature, browser) > FLOOR[browser]);

/** Features whose older, defective form does for the library. */
export const DEFECTS_DO_NO_HARM = [
  'repeat', // of KeyboardEvent: wrong before Chrome 137 only if several keys are held down
];

/**
 * The names of globals, members, options and events that mean only features that are too new. A
 * name such as `values` is not among them: it is also that of older features.
 */
const tooNewNames = namesOf([api, builtins]);

function namesOf(parts: Data[]): Set<string> {
  const [tooNew, old] = [new Set<string>(), new Set<string>(DEFECTS_DO_NO_HARM)];
  const visit = (part: Data) => {
    for (const [key, value] of Object.entries(part)) {
      if (key.startsWith('__')) continue; // what is known of the part itself
      const child = value as Data;
      const name = key.replace(/^options_(\w+)_parameter$/, '$1').replace(/_(static|event)$/, '');
      if (child.__compat) (isTooNew(child) ? tooNew : old).add(name);
      visit(child);
    }
  };
  parts.forEach(visit);
  return new Set([...tooNew].filter((name) => !old.has(name)));
}

/**
 * What a built file uses that one of the promised browsers lacks, each with its line. ES2018 is the
 * newest syntax that all of them parse: object rest and spread are in, `catch {}`, `?.`, `??` and
 * class fields are not.
 *
 * @param ownNames - Names that the library gives to properties of its own: `ownNamesOf`.
 */
export function tooNewIn(code: string, ownNames: Set<string>): { name: string; line: number }[] {
  const found: { name: string; line: number }[] = [];
  const note = ({ loc }: Node, name: unknown) => {
    if (typeof name !== 'string' || ownNames.has(name) || !tooNewNames.has(name)) return;
    found.push({ name, line: loc!.start.line });
  };
  const noteText = (node: AnyNode) => {
    if (node.type === 'Literal') note(node, node.value);
  };
  const noteSelector = (node: Node, text: string) => {
    for (const [, name] of text.matchAll(/:([a-z][a-z-]*)/g)) {
      const selector = ((data.css as Data).selectors as Data)[name!] as Data | undefined;
      if (selector && isTooNew(selector))
        found.push({ name: `:${name}`, line: node.loc!.start.line });
    }
  };

  let tree: Program;
  try {
    tree = parseScript(code);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [{ name: 'syntax', line: Reflect.get(error, 'loc').line }];
  }
  const scopes = analyze(tree as never, { ecmaVersion: 2018, sourceType: 'module' });
  for (const { identifier } of scopes.globalScope!.through) {
    note(identifier as AnyNode, identifier.name);
  }
  simple(tree, {
    MemberExpression({ computed, property }) {
      if (computed) noteText(property);
      else note(property, Reflect.get(property, 'name'));
    },
    ObjectPattern({ properties }) {
      for (const property of properties) {
        if (property.type === 'Property') note(property, Reflect.get(property.key, 'name'));
      }
    },
    BinaryExpression({ operator, left }) {
      if (operator === 'in') noteText(left as AnyNode);
    },
    CallExpression({ callee, arguments: list }) {
      // The type of an event, or a name as in Reflect.get(form, 'elements').
      for (const argument of list) noteText(argument);
      // A listener's options are the platform's.
      const called = callee.type === 'MemberExpression' ? callee.property : callee;
      if (Reflect.get(called, 'name') !== 'addEventListener') return;
      const options = list.flatMap((it) => (it.type === 'ObjectExpression' ? it.properties : []));
      for (const option of options) {
        if (option.type === 'Property') note(option, Reflect.get(option.key, 'name'));
      }
    },
    Literal(node) {
      if (typeof node.value === 'string') noteSelector(node, node.value);
    },
    TemplateElement(node) {
      noteSelector(node, node.value.raw);
    },
  });
  return found;
}

/** The names that object literals and classes in these files give to properties. */
export function ownNamesOf(files: string[]): Set<string> {
  const names = new Set<string>();
  for (const code of files) {
    simple(parseScript(code), {
      ObjectExpression({ properties }) {
        for (const property of properties) {
          if (property.type === 'Property') names.add(Reflect.get(property.key, 'name'));
        }
      },
    });
  }
  return names;
}

const parseScript = (code: string) =>
  parse(code, { ecmaVersion: 2018, sourceType: 'module', locations: true, ranges: true });
