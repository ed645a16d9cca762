import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER, writtenPages } from './pages.ts';

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [file, text] of writtenPages()) writeFileSync(join(FOLDER, file), text);
