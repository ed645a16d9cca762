/** The longest time for which a warm encryption keeps the page from doing anything else, seen by a message that goes round and round. */
import { type Case, operations, run, shuffle } from './page.ts';

export interface BlockJob {
  cases: Case[];
  rounds: number;
}

/** Of each case: microseconds, one value a round. */
export type BlockResult = Record<string, { samples: number[]; last: unknown }>;

run(async ({ cases, rounds }: BlockJob): Promise<BlockResult> => {
  const results: BlockResult = Object.fromEntries(
    cases.map(({ name }) => [name, { samples: [], last: undefined }]),
  );
  const runners = [];
  for (const one of cases) {
    const make = await operations(one);
    for (const operation of await make(200)) await operation(); // warm
    runners.push({ name: one.name, make });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { name, make } of shuffle([...runners])) {
      const [operation] = await make(1);
      const { longest, last } = await longestBlock(operation!);
      results[name]!.samples.push(longest * 1000);
      results[name]!.last = last;
    }
  }
  return results;
});

function longestBlock(operation: () => unknown): Promise<{ longest: number; last: unknown }> {
  return new Promise((resolve, reject) => {
    const { port1, port2 } = new MessageChannel();
    let longest = 0;
    let previous = 0;
    let turn = 0;
    let outcome: { last: unknown } | undefined;
    port1.onmessage = async () => {
      const now = performance.now();
      if (turn > 3) longest = Math.max(longest, now - previous);
      if (outcome) {
        port1.close();
        resolve({ longest, ...outcome });
        return;
      }
      previous = now;
      port2.postMessage(0);
      if (turn++ === 3) {
        try {
          outcome = { last: await operation() };
        } catch (error) {
          reject(error);
        }
      }
    };
    port2.postMessage(0);
  });
}
