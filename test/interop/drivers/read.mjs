/** Prints the marks that `add.mjs` has stored. */
import { openStore } from './open-store.mjs';

const store = await openStore();
console.log((await readAgain(20)).value);
process.exit(0);

/** PgBouncer waits before it connects again to a database that was not there. */
async function readAgain(tries) {
  try {
    return await store.read('marks');
  } catch (error) {
    if (tries === 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return readAgain(tries - 1);
  }
}
