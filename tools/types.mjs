/** `node tools/types.mjs`: the types of the tools whose packages `npm ci` does not install. */
import { start } from './prepare/start.mjs';

const packages = ['tools/bench', 'tools/mutation'];
start([['node_modules/typescript/bin/tsc', '-p', 'tools']], { packages });
