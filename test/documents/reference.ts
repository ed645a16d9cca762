/** docs/api/ as the tests read it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const FOLDER = join(root, 'docs/api');

/** The pages by their file names. */
export const PAGES = new Map(
  readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), 'utf8')]),
);

/** The text below a heading, up to the next one of its level. */
export function sectionIn(page: string, heading: string): string {
  const start = page.indexOf(`\n## ${heading}\n`);
  if (start < 0) return '';
  const end = page.indexOf('\n## ', start + 1);
  return page.slice(start, end < 0 ? undefined : end);
}

/** The texts in the code of a folder: what it uses at run time, without comments and types. */
export function literalsIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const texts: string[] = [];
  for (const path of files.filter((file) => file.endsWith('.ts'))) {
    const text = readFileSync(join(root, folder, path), 'utf8');
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  }
  return texts;

  function visit(node: ts.Node): void {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
    if (ts.isTemplateMiddleOrTemplateTail(node)) texts.push(node.text);
    ts.forEachChild(node, visit);
  }
}

/** Whether an example can run without a page: api.node.test.ts runs it then. */
export const needsNoPage = (language: string, text: string) =>
  language === 'ts' && !/\bdocument\./.test(text);
