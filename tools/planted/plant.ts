/**
 * Makes a source wrong on purpose, at a place that has a name: a rule, a function, a property or a
 * call. No text of the source is quoted, so what keeps the names and the rules needs no change here.
 */
import ts from 'typescript';

export interface Change {
  /**
   * The place, which exists exactly once. From the outside to the inside, joined by dots:
   *
   * - the name of a function, variable, property or `case`, or `catch`;
   * - at the end, also a rule: `accept.F5` is what the comment `// F5` in `accept` marks. It marks
   *   what ends before it or, if it stands alone, what follows;
   * - at the end, also a call: `end.empty()` is the call of `empty` in `end`;
   * - at the end, also an assignment: `claim.pair=`.
   *
   * `F5#2` is the second of several. `*` is the whole file.
   */
  readonly at: string;
  readonly plant: /** The condition is never, or always, true: that of an `if`, or of the `if` around a call. */
    | 'never'
    | 'always'
    /** It is gone. Of a call whose value is used, the argument is left. */
    | 'nothing'
    /** Its value, or what the function returns. */
    | { readonly gives: string }
    /** The function, the block or the file begins so. An error that is caught is `error`. */
    | { readonly begins: string }
    /** All of it is replaced. */
    | { readonly instead: string };
}

/**
 * Returns the source with the change.
 *
 * @throws Error if the place does not exist exactly once, or if the change says nothing there.
 */
export function plant(source: string, { at, plant: what }: Change): string {
  const file = parse(source);
  const place = at === '*' ? file : placeOf(file, at);
  const edit = editOf(place, what);
  if (!edit) throw new Error(`${at}: ${JSON.stringify(what)} means nothing there`);
  const { start, end, text } = edit;
  const changed = source.slice(0, start) + text + source.slice(end);
  if (!isSyntax(changed)) throw new Error(`${at}: no syntax: ${text}`);
  const written = typeof what === 'object' ? Object.values(what).join('') : '';
  const unknown = namesUsedIn(written).filter((name) => !isKnown(file, name));
  if (unknown.length) throw new Error(`${at}: nothing there is called ${unknown}`);
  return changed;
}

/** Where the code is that comments with the id of a rule mark. */
export const marksIn = (source: string): { rule: string; start: number }[] =>
  marksOf(parse(source)).map(({ rule, node }) => ({ rule, start: node.getStart() }));

/** Where a place is. */
export const startOf = (source: string, at: string): number =>
  placeOf(parse(source), at).getStart();

const parse = (source: string) =>
  ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);

/** The parser has no public word for it, and `ts.transpileModule` takes a tenth of a second. */
const isSyntax = (source: string): boolean =>
  (parse(source) as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics.length === 0;

// Where

function placeOf(file: ts.SourceFile, at: string): ts.Node {
  const [path = '', index] = at.split('#');
  const names = path.split('.');
  const last = names.pop()!;
  const found = nodesNamed(file, last).filter((node) =>
    isWithin(nameOf(node) === last ? node.parent : node, names),
  );
  if (index === undefined && found.length > 1) throw new Error(`${at}: ${found.length} times`);
  const place = found[Number(index ?? 1) - 1];
  if (!place) throw new Error(`${at}: not found`);
  return place;
}

function nodesNamed(file: ts.SourceFile, name: string): ts.Node[] {
  if (/^[A-Z]\d+$/.test(name)) {
    return marksOf(file).flatMap(({ rule, node }) => (rule === name ? [node] : []));
  }
  if (name.endsWith('=')) {
    const assigned = name.slice(0, -'='.length);
    return nodesOf(file).filter(
      (node) =>
        ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        lastNameOf(node.left) === assigned,
    );
  }
  if (!name.endsWith('()')) return nodesOf(file).filter((node) => nameOf(node) === name);
  const called = name.slice(0, -'()'.length);
  return nodesOf(file).filter(
    (node) =>
      (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
      lastNameOf(node.expression) === called,
  );
}

/** Of `a.b`, it is `b`. */
function lastNameOf(expression: ts.Expression): string | undefined {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  return ts.isIdentifier(name) ? name.text : undefined;
}

/** Whether a node and those around it have these names, in this order. Others may be between. */
function isWithin(node: ts.Node, names: string[]): boolean {
  const left = [...names];
  for (let around = node; around; around = around.parent) {
    if (left.length && nameOf(around) === left.at(-1)) left.pop();
  }
  return left.length === 0;
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isCatchClause(node)) return 'catch';
  if (ts.isCaseClause(node) && ts.isStringLiteral(node.expression)) return node.expression.text;
  const isNamed =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node);
  const name = isNamed ? node.name : undefined;
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined;
}

/** What the comments mark that begin with the id of a rule. */
function marksOf(file: ts.SourceFile): { rule: string; node: ts.Node }[] {
  const nodes = nodesOf(file).slice(1);
  return commentsOf(file).flatMap(({ pos, end }) => {
    const rule = /^\/[/*][\s*]*([A-Z]\d+)\b/.exec(file.text.slice(pos, end))?.[1];
    if (!rule) return [];
    const isAlone = file.text.slice(file.text.lastIndexOf('\n', pos) + 1, pos).trim() === '';
    // Nodes come in the order of the text, those around others first.
    const node = isAlone ? nodes.find((it) => it.getStart() > end) : endingAt(pos, nodes);
    if (!node) return [];
    const isVariable = ts.isVariableStatement(node);
    return [{ rule, node: isVariable ? node.declarationList.declarations[0]! : node }];
  });
}

/** The largest that ends before a comment; of conditions in lines of their own, the last one. */
function endingAt(pos: number, nodes: ts.Node[]): ts.Node | undefined {
  let node = nodes.findLast((it) => it.getEnd() <= pos && !ts.isBinaryOperatorToken(it));
  if (!node) return undefined;
  const { text } = node.getSourceFile();
  const line = text.lastIndexOf('\n', pos);
  const isPart = ({ parent }: ts.Node) =>
    ts.isBinaryExpression(parent) && parent.getStart() < line && isLogical(parent);
  while (node.parent.getEnd() <= pos && !ts.isCaseClause(node.parent) && !isPart(node)) {
    node = node.parent;
  }
  return node;
}

const isLogical = ({ operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken;

function commentsOf(file: ts.SourceFile): ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>();
  visit(file);
  return [...found.values()];

  function visit(node: ts.Node): void {
    if (ts.isJSDoc(node)) return;
    const { text } = file;
    const before = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const after = ts.getTrailingCommentRanges(text, node.getFullStart()) ?? [];
    for (const range of [...after, ...before]) found.set(range.pos, range);
    for (const child of node.getChildren(file)) visit(child);
  }
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
}

// What

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const replaced = (node: ts.Node, text: string): Edit => ({
  start: node.getStart(),
  end: node.getEnd(),
  text,
});

function editOf(place: ts.Node, what: Change['plant']): Edit | undefined {
  if (what === 'never') return conditional(place, false);
  if (what === 'always') return conditional(place, true);
  if (what === 'nothing') return without(place);
  if ('gives' in what) return giving(place, what.gives);
  if ('begins' in what) return beginning(place, what.begins);
  return replaced(wholeOf(place), what.instead);
}

function conditional(place: ts.Node, is: boolean): Edit | undefined {
  const statement = wholeOf(place);
  const isCondition = statement === place && !ts.isExpressionStatement(place);
  if (isCondition || ts.isVariableStatement(statement)) return giving(place, String(is));
  for (let node: ts.Node = statement; !ts.isFunctionLike(node.parent); node = node.parent) {
    if (!ts.isIfStatement(node.parent)) continue;
    return replaced(node.parent.expression, String(is === (node === node.parent.thenStatement)));
  }
  return undefined;
}

function without(place: ts.Node): Edit | undefined {
  const node = wholeOf(place);
  const { parent } = node;
  if (ts.isStatement(node))
    return replaced(node, ts.isBlock(parent) || ts.isCaseClause(parent) ? '' : ';');
  if (ts.isBinaryExpression(parent)) {
    return replaced(parent, (node === parent.left ? parent.right : parent.left).getText());
  }
  if (ts.isObjectLiteralElement(node) || ts.isArrayLiteralExpression(parent)) {
    const comma = /^\s*,/.exec(node.getSourceFile().text.slice(node.getEnd()))?.[0] ?? '';
    return { start: node.getStart(), end: node.getEnd() + comma.length, text: '' };
  }
  if (ts.isCallExpression(node)) return replaced(node, node.arguments[0]?.getText() ?? 'undefined');
  return undefined;
}

function giving(place: ts.Node, text: string): Edit | undefined {
  if (ts.isShorthandPropertyAssignment(place))
    return replaced(place, `${place.name.text}: (${text})`);
  const value = valueAt(place);
  if (!value) return undefined;
  return replaced(value, ts.isBlock(value) ? `{ return (${text}); }` : `(${text})`);
}

function beginning(place: ts.Node, text: string): Edit | undefined {
  if (ts.isSourceFile(place)) return { start: 0, end: 0, text: `${text}\n` };
  if (ts.isCaseClause(place)) {
    const start = place.statements.pos;
    return { start, end: start, text };
  }
  if (ts.isCatchClause(place)) {
    const { block } = place;
    const start = place.getStart();
    return { start, end: block.getStart() + 1, text: `catch (error) { ${text}` };
  }
  const call = ts.isCallExpression(place) ? place.arguments.findLast(ts.isFunctionLike) : undefined;
  const body = valueAt(call ?? place);
  if (!body) return undefined;
  if (!ts.isBlock(body)) return replaced(body, `{ ${text} return (${body.getText()}); }`);
  const start = body.getStart() + 1;
  return { start, end: start, text: ` ${text}` };
}

/** What a place gives: a condition, a value, or the body of a function. */
function valueAt(place: ts.Node): ts.Node | undefined {
  if (ts.isIfStatement(place)) return place.expression;
  if (ts.isReturnStatement(place) || ts.isThrowStatement(place)) return place.expression;
  if (ts.isVariableDeclaration(place) || ts.isPropertyAssignment(place)) {
    return place.initializer && valueAt(place.initializer);
  }
  if (ts.isFunctionLike(place)) return 'body' in place ? valueAt(place.body!) : undefined;
  return ts.isExpression(place) || ts.isBlock(place) ? place : undefined;
}

/** The statement that a call, an assignment or a variable is. */
function wholeOf(place: ts.Node): ts.Node {
  const { parent } = place;
  const isOnly =
    ts.isExpressionStatement(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isThrowStatement(parent) ||
    (ts.isVariableDeclarationList(parent) && ts.isVariableStatement(parent.parent)) ||
    ts.isAwaitExpression(parent) ||
    ts.isVariableStatement(parent);
  return isOnly ? wholeOf(parent) : place;
}

// A name that is gone is no fault that a test has to notice

/** The names that a text uses and does not declare. */
function namesUsedIn(text: string): string[] {
  const identifiers = identifiersIn(parse(text));
  const declared = identifiers.filter(isNameOfParent).map(({ text: name }) => name);
  const used = identifiers.filter((node) => !isNameOfParent(node));
  return used.map(({ text: name }) => name).filter((name) => !declared.includes(name));
}

function isNameOfParent(node: ts.Identifier): boolean {
  const { parent } = node;
  return 'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

const isKnown = (file: ts.SourceFile, name: string): boolean =>
  name === 'error' || name in globalThis || identifiersIn(file).some(({ text }) => text === name);

const identifiersIn = (file: ts.SourceFile) => nodesOf(file).filter(ts.isIdentifier);
