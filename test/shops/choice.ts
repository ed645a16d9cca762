/** Which engines visit a shop where not all of them can: in `npm test`, and before a change lands. */
import { spawnSync } from 'node:child_process';
import { ENGINES, type Engine } from '../../tools/prepare/browsers.ts';

/** One engine, chosen by a hash of the name, so that it stays the same when shops are added. */
export function engineOf({ name, engine }: { name: string; engine?: Engine }): Engine {
  if (engine) return engine;
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return ENGINES[hash % ENGINES.length]!;
}

/** The shops whose own files differ from `main`, or on `main` from the commit before. */
export function changedShops(): Set<string> {
  const files = git('diff', '--name-only', '--relative', base(), '--', 'fixtures').split('\n');
  const added = git('ls-files', '--others', '--exclude-standard', '--', 'fixtures').split('\n');
  return new Set([...files, ...added].filter((file) => file !== '').map(shopOf));
}

/** `woo-checkout` for `fixtures/woo-checkout.fragment.html`. */
const shopOf = (file: string) => file.split('/').at(-1)!.split('.')[0]!;

function base(): string {
  const head = git('rev-parse', 'HEAD').trim();
  for (const main of ['origin/main', 'main']) {
    const { status, stdout } = run('merge-base', 'HEAD', main);
    if (status === 0 && stdout.trim() !== head) return stdout.trim();
  }
  return 'HEAD~1';
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = run(...args);
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function run(...args: string[]) {
  return spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
}
