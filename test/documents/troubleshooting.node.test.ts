/** docs/troubleshooting.md has each invalid_form message of the form and the script tag, and texts that the tools really print. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import '../tools/support/built.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const page = read('docs/troubleshooting.md');

/** What stands for a part of a message that is known only when it is made. */
const PART = '…';

/** Every invalid_form message that a source file can make. */
function messagesOf(path: string): string[] {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const messages: string[] = [];
  visit(file);
  return messages;

  function visit(node: ts.Node): void {
    const message = messageOf(node);
    if (message) {
      const maker = nearestFunction(node);
      const isMaker = maker?.name && parametersIn(message, maker.parameters).length > 0;
      if (isMaker)
        forEachCall(maker.name, (call) => messages.push(textOf(message, bind(maker, call))));
      else messages.push(textOf(message, new Map()));
    }
    ts.forEachChild(node, visit);
  }

  /** The message of `new CardEncryptionError('invalid_form', message)`. */
  function messageOf(node: ts.Node): ts.Expression | undefined {
    if (!ts.isNewExpression(node)) return undefined;
    const [code, message] = node.arguments ?? [];
    const isInvalidForm = code && ts.isStringLiteral(code) && code.text === 'invalid_form';
    return isInvalidForm ? message : undefined;
  }

  function forEachCall(name: string, use: (call: ts.CallExpression) => void): void {
    const look = (node: ts.Node): void => {
      const isCall = ts.isCallExpression(node) && node.expression.getText() === name;
      if (isCall) use(node);
      ts.forEachChild(node, look);
    };
    look(file);
  }

  function bind(maker: Maker, call: ts.CallExpression): Map<string, ts.Expression> {
    const names = maker.parameters.map((parameter) => parameter.name.getText());
    return new Map(names.map((name, i) => [name, call.arguments[i]!]));
  }

  /** A text with `…` for everything that is not written in the source. */
  function textOf(expression: ts.Node, values: Map<string, ts.Expression>): string {
    if (ts.isStringLiteralLike(expression)) return expression.text;
    if (ts.isTemplateExpression(expression)) {
      const spans = expression.templateSpans.map(
        (span) => textOf(span.expression, values) + span.literal.text,
      );
      return expression.head.text + spans.join('');
    }
    const name = expression.getText();
    if (values.has(name)) return textOf(values.get(name)!, new Map());
    const constant = constantNamed(name, expression);
    return constant ? textOf(constant, values) : PART;
  }

  /** The value of the constant of that name that is declared nearest before the place. */
  function constantNamed(name: string, place: ts.Node): ts.Expression | undefined {
    let found: ts.Expression | undefined;
    const look = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.name.getText() === name) {
        const { initializer } = node;
        const isText =
          initializer &&
          (ts.isStringLiteralLike(initializer) || ts.isTemplateExpression(initializer));
        const isNear = node.pos < place.pos || node.parent.parent.parent === file;
        if (isText && isNear) found = initializer;
      }
      ts.forEachChild(node, look);
    };
    look(file);
    return found;
  }
}

interface Maker {
  name: string;
  parameters: ts.ParameterDeclaration[];
}

function nearestFunction(node: ts.Node): Maker | undefined {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isFunctionDeclaration(at))
      return { name: at.name!.text, parameters: [...at.parameters] };
    if (!ts.isArrowFunction(at) || !ts.isVariableDeclaration(at.parent)) continue;
    return { name: at.parent.name.getText(), parameters: [...at.parameters] };
  }
  return undefined;
}

const parametersIn = (message: ts.Node, parameters: ts.ParameterDeclaration[]) =>
  parameters.filter((parameter) =>
    new RegExp(`\\$\\{${parameter.name.getText()}\\}`).test(message.getText()),
  );

const sources = [
  ...readdirSync(join(root, 'src/form')).map((file) => `src/form/${file}`),
  'src/script-tag/index.ts',
];

describe('invalid_form', () => {
  const section = page.slice(page.indexOf('## `invalid_form`'), page.indexOf('## Other errors'));
  const documented = [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, message]) => message!);
  const made = new Set(sources.flatMap(messagesOf));
  /** Messages that differ only in what they name stand in one row. */
  const isMadeBy = (message: string, row: string) => {
    const parts = row.split(PART).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.+')}$`).test(message);
  };

  test('each message of the form and the script tag has a row', () => {
    expect(made.size).toBeGreaterThan(15);
    const missing = [...made].filter(
      (message) => !documented.some((row) => isMadeBy(message, row)),
    );
    expect(missing).toEqual([]);
  });

  test('each row is a message that the code can make', () => {
    const gone = documented.filter((row) => ![...made].some((message) => isMadeBy(message, row)));
    expect(gone).toEqual([]);
  });

  test('control: a message without its row, and a row without its message, are found', () => {
    expect(documented.some((row) => isMadeBy('The card form must have a fishbone', row))).toBe(
      false,
    );
    expect([...made].some((message) => isMadeBy(message, 'The card form is blue'))).toBe(false);
  });
});

describe('what tools print', () => {
  mkdirSync(join(root, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(root, 'reports/troubleshooting-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const path of ['package.json', 'dist']) {
    cpSync(join(root, path), join(folder, 'node_modules/cardseal', path), { recursive: true });
  }
  writeFileSync(
    join(folder, 'page.ts'),
    "import { bindCardForm } from 'cardseal/form';\nbindCardForm;\n",
  );

  /** What the compiler prints. */
  const compile = (...options: string[]) => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    // The compiler's own declarations take most of the time.
    const all = ['--ignoreConfig', '--noEmit', '--strict', '--skipDefaultLibCheck', ...options];
    const args = [compiler, ...all, 'page.ts'];
    try {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };

  test.each([
    ['TS5107', ['--module', 'commonjs', '--moduleResolution', 'node10']],
    ['TS1479', ['--module', 'node16']],
  ])('TypeScript: %s', (code, options) => {
    const printed = compile(...options);
    const row = new RegExp(`^\\| \`(error ${code}: .+?)\` \\|`, 'm').exec(page);
    expect(printed).toContain(row![1]);
  });
});
