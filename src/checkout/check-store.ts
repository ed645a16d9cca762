import type { OrderStore } from './order-store.ts';

/** Options for `checkStore`. */
export interface CheckStoreOptions {
  /**
   * Ends the database as a crash would, starts it again, and resolves to a store with new
   * connections. Without it, nothing is known of what a restart forgets.
   */
  restart?: (() => Promise<OrderStore>) | undefined;
}

/**
 * Tries a store on your test system, for everything that {@link OrderStore} asks: writers at the
 * same time, ids that are nearly the same, long values, a restart. It takes some seconds, and
 * leaves some orders whose ids begin with `cardseal-check-`. They are not due, and you may delete
 * them.
 *
 * @param store - Of a test system.
 * @param options - How to restart its database.
 * @returns What is wrong, one sentence for each finding. Empty if nothing was found.
 *
 * @example
 * ```ts
 * import { checkStore, memoryStore } from 'cardseal/checkout';
 *
 * const findings = await checkStore(memoryStore()); // your store
 * console.log(findings.length); // 0
 * ```
 */
export async function checkStore(
  store: OrderStore,
  options: CheckStoreOptions = {},
): Promise<string[]> {
  const findings = new Set<string>();
  const trial: Trial = {
    store: withTimeLimit(store),
    id: (name) => `${prefix}${name}`,
    report: (finding) => findings.add(finding),
  };
  const prefix = `cardseal-check-${crypto.randomUUID()}-`;
  for (const check of [tryVersions, tryValues, tryIds, tryWriters, tryReaders, tryList])
    await check(trial).catch((error) => trial.report(`It fails: ${textOf(error)}`));
  if (options.restart)
    await tryRestart(trial, options.restart).catch((error) =>
      trial.report(`It fails when the database is started again: ${textOf(error)}`),
    );
  return [...findings];
}

interface Trial {
  store: OrderStore;
  /** The id of an order of this trial. */
  id: (name: string) => string;
  report: (finding: string) => void;
}

/** How many calls are made at the same time: more than a small pool has connections. */
const AT_ONCE = 12;
const ROUNDS = 5;

async function tryVersions({ store, id, report }: Trial): Promise<void> {
  const order = id('versions');
  const nothing: unknown = await store.read(order);
  if (nothing !== undefined)
    report(`read must give undefined for an order that was never written: it gives ${nothing}`);
  const write = async (value: string, version: number, expected: boolean) => {
    const answer: unknown = await store.write(order, value, version, false);
    if (answer === expected) return;
    const what = typeof answer === 'boolean' ? `${answer}` : `a value of type ${typeof answer}`;
    const when = expected ? 'that is in time' : 'that comes too late';
    report(`write must answer ${expected} to a write ${when}: it answers ${what}`);
  };
  await write('{"step":1}', 0, true);
  const first = await readVersion(order);
  await write('{"step":2}', 0, false);
  await write('{"step":2}', first, true);
  const second = await readVersion(order);
  await write('{"step":3}', first, false);
  if ((await store.read(order))?.value !== '{"step":2}')
    report('A write that comes too late must change nothing: it replaces the value');
  await write('{"step":2}', second, true);
  const third = await readVersion(order);
  if (!(first < second && second < third)) report('Each write must raise the version');

  async function readVersion(orderId: string): Promise<number> {
    const version: unknown = (await store.read(orderId))?.version;
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1)
      report(`version must be a whole number, 1 or more: it is of type ${typeof version}`);
    return Number(version);
  }
}

const TEXT = (length: number) => JSON.stringify({ text: 'x'.repeat(length - 11) });
/** By what is special about it. Nothing of them may be lost. */
const VALUES: Record<string, string> = {
  'a value with spaces, and with names in their own order': '{"b": 1, "a": 1.0}',
  'a value with letters of other languages': '{"text":"\u00e9\u0416\u4e2d"}',
  'a value with an emoji': '{"text":"\ud83d\ude42"}',
  'a value with quotes and backslashes': JSON.stringify({ text: `'"\\ $1 ? :a %s \n \u0000` }),
  'a value of 20,000 characters': TEXT(20_000),
};
/** No order grows so long: it may be refused, but never cut. */
const LONG_VALUE = TEXT(70_000);

async function tryValues({ store, id, report }: Trial): Promise<void> {
  for (const [what, value] of Object.entries(VALUES)) {
    await tryValue(what, value).catch((error) => report(`It refuses ${what}: ${textOf(error)}`));
  }
  const isKept = tryValue('a value of 70,000 characters', LONG_VALUE);
  await isKept.catch(() => {}); // refused

  async function tryValue(what: string, value: string): Promise<void> {
    await store.write(id(what), value, 0, false);
    const kept: unknown = (await store.read(id(what)))?.value;
    if (kept === value) return;
    if (typeof kept !== 'string') report(`value must be text: it is of type ${typeof kept}`);
    else if (value.startsWith(kept)) report(`${what} is cut after ${kept.length} characters`);
    else report(`${what} comes back as another text: no type of column but text will do`);
  }
}

/** Two ids for each difference. */
const IDS: Record<string, [one: string, other: string]> = {
  'upper and lower case': ['order-a', 'order-A'],
  'an accent': ['order-e', 'order-\u00e9'],
  'how an accent is written': ['order-\u00e9', 'order-e\u0301'],
  'a space at the end': ['order', 'order '],
  'a zero at the end': ['1.1', '1.10'],
  'an emoji': ['order-\ud83d\ude42', 'order-\ud83d\ude43'],
  'the last of 150 characters': [`${'x'.repeat(100)}1`, `${'x'.repeat(100)}2`],
};
/** An id so long may be refused, but never cut. */
const LONG_IDS: [one: string, other: string] = [`${'x'.repeat(500)}1`, `${'x'.repeat(500)}2`];

async function tryIds({ store, id, report }: Trial): Promise<void> {
  for (const [what, names] of Object.entries(IDS)) {
    const refuse = (error: unknown) => report(`It refuses an id: ${what}: ${textOf(error)}`);
    await tryPair(what, names).catch(refuse);
  }
  await tryPair('the last of 550 characters', LONG_IDS).catch(() => {}); // refused

  async function tryPair(what: string, [one, other]: [string, string]): Promise<void> {
    const order = id(`${what}-${one}`);
    const otherOrder = id(`${what}-${other}`);
    const value = JSON.stringify({ one });
    await store.write(order, value, 0, false);
    // A store that notices may throw.
    const found = await store.read(otherOrder).catch(() => 'noticed');
    const isNew = await store.write(otherOrder, '{}', 0, false);
    const isKept = (await store.read(order))?.value === value;
    if (found || !isNew || !isKept)
      report(`Two orders whose ids differ only in ${what} are one order: compare ids exactly`);
  }
}

async function tryWriters({ store, id, report }: Trial): Promise<void> {
  const order = id('writers');
  for (let round = 0; round < ROUNDS; round++) {
    const version = (await store.read(order))?.version ?? 0;
    const values = Array.from({ length: AT_ONCE }, (_, writer) => `{"by":"${round}-${writer}"}`);
    const answers = await Promise.all(
      // A write that fails is tried again by the checkout.
      values.map((value) => store.write(order, value, version, false).catch(() => false)),
    );
    const winners = values.filter((_, writer) => answers[writer]);
    if (winners.length === 0) report(`Of ${AT_ONCE} writers at once, none can write`);
    if (winners.length > 1)
      report(`Of ${AT_ONCE} writers at once, several have written: compare and write in one step`);
    const kept = (await store.read(order))?.value;
    if (winners.length === 1 && kept !== winners[0])
      report('Another value is stored than that of the writer who was told that it has written');
  }
}

async function tryReaders({ store, id, report }: Trial): Promise<void> {
  const order = id('readers');
  for (let round = 0; round < ROUNDS; round++) {
    const value = `{"round":${round}}`;
    await store.write(order, value, (await store.read(order))?.version ?? 0, false);
    // At once, so that a pool uses several connections.
    const entries = await Promise.all(Array.from({ length: AT_ONCE }, () => store.read(order)));
    if (entries.some((entry) => entry?.value !== value))
      report(
        'A read that follows a write does not see it: it reaches a replica or a cache, or a ' +
          'connection has an open transaction',
      );
  }
}

async function tryList({ store, id, report }: Trial): Promise<void> {
  if (!store.list) return;
  const [a, b, c] = ['a', 'b', 'c'].map((name) => id(`list-${name}`)) as [string, string, string];
  const writeAll = async (due: boolean) => {
    for (const order of [a, b, c])
      await store.write(order, '{}', (await store.read(order))?.version ?? 0, due);
  };
  const list = async (after: string, limit: number) =>
    (await store.list!({ after, limit })).map(({ orderId }) => orderId);
  try {
    await writeAll(true);
    const first = await list(id('list-'), 2);
    if (first.length > 2) report('list gives more orders than its limit');
    if (!first.includes(a) || !first.includes(b)) report('list does not find an order that is due');
    const second = await list(a, 2);
    if (second.includes(a)) report('list gives an order again that `after` has excluded');
    if (second[0] !== b || second[1] !== c)
      report('list must give the orders that come after `after`');
  } finally {
    await writeAll(false);
  }
  const third = await list(id('list-'), 3);
  if ([a, b, c].some((order) => third.includes(order)))
    report('list finds an order that is not due');
}

async function tryRestart(
  { store, id, report }: Trial,
  restart: () => Promise<OrderStore>,
): Promise<void> {
  const orders = Array.from({ length: AT_ONCE }, (_, at) => id(`restart-${at}`));
  await Promise.all(orders.map((order) => store.write(order, '{}', 0, false)));
  const again = withTimeLimit(await restart());
  const entries = await Promise.all(orders.map((order) => again.read(order)));
  if (entries.some((entry) => entry?.value !== '{}'))
    report('A restart of the database forgets what was written: orders could be charged again');
}

const LIMIT_MS = 10_000;

function withTimeLimit(store: OrderStore): OrderStore {
  const { list } = store;
  return {
    read: (orderId) => inTime('read', store.read(orderId)),
    write: (...args) => inTime('write', store.write(...args)),
    ...(list && { list: (options) => inTime('list', list.call(store, options)) }),
  };
}

async function inTime<T>(name: string, result: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`${name} has not answered after ${LIMIT_MS / 1000} s`));
    timer = setTimeout(late, LIMIT_MS);
  });
  try {
    return await Promise.race([result, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The database's own words: nothing of a card has been near them. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
