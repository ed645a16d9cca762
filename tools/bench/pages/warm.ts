/** Many encryptions in one page, in batches that are long for the clock, the contenders taking turns in an order drawn anew each round. */
import { type Case, operations, quiet, run, shuffle } from './page.ts';

export interface WarmJob {
  cases: Case[];
  rounds: number;
  /** The least time of a batch, in milliseconds. */
  batch: number;
}

/** Of each case: microseconds per operation, one value a round; and what its last operation made. */
export type WarmResult = Record<string, { samples: number[]; last: unknown }>;

run(async ({ cases, rounds, batch }: WarmJob): Promise<WarmResult> => {
  const runners = [];
  for (const one of cases) {
    const make = await operations(one);
    runners.push({ name: one.name, make, size: await batchSize(make, batch) });
  }
  const results: WarmResult = Object.fromEntries(
    cases.map(({ name }) => [name, { samples: [], last: undefined }]),
  );
  for (let round = 0; round < rounds; round++) {
    for (const { name, make, size } of shuffle([...runners])) {
      const batch = await make(size);
      await quiet(0);
      const result = results[name]!;
      const start = performance.now();
      for (const operation of batch) result.last = await operation();
      result.samples.push(((performance.now() - start) * 1000) / size);
    }
  }
  return results;
});

/** Also what warms it up: doubles the batch until it takes long enough three times in a row. */
async function batchSize(
  make: (count: number) => Promise<(() => unknown)[]>,
  least: number,
): Promise<number> {
  let size = 1;
  for (let enough = 0; enough < 3; ) {
    const batch = await make(size);
    const start = performance.now();
    for (const operation of batch) await operation();
    if (performance.now() - start >= least) enough++;
    else {
      enough = 0;
      size *= 2;
    }
  }
  return size;
}
