/** What every page of the benchmark begins and ends with. */
import type { Card } from '../../../src/core/index.ts';

/** What a page has in hand before it has loaded anything. */
export interface KeyInHand {
  id: string;
  scheme: string;
  public_key: string;
  /** Adyen's form: exponent and modulus in hexadecimal. */
  adyen: string;
  /** An OpenPGP certificate with RSA keys of the same size. */
  openpgp?: string;
}

/** One thing to measure: a contender's script, and what it is given. */
export interface Case {
  name: string;
  /** Sets the global `contender`. */
  script: string;
  key: KeyInHand;
  card: Card;
  /** It encrypts one card per key: it gets as many as it encrypts. */
  oneCardPerKey: boolean;
}

export interface Contender {
  prepare(key: KeyInHand): unknown;
  encrypt(prepared: unknown, card: Card): unknown;
}

/** Hands the page its job, and the harness what came of it; then the browser goes on to a page of another site, in which nothing is warm. */
export async function run<Job>(work: (job: Job) => Promise<unknown>): Promise<void> {
  const job = JSON.parse(document.querySelector('#job')!.textContent!);
  let answer: object;
  try {
    if (!crossOriginIsolated) throw new Error('not isolated: the clock is too coarse');
    answer = { result: await work(job) };
  } catch (error) {
    answer = { error: `${error}` };
  }
  const next = await fetch('/next', { method: 'POST', body: JSON.stringify(answer) });
  location.replace(await next.text());
}

/** Parses and executes a script, in this turn. */
export function load(script: string): Contender {
  const element = document.createElement('script');
  element.textContent = script;
  document.head.append(element);
  return (globalThis as unknown as { contender: Contender }).contender;
}

/** As many operations as asked for, with everything prepared that may be prepared while the form loads. */
export async function operations(
  { script, key, card, oneCardPerKey }: Case,
  contender = load(script),
) {
  let keys = 0;
  let shared: unknown;
  if (!oneCardPerKey) shared = await contender.prepare(key);
  return async (count: number): Promise<(() => unknown)[]> => {
    const made: (() => unknown)[] = [];
    while (made.length < count) {
      const prepared = oneCardPerKey
        ? await contender.prepare({ ...key, id: `${key.id}_${keys++}` })
        : shared;
      made.push(() => contender.encrypt(prepared, { ...card }));
    }
    return made;
  };
}

export const quiet = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** In place. */
export function shuffle<T>(list: T[]): T[] {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
  return list;
}
