/** `node tools/claims`: writes docs/claims.md from SECURITY.md and the markers in the tests. */
import { start } from '../prepare/start.mjs';

start([['tsx', 'tools/claims/write.ts']]);
