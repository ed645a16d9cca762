/** Adds marks to one order for as long as it lives, and prints each that the store acknowledged. */
import { openStore } from './open-store.mjs';

const store = await openStore();
for (;;) {
  try {
    const entry = await store.read('marks');
    const marks = JSON.parse(entry?.value ?? '[]');
    const mark = crypto.randomUUID().slice(0, 8);
    const value = JSON.stringify([...marks, mark]);
    if (await store.write('marks', value, entry?.version ?? 0, false)) console.log(mark);
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50)); // the database is being started again
  }
}
