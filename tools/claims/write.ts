import { writeFileSync } from 'node:fs';
import { PAGE, writtenPage } from './page.ts';

writeFileSync(PAGE, writtenPage());
