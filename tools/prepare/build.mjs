/** Makes `dist/` anew from `src/`: `npm run build`. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const tsup = [`${root}/node_modules/tsup/dist/cli-default.js`, '--silent'];
const { status } = spawnSync(process.execPath, tsup, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
