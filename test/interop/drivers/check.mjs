/** Tries the store, and prints what is wrong with it. `restart` waits for a line of input. */
import { createInterface } from 'node:readline';
import { checkStore } from '../../../dist/checkout/index.js';
import { openStore } from './open-store.mjs';

const input = createInterface({ input: process.stdin });
const restart = () =>
  new Promise((resolve) => {
    input.once('line', () => resolve(openStore()));
    console.log('restart');
  });
const findings = await checkStore(await openStore(), { restart });
console.log(JSON.stringify(findings));
process.exit(0);
