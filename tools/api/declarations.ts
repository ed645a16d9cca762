/**
 * What an entry of the package exports, read from the syntax alone: each index.ts names its exports
 * one by one, so neither types nor other packages are needed.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { type Comment, parseComment } from './comment.ts';

const root = join(import.meta.dirname, '../..');

/** Something that has a heading of its own. */
export interface Declared {
  kind: 'function' | 'class' | 'interface' | 'type' | 'const';
  name: string;
  /** The file that declares it, from the top of the repository. */
  path: string;
  /** As TypeScript. Empty for an interface and a class: their members say all. */
  signature: string;
  comment: Comment;
  members: Member[];
  /** The types that an interface or a class extends. */
  bases: string[];
}

/** A property or method, or a member of a union. */
export interface Member {
  /** For a member of a union: the type. */
  name: string;
  /** A method has none: its signature says all. */
  type: string;
  signature: string;
  kind: 'property' | 'method' | 'of a union';
  isOptional: boolean;
  comment: Comment;
}

interface Source {
  path: string;
  file: ts.SourceFile;
}

/** The exports of a file in the order of their values and types, and those of files behind it. */
export function exportsOf(path: string): Declared[] {
  const source = parse(path);
  const found = source.file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return reExported(source, statement);
    return isExported(statement) ? declared(source, statement) : [];
  });
  const isType = ({ kind }: Declared) => kind === 'interface' || kind === 'type';
  return [...found.filter((it) => !isType(it)), ...found.filter(isType)];
}

/** The first comment of a file, if it is followed by an empty line. */
export function headOf(path: string): Comment {
  const [, head] = /^(\/\*\*.*?\*\/)\n\n/s.exec(parse(path).file.text) ?? [];
  if (!head) throw new Error(`${path} does not begin with a comment about the entry`);
  return parseComment(head);
}

/** The members of an interface that a file declares in `declare global`. */
export function globalMembers(path: string, name: string): Member[] {
  const source = parse(path);
  const blocks = source.file.statements
    .filter(ts.isModuleDeclaration)
    .flatMap(({ body }) => (body && ts.isModuleBlock(body) ? [...body.statements] : []));
  const found = blocks.filter(ts.isInterfaceDeclaration).find((it) => it.name.text === name);
  if (!found) throw new Error(`${path} declares no global ${name}`);
  return membersOf(source, found);
}

/** The declaration of a name in a file, exported or not. */
export function declarationIn(path: string, name: string): Declared {
  const source = parse(path);
  const found = source.file.statements.flatMap((statement) => declared(source, statement));
  const own = found.find((it) => it.name === name);
  if (!own) throw new Error(`${path} declares no ${name}`);
  return own;
}

const parsed = new Map<string, Source>();

function parse(path: string): Source {
  let source = parsed.get(path);
  if (!source) {
    const text = readFileSync(join(root, path), 'utf8');
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    source = { path, file };
    parsed.set(path, source);
  }
  return source;
}

function reExported({ path }: Source, { moduleSpecifier, exportClause }: ts.ExportDeclaration) {
  // `export { a }` without a file is of what the file has imported: another entry's.
  if (!moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) return [];
  const target = join(dirname(path), (moduleSpecifier as ts.StringLiteral).text);
  return exportClause.elements.map(({ name }) => declarationIn(target, name.text));
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function declared(source: Source, statement: ts.Statement): Declared[] {
  const { path } = source;
  const base = (name: string) => ({
    name,
    path,
    signature: '',
    comment: commentBefore(source, statement, name),
    members: [],
    bases: [],
  });
  if (ts.isFunctionDeclaration(statement) && statement.name) {
    const name = statement.name.text;
    const signature = headOfFunction(source, statement);
    return [{ ...base(name), kind: 'function', signature }];
  }
  if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) {
    const name = statement.name!.text;
    const kind = ts.isClassDeclaration(statement) ? 'class' : 'interface';
    return [
      { ...base(name), kind, members: membersOf(source, statement), bases: basesOf(statement) },
    ];
  }
  if (ts.isTypeAliasDeclaration(statement)) {
    const members = ts.isUnionTypeNode(statement.type) ? unionOf(source, statement.type) : [];
    const signature = textOf(source, statement).replace(/^export /, '');
    return [{ ...base(statement.name.text), kind: 'type', signature, members }];
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name, type }) => ({
      ...base(name.getText()),
      kind: 'const',
      signature: `const ${name.getText()}: ${type?.getText() ?? 'unknown'}`,
    }));
  }
  return [];
}

function membersOf(
  source: Source,
  { members }: ts.InterfaceDeclaration | ts.ClassDeclaration,
): Member[] {
  return [...members].flatMap((member): Member[] => {
    if (ts.isConstructorDeclaration(member)) {
      return [methodOf(source, member, 'constructor')];
    }
    if (!member.name || ts.isPrivateIdentifier(member.name)) return [];
    const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText();
    if (ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) {
      return [methodOf(source, member, name)];
    }
    if (!ts.isPropertySignature(member) && !ts.isPropertyDeclaration(member)) return [];
    const isOptional = member.questionToken !== undefined;
    return [
      {
        name,
        type: typeOf(member, isOptional),
        signature: '',
        kind: 'property',
        isOptional,
        comment: commentBefore(source, member, name),
      },
    ];
  });
}

function methodOf(
  source: Source,
  member: ts.MethodSignature | ts.MethodDeclaration | ts.ConstructorDeclaration,
  name: string,
): Member {
  return {
    name,
    type: '',
    signature: headOfFunction(source, member),
    kind: 'method',
    isOptional: 'questionToken' in member && member.questionToken !== undefined,
    comment: commentBefore(source, member, name),
  };
}

/** `| undefined` says nothing about a property that may be absent. */
function typeOf(
  property: ts.PropertySignature | ts.PropertyDeclaration,
  isOptional: boolean,
): string {
  const value = 'initializer' in property ? property.initializer : undefined;
  const text = property.type?.getText() ?? value?.getText() ?? 'unknown';
  const full = oneLine(text.replaceAll(/\/\/.*$/gm, '')).replace(/^\| /, '');
  if (!isOptional) return full;
  const short = full.replace(/ \| undefined$/, '');
  return /^\([^()]*(?:\([^()]*\)[^()]*)*\)$/.test(short) && short.includes('=>')
    ? short.slice(1, -1)
    : short;
}

/** Members without a comment make no table: the signature shows them. */
function unionOf(source: Source, { types }: ts.UnionTypeNode): Member[] {
  let end = types.pos;
  const members = types.map((type): Member => {
    const before = source.file.text.slice(end, type.getStart());
    end = type.end;
    return {
      name: oneLine(type.getText()),
      type: '',
      signature: '',
      kind: 'of a union',
      isOptional: false,
      comment: parseComment(/\/\*\*.*?\*\//s.exec(before)?.[0] ?? ''),
    };
  });
  return members.some(({ comment }) => comment.text) ? members : [];
}

function basesOf({ heritageClauses = [] as never }: ts.InterfaceDeclaration | ts.ClassDeclaration) {
  return [...heritageClauses].flatMap(({ types }) => types.map((type) => oneLine(type.getText())));
}

/** A function or method without its body. */
function headOfFunction(
  { file }: Source,
  node:
    | ts.FunctionDeclaration
    | ts.MethodSignature
    | ts.MethodDeclaration
    | ts.ConstructorDeclaration,
): string {
  const end = 'body' in node && node.body ? node.body.getStart() : node.end;
  const lines = file.text.slice(node.getStart(), end).trim().replace(/;$/, '').split('\n');
  const indent = /^ */.exec(file.text.slice(file.text.lastIndexOf('\n', node.getStart()) + 1))![0];
  return lines
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    .join('\n')
    .replace(/^(?:export |async )*/, '');
}

const textOf = ({ file }: Source, node: ts.Node) => file.text.slice(node.getStart(), node.end);

function commentBefore({ file, path }: Source, node: ts.Node, name: string): Comment {
  const ranges = ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? [];
  const texts = ranges.map(({ pos, end }) => file.text.slice(pos, end));
  try {
    return parseComment(texts.findLast((text) => text.startsWith('/**')) ?? '');
  } catch (error) {
    throw new Error(`${path}: ${name}: ${(error as Error).message}`);
  }
}

export const oneLine = (text: string) =>
  text.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(', )', ')').trim();
