/** One encryption in a page that has done nothing before. */
import { type Case, load, quiet, run } from './page.ts';

export interface FreshJob {
  one: Case;
  /**
   * From where to where the time runs. `cold`: from the key in hand to the ciphertext, parsing and executing the script included.
   * `click`: from the click, the script loaded and the key in hand. `click-prepared`: the same, the key prepared while the form loaded.
   */
  from: 'cold' | 'click' | 'click-prepared';
}

export interface FreshResult {
  /** Milliseconds. */
  elapsed: number;
  last: unknown;
}

run(async ({ one, from }: FreshJob): Promise<FreshResult> => {
  await quiet(50); // the page itself has loaded
  return from === 'cold' ? cold(one) : click(one, from === 'click-prepared');
});

async function cold({ script, key, card }: Case) {
  const start = performance.now();
  const contender = load(script);
  const last = await contender.encrypt(await contender.prepare(key), { ...card });
  return { elapsed: performance.now() - start, last };
}

async function click({ script, key, card }: Case, prepared: boolean) {
  const contender = load(script);
  const ready = prepared ? await contender.prepare(key) : undefined;
  await quiet(50); // the shopper types
  const button = document.createElement('button');
  const done = new Promise<{ elapsed: number; last: unknown }>((resolve, reject) => {
    button.onclick = async () => {
      const start = performance.now();
      try {
        const last = await contender.encrypt(ready ?? (await contender.prepare(key)), { ...card });
        resolve({ elapsed: performance.now() - start, last });
      } catch (error) {
        reject(error);
      }
    };
  });
  button.click();
  return done;
}
