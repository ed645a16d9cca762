/** One encryption in a page that has done nothing before. */
import { type Case, load, quiet, run } from './page.ts';

export interface FreshJob {
  one: Case;
  /**
   * From where to where the time runs. `cold`: from the key in hand to the ciphertext, parsing and executing the script included.
   * `click`: from the click, the script loaded and the key in hand. `click-prepared`: the same, the key prepared while the form loaded.
   */
  from: 'cold' | 'click' | 'click-prepared';
  /** What `spin` must be before the page begins: Chromium 156 takes a while to slow a new process. */
  spinAtLeast: number;
}

export interface FreshResult {
  /** Milliseconds. */
  elapsed: number;
  last: unknown;
  /** Milliseconds for a fixed amount of work: shows that a slowed CPU is slow. */
  spin: number;
}

run(async ({ one, from, spinAtLeast }: FreshJob): Promise<FreshResult> => {
  await quiet(50); // the page itself has loaded
  const spin = await spun(spinAtLeast);
  const measured = from === 'cold' ? await cold(one) : await click(one, from === 'click-prepared');
  return { ...measured, spin };
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

async function spun(atLeast: number): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const milliseconds = spin();
    if (milliseconds >= atLeast) return milliseconds;
    await quiet(20);
  }
  throw new Error('the CPU is as fast as before');
}

/** The least of five: other processes can only make it longer. */
function spin(): number {
  const times = [1, 2, 3, 4, 5].map((seed) => {
    const start = performance.now();
    let x = seed;
    for (let i = 0; i < 2e5; i++) x = (x * 1103515245 + 12345) % 2147483648;
    return x < 0 ? 0 : performance.now() - start;
  });
  return Math.min(...times);
}
