/** src/form/decide.ts with one line replaced. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { decide as Decide } from '../../../src/form/decide.ts';

const file = join(import.meta.dirname, '../../../src/form/decide.ts');

/** The lines that end with the id of a rule, by that id. */
export function rulesOfTable(): Map<string, string[]> {
  const rules = new Map<string, string[]>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const rule = /\/\/ ([FG]\d+)$/.exec(line)?.[1];
    if (rule) rules.set(rule, [...(rules.get(rule) ?? []), line]);
  }
  return rules;
}

export function lineOf(rule: string, at: number): string {
  const line = rulesOfTable().get(rule)?.[at];
  if (line === undefined) throw new Error(`decide.ts has no line ${at} of ${rule}`);
  return line;
}

export async function decideWithout(rule: string, at: number, instead: string) {
  const text = readFileSync(file, 'utf8').replace(lineOf(rule, at), () => instead);
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: join(file, '..'), loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const url = `data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`;
  return ((await import(url)) as { decide: typeof Decide }).decide;
}
