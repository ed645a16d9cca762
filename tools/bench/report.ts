/** The results for people: budgets, and the generated part of docs/performance.md. */
import { ENGINES } from '../prepare/browsers.ts';
import type { Results } from './bench.ts';
import { CARDSEAL } from './contenders.ts';
import { isTooBig } from './size.ts';
import { AGAIN, BARE, NOTHING, ONE_KEY } from './speed.ts';
import type { Estimate } from './statistics.ts';

export interface Budget {
  what: string;
  where: string;
  value: string;
  /** The most that it may be. */
  bound: string;
  /** False only if the whole interval lies beyond the bound. */
  met: boolean;
  /** Why it is not met. */
  reason?: string | undefined;
  /** Whether it goes beyond what the reason explains, too. */
  isFailure: boolean;
}

/**
 * A bound of a ratio to the snippet, which validates nothing. Where it is exceeded for a reason,
 * `explained` is the most that the reason explains.
 */
interface TimeBudget {
  what: string;
  of: 'warm' | 'click' | 'cold';
  bound: number;
  explained?: number;
  reason?: string;
}
const TIME_BUDGETS: TimeBudget[] = [
  {
    what: 'encrypting, warm, against the snippet',
    of: 'warm',
    bound: 1.05,
    explained: 1.25,
    reason: 'Cardseal copies, validates and empties the card, which the snippet does not do.',
  },
  {
    what: 'click to ciphertext, against the snippet that imports its key at submit',
    of: 'click',
    bound: 0.8,
    explained: 1.3,
    reason:
      'In a fresh page, the code that validates the card runs for the first time. To run it ' +
      'before, at load, would save less than a millisecond, and would encrypt made-up cards.',
  },
  {
    what: 'key in hand to ciphertext, against the snippet',
    of: 'cold',
    bound: 2,
    explained: 2.3,
    reason:
      'In a fresh page, more code is parsed and runs for the first time: it reads the key ' +
      'strictly, and validates and empties the card.',
  },
];

const TITLES = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKit' };

/** What Cardseal may cost at most. */
export function budgets({ sizes, speed }: Results): Budget[] {
  const bytes = sizes.flatMap((size): Budget[] => {
    const { label, brotli, bound } = size;
    if (bound === undefined) return [];
    return [
      {
        what: label,
        where: 'brotli',
        value: `${whole(brotli)} bytes`,
        bound: `${whole(bound)} bytes`,
        met: !isTooBig(size),
        isFailure: isTooBig(size),
      },
    ];
  });
  const ratios = TIME_BUDGETS.flatMap(({ what, of, bound, explained = bound, reason }) =>
    ENGINES.map((engine): Budget => {
      const { ratio } = speed[engine][of][CARDSEAL]!;
      return {
        what,
        where: TITLES[engine],
        value: interval(ratio),
        bound: times_(bound),
        met: ratio.low <= bound,
        reason: ratio.low <= bound ? undefined : reason,
        isFailure: ratio.low > explained,
      };
    }),
  );
  return [...bytes, ...ratios];
}

/** In Markdown. */
export function performanceSection(results: Results): string {
  return [provenance(results), CHART, peers(results), details(results)].join('\n\n');
}

const CHART =
  '![Bytes to load, and time from the key in hand to the ciphertext in a fresh page, of each](../tools/bench/results/chart.svg)';

function provenance({ date, machine, speed }: Results): string {
  const { cpu, cores, system } = machine;
  const engines = ENGINES.map((engine) => `${TITLES[engine]} ${speed[engine].version}`).join(', ');
  const loads = ENGINES.flatMap((engine) => Object.values(speed[engine].load));
  const busy = `${Math.min(...loads)} to ${Math.max(...loads)}`;
  return [
    `Measured on ${date}: ${engines}; ${cpu}, ${cores} cores, ${system}, load ${busy}.`,
    `The snippet compared with itself gives ${across(({ warm }) => warm[AGAIN]!.ratio, speed)} warm and`,
    `${across(({ cold }) => cold[AGAIN]!.ratio, speed)} in fresh pages. A value that is closer to 1 than that is noise.`,
  ].join('\n');
}

/** One figure for each engine. */
const across = (
  pick: (speed: Results['speed'][keyof Results['speed']]) => Estimate,
  speed: Results['speed'],
  format = interval,
) => ENGINES.map((engine) => format(pick(speed[engine]))).join(' / ');

function peers({ sizes, speed }: Results): string {
  const rows = sizes.map(({ name, label, minified, gzip, brotli }) => {
    const timed = name in speed.chromium.warm;
    const ratios = (of: 'warm' | 'cold') =>
      timed ? across(({ [of]: timings }) => timings[name]!.ratio, speed, short) : '';
    return [label, whole(minified), whole(gzip), whole(brotli), ratios('warm'), ratios('cold')];
  });
  const head = [
    'a page that encrypts with',
    'minified, bytes',
    'gzip',
    'brotli',
    'warm',
    'from nothing',
  ];
  return table(head, rows, 1);
}

function details(results: Results): string {
  const { speed } = results;
  const row = (label: string, pick: (of: Results['speed']['chromium']) => string) => [
    label,
    ...ENGINES.map((engine) => pick(speed[engine])),
  ];
  const rows = [
    row('encrypting, warm', ({ warm }) => interval(warm[CARDSEAL]!.ratio)),
    row('the same for the bare call with the fastest Base64', ({ warm }) =>
      interval(warm[BARE]!.ratio),
    ),
    row('the same for the snippet with one key for all cards', ({ warm }) =>
      interval(warm[ONE_KEY]!.ratio),
    ),
    row(
      'click to ciphertext with the key prepared at load, against the snippet, which imports it at the click',
      ({ click }) => interval(click[CARDSEAL]!.ratio),
    ),
    row('from nothing to ciphertext', ({ cold }) => interval(cold[CARDSEAL]!.ratio)),
    row('longest block of the main thread, against the bare call', ({ block }) =>
      interval(block[CARDSEAL]!.ratio),
    ),
    row('the same, in µs (of which the harness itself)', ({ block }) =>
      [micro(block[CARDSEAL]!.time.median), `(${micro(block[NOTHING]!.time.median)})`].join(' '),
    ),
    row('an encryption, warm, in µs', ({ warm }) => micro(warm[CARDSEAL]!.time.median)),
  ];
  const missed = budgets(results).filter(({ met }) => !met);
  const list = missed.map(({ what, where, value, bound, reason = '' }) =>
    `- ${what}, in ${where}: ${value}; at most ${bound}. ${reason}`.trim(),
  );
  return [
    '<details><summary>Where the time goes</summary>',
    '',
    table(['', ...ENGINES.map((engine) => TITLES[engine])], rows, 1),
    '',
    ...(missed.length
      ? ['These exceed their budgets:', '', ...list]
      : ['Where a median exceeds its budget, the 95 % interval still includes the budget.']),
    '',
    '</details>',
  ].join('\n');
}

function table(head: string[], rows: string[][], left: number): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|${head.map((_, i) => (i < left ? '---' : '--:')).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

const digits = (n: number) => (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0));
const times_ = (n: number) => `${digits(n)} ×`;
const short = ({ median }: Estimate) => times_(median);
const interval = ({ median, low, high }: Estimate) =>
  `${times_(median)} (${digits(low)}–${digits(high)})`;
const micro = (n: number) => (n < 10 ? n.toFixed(1) : n.toFixed(0));
const whole = (n: number) => Math.round(n).toLocaleString('en-US');
