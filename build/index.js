/** Makes `dist/` anew from `src/`: `npm run build`. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
// Stryker builds a copy of the repository that has no node_modules of its own.
const tsup = createRequire(import.meta.url).resolve('tsup/dist/cli-default.js');
const { status } = spawnSync(process.execPath, [tsup, '--silent'], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
