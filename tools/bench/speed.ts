/** What a page pays in time, in one engine: everything that is compared takes turns in one run, and the baseline runs twice. */
import { loadavg } from 'node:os';
import type { Card } from '../../src/core/index.ts';
import type { Engine } from '../prepare/browsers.ts';
import { open, type Session } from './browsers.ts';
import { bundle, CARDSEAL, CONTENDERS, SNIPPET } from './contenders.ts';
import { expectCard, type KeyPair } from './keys.ts';
import type { BlockJob, BlockResult } from './pages/block.ts';
import type { FreshJob, FreshResult } from './pages/fresh.ts';
import type { Case } from './pages/page.ts';
import type { WarmJob, WarmResult } from './pages/warm.ts';
import { type Estimate, estimate, ratio } from './statistics.ts';

/** Of one case: its time, and how many times the baseline's. */
export interface Timing {
  time: Estimate;
  ratio: Estimate;
}
export type Timings = Record<string, Timing>;

export interface Speed {
  version: string;
  /** Of the machine when the engine's run began, and when it ended: processes that want to run. */
  load: { before: number; after: number };
  /** Microseconds for an encryption with a prepared key. The baseline of all but `block` is the snippet. */
  warm: Timings;
  /** Microseconds for which an encryption keeps the page from doing anything else. The baseline is the bare call. */
  block: Timings;
  /** Milliseconds from the click to the ciphertext in a fresh page. */
  click: Timings;
  /** Milliseconds from the key in hand to the ciphertext in a fresh page, parsing and executing the script included. */
  cold: Timings;
}

/** How often everything is done. */
export interface Effort {
  warm: number;
  fresh: number;
}

/** The snippet a second time: what this ratio is off 1 is the noise of the run. */
export const AGAIN = 'snippet again';
/** The snippet with a single key for all its encryptions, against the specification. */
export const ONE_KEY = 'snippet, one key';
export const BARE = 'bare';
export const NOTHING = 'nothing';

const CARD: Card = {
  number: '4242424242424242',
  name: 'Zoë Ångström',
  exp_month: '12',
  exp_year: '2040',
  cvv: '123',
};

export async function measureSpeed(engine: Engine, pair: KeyPair, effort: Effort): Promise<Speed> {
  const make = async (file: string, other: Partial<Case> = {}): Promise<Case> => ({
    name: file.split('/')[1]!,
    script: await bundle(file),
    key: pair.inHand,
    card: CARD,
    oneCardPerKey: true,
    ...other,
  });
  const contenders = await Promise.all(CONTENDERS.map(({ name }) => make(`contenders/${name}`)));
  const [cardseal, snippet] = [CARDSEAL, SNIPPET].map(
    (name) => contenders.find((one) => one.name === name)!,
  ) as [Case, Case];
  const again = { ...snippet, name: AGAIN };
  const bare = await make('contenders/bare');
  const nothing = await make('contenders/nothing');

  const before = load();
  const session = await open(engine);
  const check = async (one: Case, last: unknown) => {
    if (one !== nothing) await expectCard(contenderOf(one), last, pair, one.card);
  };
  try {
    const repeated = [
      ...contenders,
      again,
      bare,
      { ...snippet, name: ONE_KEY, oneCardPerKey: false },
    ];
    const warm = await measureRepeated(session, 'warm', repeated, effort.warm, check);
    const blocking = [cardseal, bare, nothing];
    const block = await measureRepeated(session, 'block', blocking, effort.warm, check);
    const clicks: [Case, FreshJob['from']][] = [
      [snippet, 'click'],
      [cardseal, 'click-prepared'],
    ];
    const click = await measureFresh(session, clicks, effort.fresh, check);
    const atOnce = { ...cardseal, script: await bundle('contenders/cardseal-at-once') };
    const colds = [...contenders, again].map((one): [Case, FreshJob['from']] => [
      one === cardseal ? atOnce : one,
      'cold',
    ]);
    const cold = await measureFresh(session, colds, effort.fresh, check);
    const { version } = session;
    return { version, load: { before, after: load() }, warm, block, click, cold };
  } finally {
    await session.stop();
  }
}

/** How many processes wanted to run in the last minute. */
const load = () => Math.round(loadavg()[0]! * 100) / 100;

type Check = (one: Case, last: unknown) => Promise<void>;

const contenderOf = ({ name }: Case) => (name.startsWith(SNIPPET) ? SNIPPET : name);

/** Many times in one page. */
async function measureRepeated(
  session: Session,
  page: 'warm' | 'block',
  cases: Case[],
  rounds: number,
  check: Check,
): Promise<Timings> {
  const results = await session.run<WarmResult | BlockResult>(page, {
    cases,
    rounds,
    batch: 4,
  } satisfies WarmJob | BlockJob);
  for (const one of cases) await check(one, results[one.name]!.last);
  const samples = Object.fromEntries(cases.map(({ name }) => [name, results[name]!.samples]));
  return timings(samples, page === 'warm' ? SNIPPET : BARE);
}

/** Once in each of many pages. */
async function measureFresh(
  session: Session,
  cases: [Case, FreshJob['from']][],
  rounds: number,
  check: Check,
): Promise<Timings> {
  const samples: Record<string, number[]> = Object.fromEntries(
    cases.map(([{ name }]) => [name, []]),
  );
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const [one, from] = cases[(turn + round) % cases.length]!;
      const script = `${one.script}//${one.name} ${from} ${round}`; // a script of its own: nothing that the engine has kept fits it
      const { elapsed, last } = await session.run<FreshResult>('fresh', {
        one: { ...one, script },
        from,
      } satisfies FreshJob);
      await check(one, last);
      samples[one.name]!.push(elapsed);
    }
  }
  return timings(samples, SNIPPET);
}

function timings(samples: Record<string, number[]>, baseline: string): Timings {
  return Object.fromEntries(
    Object.entries(samples).map(([name, own]) => [
      name,
      { time: estimate(own), ratio: ratio(own, samples[baseline]!) },
    ]),
  );
}
