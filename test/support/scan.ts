/** Reads a module's syntax tree for what it could reach. Node only. */
import { type AnyNode, parse } from 'acorn';
import { analyze } from 'eslint-scope';
import type { Allowed } from './allowed.ts';

/** String methods that make a regular expression of what they are given. */
const MATCHERS = ['match', 'matchAll', 'search'];

/** Everything in `code` that is not allowed, as 'line 3: the global fetch'. `[]`: nothing. */
export function scan(code: string, { globals }: Pick<Allowed, 'globals'>): string[] {
  const tree = parse(code, {
    ecmaVersion: 2022,
    sourceType: 'module',
    locations: true,
    ranges: true,
  });
  const found: string[] = [];
  const note = (node: { loc?: { start: { line: number } } | null | undefined }, what: string) =>
    found.push(`line ${node.loc!.start.line}: ${what}`);

  const scopes = analyze(tree as never, { ecmaVersion: 2022, sourceType: 'module' });
  for (const { identifier } of scopes.globalScope!.through) {
    if (identifier.name === 'undefined') continue; // a constant that reaches nothing
    if (!globals.includes(identifier.name)) note(identifier, `the global ${identifier.name}`);
  }
  for (const [node, parent] of nodes(tree)) {
    const name = propertyName(node);
    if (node.type === 'Identifier' && node.name === 'globalThis') {
      const member = parent && propertyName(parent); // which is the global of that name
      const global = member ?? 'of any name';
      if (!globals.includes(global)) note(node, `the global ${global}`);
    }
    // A class, and not a function of the window or a value of it.
    const isOfWindow = node.type === 'MemberExpression' && isNamed(node.object, 'window');
    if (isOfWindow && name && /^[A-Z]/.test(name) && !globals.includes(name))
      note(node, `the global ${name}`);
    if (node.type === 'ImportExpression') note(node, 'a dynamic import');
    if (node.type === 'MetaProperty' && node.meta.name === 'import') note(node, 'import.meta');
    if (node.type === 'ImportDeclaration' && !String(node.source.value).startsWith('.'))
      note(node, `the module ${node.source.value}`);
    if (node.type === 'Literal' && 'regex' in node && node.regex)
      note(node, 'a regular expression');
    if (node.type === 'Literal' && node.value === 'constructor') note(node, 'the text constructor');
    if (name === 'constructor') note(node, 'a constructor, which leads to Function');
    if (name && MATCHERS.includes(name)) note(node, `${name}, which makes a regular expression`);
    if (node.type === 'DebuggerStatement') note(node, 'debugger');
  }
  return found;
}

const isNamed = (node: AnyNode, name: string) => node.type === 'Identifier' && node.name === name;

function propertyName(node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  if (node.property.type === 'Literal') return String(node.property.value);
  return !node.computed && node.property.type === 'Identifier' ? node.property.name : undefined;
}

function* nodes(node: AnyNode, parent?: AnyNode): Generator<[AnyNode, AnyNode | undefined]> {
  yield [node, parent];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') yield* nodes(child, node);
  }
}
