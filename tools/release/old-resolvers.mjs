/**
 * Run by npm before and after it packs: `write` and `remove`. Tools that do not know `exports` in
 * package.json look for `cardseal/form` in a folder of that name. So the package has a folder with
 * a `package.json` for each entry. Here they exist only while npm packs, and git ignores them.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const command = process.argv[2];

for (const [entry, files] of Object.entries(exports)) {
  if (entry === '.' || !files.types || entry.endsWith('.js')) continue; // a file, and not a module
  const folder = join(root, entry);
  rmSync(folder, { recursive: true, force: true });
  if (command !== 'write') continue;
  const manifest = {
    type: 'module',
    main: `.${files.default}`,
    types: `.${files.types}`,
    sideEffects: false,
  };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
