/**
 * The markers of a file: comments that say which claim of SECURITY.md a test proves, and which test
 * or planted fault shows that such a proof can fail.
 *
 *     // Claim one-post. Why: `pressed` in src/form/decide.ts stops further presses.
 *     test('two presses send one POST', ...)
 *
 *     // Control one-post
 *     test('two forms send two', ...)
 *
 * A marker belongs to the test, `describe` or fault that follows. In a file that is no test, a marker
 * before anything else belongs to the file as a whole.
 */
import ts from 'typescript';

export interface Marker {
  kind: 'Claim' | 'Control';
  /** The claim, as in the first column of SECURITY.md's table. */
  id: string;
  /** Why the claim holds. At least one marker of each claim says so. */
  why: string;
  /** The test's title with those around it, the fault's name, or the first words of the file. */
  title: string;
  /** From the top of the repository. */
  path: string;
}

const MARKER = /^\/\/ (Claim|Control) ([a-z-]+)(?:\. Why: (.*))?$/;

/** Throws if a marker belongs to nothing. */
export function markersOf(path: string, text: string): Marker[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Marker[] = [];
  const seen = new Set<number>();
  ts.forEachChild(file, (child) => visit(child, []));
  return found;

  function visit(node: ts.Node, titles: string[]): void {
    const own = titleOf(node);
    const within = own === undefined ? titles : [...titles, own];
    const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const fresh = comments.filter(({ pos }) => !seen.has(pos));
    for (const { pos } of fresh) seen.add(pos);
    const lines = fresh.map(({ pos, end }) => text.slice(pos, end));
    for (const marker of parse(lines)) {
      if (own === undefined && path.endsWith('.test.ts'))
        throw new Error(`${path}: no test follows the marker of ${marker.id}`);
      const title = own === undefined ? firstWords(text) : within.join(' › ');
      found.push({ ...marker, title, path });
    }
    ts.forEachChild(node, (child) => visit(child, within));
  }
}

/** The markers in the lines of a comment. What follows a marker is the rest of its reason. */
function parse(lines: string[]): Omit<Marker, 'title' | 'path'>[] {
  const markers: Omit<Marker, 'title' | 'path'>[] = [];
  for (const line of lines) {
    const [, kind, id, why = ''] = MARKER.exec(line) ?? [];
    const last = markers.at(-1);
    if (id) markers.push({ kind: kind as Marker['kind'], id, why });
    else if (last?.why && line.startsWith('// ')) last.why += ` ${line.slice('// '.length)}`;
  }
  return markers;
}

/** The title of a test or a `describe`, or the name of a planted fault. */
function titleOf(node: ts.Node): string | undefined {
  if (ts.isObjectLiteralExpression(node)) {
    const name = node.properties
      .filter(ts.isPropertyAssignment)
      .find((property) => property.name.getText() === 'name');
    return name && ts.isStringLiteral(name.initializer) ? name.initializer.text : undefined;
  }
  if (!ts.isExpressionStatement(node) || !ts.isCallExpression(node.expression)) return undefined;
  const title = node.expression.arguments[0];
  if (!title || !/^(?:test|describe)/.test(node.expression.expression.getText())) return undefined;
  return ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)
    ? readable(title.getText().slice(1, -1).replaceAll("\\'", "'"))
    : '…';
}

/** What differs from row to row of a table is `…`. */
function readable(title: string): string {
  return title.replaceAll(/\$\{[^}]*\}|%[a-z]|\$\w+/g, '…');
}

/** The first sentence of the comment that a file begins with. */
function firstWords(text: string): string {
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  const words = comment.replaceAll(/\s*\n \*\s*/g, ' ').trim();
  return words.split(/\. /)[0]!.replace(/\.$/, '');
}
