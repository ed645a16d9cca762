/** Medians with an interval: no assumption about how times are distributed, and a pause of the machine moves little. */

/** The median, and an interval that holds the true one in 95 of 100 runs. */
export interface Estimate {
  median: number;
  low: number;
  high: number;
}

/** The interval: two order statistics, by the binomial distribution. */
export function estimate(samples: number[]): Estimate {
  const sorted = [...samples].sort((a, b) => a - b);
  const n = sorted.length;
  if (n < 6) throw new Error('Too few samples for an interval'); // 5 lie on one side of the median in 6 of 100 runs
  const lower = Math.max(0, Math.floor((n - 1.96 * Math.sqrt(n)) / 2));
  return { median: median(sorted), low: sorted[lower]!, high: sorted[n - 1 - lower]! };
}

/**
 * The median as a multiple of the baseline's. The interval: a bootstrap that draws whole rounds, so what troubled the machine in one round
 * troubles both.
 */
export function ratio(samples: number[], baseline: number[]): Estimate {
  const n = samples.length;
  const draws = Array.from({ length: 1000 }, () => {
    const rounds = Array.from({ length: n }, () => Math.floor(Math.random() * n));
    return (
      median(rounds.map((round) => samples[round]!)) /
      median(rounds.map((round) => baseline[round]!))
    );
  }).sort((a, b) => a - b);
  return { median: median(samples) / median(baseline), low: draws[25]!, high: draws[974]! };
}

export function median(samples: number[]): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const n = sorted.length;
  return (sorted[Math.floor((n - 1) / 2)]! + sorted[Math.ceil((n - 1) / 2)]!) / 2;
}
