/**
 * Makes one file to copy of each port, for shops that install no packages:
 * `npx tsx tools/release/one-file.ts [FOLDER]`. It writes `cardseal.py` and `cardseal.php` into the
 * folder, `dist/ports` unless given. The first lines have the version, and the hash of what follows.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

export function writeOneFiles(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cardseal.py'), withHead('#', '', pythonFile()));
  writeFileSync(join(folder, 'cardseal.php'), withHead('//', '<?php\n\n', phpFile()));
}

function withHead(comment: string, opening: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex');
  const lines = [
    `cardseal ${version}, MIT. One file to copy: the package is in ports/ of the repository.`,
    `sha256 of all that follows the empty line below: ${hash}`,
  ];
  return `${opening}${lines.map((line) => `${comment} ${line}\n`).join('')}\n${text}`;
}

/** The modules, each after those that it imports, and the imports from Python once. */
function pythonFile(): string {
  const folder = join(root, 'ports/python/src/cardseal');
  const modules = new Map(
    filesOf(folder, '.py').map((file) => [
      file.slice(0, -'.py'.length),
      readFileSync(join(folder, file), 'utf8'),
    ]),
  );
  const imports = new Map<string, Set<string>>();
  const parts = inOrder(modules, /^from \.(\w+) import/gm)
    .filter((name) => name !== '__init__')
    .map((name) => {
      const text = modules.get(name)!.replace(/^""".*?"""\n/s, '');
      const own = text.replace(/^from \.\w+ import (\([^)]*\)|.*)\n/gm, '');
      const body = own.replace(/^(?:from (\S+) )?import (.*)\n/gm, (_, from = '', names) => {
        const known = imports.get(from) ?? imports.set(from, new Set()).get(from)!;
        for (const imported of names.split(', ')) known.add(imported);
        return '';
      });
      return `# --- ${name} ---\n\n\n${body.trim()}\n`;
    });
  throwIfTwice(parts.flatMap((part) => [...part.matchAll(/^(?:def|class) (\w+)/gm)]));
  const lines = [...imports].sort().flatMap(([from, names]) => {
    const sorted = [...names].sort();
    if (from === '') return sorted.map((name) => `import ${name}\n`);
    return from === '__future__' ? [] : [`from ${from} import ${sorted.join(', ')}\n`];
  });
  return `from __future__ import annotations\n\n${lines.join('')}\n\n${parts.join('\n\n')}`;
}

/** In one file, the second one would take the place of the first one. */
function throwIfTwice(names: RegExpMatchArray[]): void {
  const all = names.map(([, name]) => name!);
  const twice = all.filter((name, at) => all.indexOf(name) !== at);
  if (twice.length > 0) throw new Error(`Two modules define ${twice}`);
}

/** Each class after those that it extends or implements. */
function phpFile(): string {
  const folder = join(root, 'ports/php/src');
  const classes = new Map(
    filesOf(folder, '.php').map((file) => [
      file.slice(0, -'.php'.length),
      readFileSync(join(folder, file), 'utf8'),
    ]),
  );
  const uses = new Set<string>();
  const parts = inOrder(
    classes,
    /^(?:final )?(?:class|interface) .*?(?:extends|implements) (\w+)/gm,
  ).map((name) =>
    classes
      .get(name)!
      .replace(/^<\?php\n\ndeclare\(strict_types=1\);\n\nnamespace Cardseal;\n\n/, '')
      .replace(/^use .*;\n/gm, (line) => {
        uses.add(line);
        return '';
      })
      .trim(),
  );
  const head = 'declare(strict_types=1);\n\nnamespace Cardseal;\n\n';
  return `${head}${[...uses].join('')}\n${parts.join('\n\n')}\n`;
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder).filter((file) => file.endsWith(ending));
}

/** The names of the texts, each after those of which `needs` finds the name in its text. */
function inOrder(texts: Map<string, string>, needs: RegExp): string[] {
  const ordered = new Set<string>();
  const visit = (name: string) => {
    const text = texts.get(name);
    if (text === undefined || ordered.has(name)) return;
    for (const [, needed] of text.matchAll(needs)) if (needed !== name) visit(needed!);
    ordered.add(name);
  };
  for (const name of [...texts.keys()].sort()) visit(name);
  return [...ordered];
}

if (process.argv[1] === import.meta.filename) {
  writeOneFiles(process.argv[2] ?? join(root, 'dist/ports'));
}
