/** `node tools/explore-form.mjs`: explores the form deeper than the tests do. `DEPTH=7 node tools/explore-form.mjs` */
import { loadForm } from './code.ts';
import { explore } from './explore.ts';
import { SETTINGS } from './scopes.ts';

const depth = Number(process.env.DEPTH ?? 6);
const bounds = { page: Number(process.env.PAGE ?? 1), shopper: Number(process.env.SHOPPER ?? 1) };
const started = Date.now();
const found = await explore(await loadForm(), { settings: SETTINGS, bounds, depth });
const seconds = Math.round((Date.now() - started) / 1000);
const { states, transitions, violations } = found;
console.log(`${states} states, ${transitions} transitions, depth ${found.depth}, ${seconds} s`);
for (const [what, path] of violations) console.log(`\n${what}\n  ${path}`);
process.exitCode = violations.size > 0 ? 1 : 0;
