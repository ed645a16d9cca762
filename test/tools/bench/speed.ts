/** What a page pays in time, in one engine: everything that is compared takes turns in one run, and the baseline runs twice. */
import type { Card } from '../../../src/core/index.ts';
import type { Engine } from '../prepare/browsers.ts';
import { open, type Session } from './browsers.ts';
import { bundle, CARDSEAL, CONTENDERS, SNIPPET } from './contenders.ts';
import { expectCard, type KeyPair } from './keys.ts';
import { load } from './machine.ts';
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
  /** Microseconds for its parts. */
  parts: Timings;
  /** Microseconds for which an encryption keeps the page from doing anything else. The baseline is the bare call. */
  block: Timings;
  /** Milliseconds from the click to the ciphertext in a fresh page. */
  click: Timings;
  /** Milliseconds from the key in hand to the ciphertext in a fresh page, parsing and executing the script included. */
  cold: Timings;
  /** The same with the CPU slowed four times, and how many times slower it really was. Chromium only. */
  coldSlowed?: { timings: Timings; slowdown: number };
  /** Microseconds for an encryption with a prepared key, by bits of the key and bytes of the name. */
  scaling: { bits: number; nameBytes: number; cardseal: Estimate; ratio: Estimate }[];
}

/** How often everything is done. */
export interface Effort {
  warm: number;
  fresh: number;
  scaling: number;
}

/** The snippet a second time: what this ratio is off 1 is the noise of the run. */
export const AGAIN = 'snippet again';
/** The snippet with a single key for all its encryptions, against the specification. */
export const ONE_KEY = 'snippet, one key';
/** The snippet that imports its key while the form loads. */
export const AT_LOAD = 'snippet, key at load';
export const BARE = 'bare';
export const NOTHING = 'nothing';
export const PARTS = ['take-over', 'hop', 'web-crypto'];

const CARD: Card = {
  number: '4242424242424242',
  name: 'Zoë Ångström',
  exp_month: '12',
  exp_year: '2040',
  cvv: '123',
};

export async function measureSpeed(
  engine: Engine,
  pairs: Record<number, KeyPair>,
  effort: Effort,
): Promise<Speed> {
  const pair = pairs[2048]!;
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
  const parts = await Promise.all(PARTS.map((part) => make(`parts/${part}`)));

  const before = load();
  const session = await open(engine);
  const check = async (one: Case, last: unknown) => {
    if (one.key.id === pair.inHand.id && !parts.includes(one) && one.name !== NOTHING)
      await expectCard(contenderOf(one), last, pair, one.card);
  };
  try {
    const repeated = [
      ...contenders,
      again,
      bare,
      { ...snippet, name: ONE_KEY, oneCardPerKey: false },
      ...parts,
    ];
    const warm = await measureRepeated(session, 'warm', repeated, effort.warm, check);
    const nothing = await make('parts/nothing', { name: NOTHING });
    const block = await measureRepeated(
      session,
      'block',
      [...contenders, again, bare, nothing],
      effort.warm,
      check,
    );
    const scaling = await measureScaling(session, [cardseal, snippet], pairs, effort.scaling);
    const clicks: [Case, FreshJob['from']][] = [
      [snippet, 'click'],
      [again, 'click'],
      [{ ...snippet, name: AT_LOAD }, 'click-prepared'],
      [cardseal, 'click-prepared'],
    ];
    const click = await measureFresh(session, clicks, effort.fresh, check);
    const atOnce = { ...cardseal, script: await bundle('contenders/cardseal-at-once') };
    const colds = [...contenders, again].map((one): [Case, FreshJob['from']] => [
      one === cardseal ? atOnce : one,
      'cold',
    ]);
    const cold = await measureFresh(session, colds, effort.fresh, check);
    const speed: Speed = {
      version: session.version,
      load: { before, after: load() },
      warm: without(warm, PARTS),
      parts: Object.fromEntries(PARTS.map((part) => [part, warm[part]!])),
      block,
      click: click.timings,
      cold: cold.timings,
      scaling,
    };
    if (engine === 'chromium') {
      await session.slow(4);
      const slowed = await measureFresh(session, colds, effort.fresh, check, 2.5 * cold.spin);
      speed.coldSlowed = { timings: slowed.timings, slowdown: slowed.spin / cold.spin };
      speed.load.after = load();
    }
    return speed;
  } finally {
    await session.stop();
  }
}

type Check = (one: Case, last: unknown) => Promise<void>;

const contenderOf = ({ name }: Case) => (name.startsWith(SNIPPET) ? SNIPPET : name);
const without = (timings: Timings, names: string[]): Timings =>
  Object.fromEntries(Object.entries(timings).filter(([name]) => !names.includes(name)));

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

async function measureScaling(
  session: Session,
  contenders: [Case, Case],
  pairs: Record<number, KeyPair>,
  rounds: number,
) {
  const rest = (CARD.number + CARD.exp_month.toString() + CARD.exp_year + CARD.cvv).length;
  const sizes = Object.entries(pairs).flatMap(([bits, pair]) => {
    const most = Number(bits) / 8 - 66 - rest; // k - 2 hLen - 2
    return [1, most].map((nameBytes) => ({ bits: Number(bits), nameBytes, key: pair.inHand }));
  });
  const id = (one: Case, bits: number, nameBytes: number) => `${one.name} ${bits} ${nameBytes}`;
  const cases = sizes.flatMap(({ bits, nameBytes, key }) =>
    contenders.map((one) => ({
      ...one,
      name: id(one, bits, nameBytes),
      key,
      card: { ...CARD, name: 'n'.repeat(nameBytes) },
    })),
  );
  const results = await session.run<WarmResult>('warm', {
    cases,
    rounds,
    batch: 4,
  } satisfies WarmJob);
  for (const { name, card, key } of cases) {
    const [contender, bits] = name.split(' ') as [string, string];
    await expectCard(
      contender,
      results[name]!.last,
      { ...pairs[Number(bits)]!, inHand: key },
      card,
    );
  }
  return sizes.map(({ bits, nameBytes }) => {
    const [cardseal, snippet] = contenders.map(
      (one) => results[id(one, bits, nameBytes)]!.samples,
    ) as [number[], number[]];
    return { bits, nameBytes, cardseal: estimate(cardseal), ratio: ratio(cardseal, snippet) };
  });
}

/** Once in each of many pages. */
async function measureFresh(
  session: Session,
  cases: [Case, FreshJob['from']][],
  rounds: number,
  check: Check,
  spinAtLeast = 0,
) {
  const samples: Record<string, number[]> = Object.fromEntries(
    cases.map(([{ name }]) => [name, []]),
  );
  const spins: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < cases.length; turn++) {
      const [one, from] = cases[(turn + round) % cases.length]!;
      const script = `${one.script}//${one.name} ${from} ${round}`; // a script of its own: nothing that the engine has kept fits it
      const { elapsed, last, spin } = await session.run<FreshResult>('fresh', {
        one: { ...one, script },
        from,
        spinAtLeast,
      } satisfies FreshJob);
      await check(one, last);
      samples[one.name]!.push(elapsed);
      spins.push(spin);
    }
  }
  return { timings: timings(samples, SNIPPET), spin: Math.min(...spins) };
}

function timings(samples: Record<string, number[]>, baseline: string): Timings {
  return Object.fromEntries(
    Object.entries(samples).map(([name, own]) => [
      name,
      { time: estimate(own), ratio: ratio(own, samples[baseline]!) },
    ]),
  );
}
