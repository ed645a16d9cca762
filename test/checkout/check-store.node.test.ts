/** `checkStore` says what is wrong with a store, each fault in a sentence of its own. */
import { checkStore, memoryStore, type OrderStore } from 'cardseal/checkout';
import { expect, onTestFinished, test, vi } from 'vitest';

/** A store whose ids, values and answers pass through these. */
function storeWith(change: Partial<OrderStore>): OrderStore {
  const { read, write, list } = memoryStore();
  return { read, write, list, ...change };
}

const { read, write, list } = memoryStore();

/** Values pass through `kept` when they are written. */
const keeping = (kept: (value: string) => string) =>
  storeWith({ write: (id, value, ...rest) => write(id, kept(value), ...rest) });
/** Ids pass through `same`. */
const comparing = (same: (id: string) => string) =>
  storeWith({
    read: (id) => read(same(id)),
    write: (id, ...rest) => write(same(id), ...rest),
  });
const noEmoji = (text: string) => text.replaceAll(/\p{Surrogate}|\p{Emoji_Presentation}/gu, '?');
const later = () => new Promise<void>((resolve) => setTimeout(resolve));

test('finds nothing in a store that does what is asked, also after a restart', async () => {
  const restart = async () => memoryStore();
  expect(await checkStore(memoryStore(), { restart })).toEqual([]);
});

test('writes JSON only, and leaves orders that are not due', async () => {
  const left = new Map<string, boolean>();
  const store = storeWith({
    async write(id, value, version, due = true) {
      JSON.parse(value);
      expect(id).toMatch(/^cardseal-check-[0-9a-f-]{36}-/);
      left.set(id.slice('cardseal-check-'.length + 37), due);
      return write(id, value, version, due);
    },
  });
  expect(await checkStore(store, { restart: async () => store })).toEqual([]);
  expect([...left.values()]).not.toContain(true);
  expect(left.size).toBe(40);
  const named = [...left.keys()].filter((id) =>
    /^(versions|writers|readers|list|restart)/.test(id),
  );
  expect(named).toEqual([
    ...['versions', 'writers', 'readers', 'list-a', 'list-b', 'list-c'],
    ...Array.from({ length: 12 }, (_, at) => `restart-${at}`),
  ]);
});

test('leaves no order due if the list fails', async () => {
  const left = new Map<string, boolean | undefined>();
  const store = storeWith({
    write(id, value, version, due) {
      left.set(id, due);
      return write(id, value, version, due);
    },
    list: failing('no list'),
  });
  expect(await checkStore(store)).toEqual(['It fails: no list']);
  expect([...left.values()]).not.toContain(true);
});

test('asks for no list', async () => {
  expect(await checkStore({ read, write })).toEqual([]);
});

const VALUES = [
  'a value with spaces, and with names in their own order',
  'a value with letters of other languages',
  'a value with an emoji',
  'a value with quotes and backslashes',
  'a value of 20,000 characters',
];
const IDS = [
  'upper and lower case',
  'an accent',
  'how an accent is written',
  'a space at the end',
  'a zero at the end',
  'an emoji',
  'the last of 150 characters',
];

const inTime = (answer: string) =>
  `write must answer true to a write that is in time: it answers ${answer}`;
const tooLate = (answer: string) =>
  `write must answer false to a write that comes too late: it answers ${answer}`;
const REPLACED = 'A write that comes too late must change nothing: it replaces the value';
const NOT_RAISED = 'Each write must raise the version';
const version = (type: string) =>
  `version must be a whole number, 1 or more: it is of type ${type}`;
const another = (what: string) =>
  `${what} comes back as another text: no type of column but text will do`;
const cut = (length: string, after: number) =>
  `a value of ${length} characters is cut after ${after} characters`;
const oneOrder = (what: string) =>
  `Two orders whose ids differ only in ${what} are one order: compare ids exactly`;
const refusesValue = (what: string, why: string) => `It refuses ${what}: ${why}`;
const refusesId = (what: string, why: string) => `It refuses an id: ${what}: ${why}`;
const NONE = 'Of 12 writers at once, none can write';
const SEVERAL = 'Of 12 writers at once, several have written: compare and write in one step';
const OTHER_WRITER =
  'Another value is stored than that of the writer who was told that it has written';
const OLD_READ =
  'A read that follows a write does not see it: it reaches a replica or a cache, or a connection ' +
  'has an open transaction';
const LIST = {
  limit: 'list gives more orders than its limit',
  due: 'list does not find an order that is due',
  again: 'list gives an order again that `after` has excluded',
  after: 'list must give the orders that come after `after`',
  notDue: 'list finds an order that is not due',
};

/** A store whose entries pass through `change` when they are read. */
const reading = (change: (entry: Entry) => unknown) =>
  storeWith({
    async read(id) {
      const entry = await read(id);
      return entry && { ...entry, ...(change(entry) as Partial<Entry>) };
    },
  });
/** A store whose versions are those that `shown` makes of the count of writes. */
const counting = (shown: (writes: number) => number) =>
  storeWith({
    read: reading(({ version }) => ({ version: shown(version) })).read,
    async write(id, value, version, due) {
      const writes = (await read(id))?.version ?? 0;
      return shown(writes) === version && write(id, value, writes, due);
    },
  });
type Entry = NonNullable<Awaited<ReturnType<OrderStore['read']>>>;

const failing = (failure: unknown) => () => Promise.reject(failure);

test.each<[what: string, store: OrderStore, findings: string[]]>([
  [
    'null for nothing',
    storeWith({ read: async (id) => (await read(id)) ?? (null as unknown as undefined) }),
    ['read must give undefined for an order that was never written: it gives null'],
  ],
  [
    'answers that are no booleans',
    storeWith({ write: async (...args) => ({ changed: await write(...args) }) as never }),
    [inTime('a value of type object'), tooLate('a value of type object'), SEVERAL],
  ],
  [
    'always true',
    storeWith({ write: (...args) => write(...args).then(() => true) }),
    [tooLate('true'), SEVERAL],
  ],
  [
    'a late write that replaces the value',
    storeWith({
      async write(id, value, version, due) {
        const current = (await read(id))?.version ?? 0;
        return (await write(id, value, current, due)) && current === version;
      },
    }),
    [inTime('false'), REPLACED],
  ],
  [
    'one version for all',
    reading(() => ({ version: 1 })),
    [inTime('false'), NOT_RAISED, NONE, OLD_READ],
  ],
  [
    'a version that is raised only by the second write',
    reading(({ version }) => ({ version: Math.max(version, 2) })),
    [inTime('false'), REPLACED, NOT_RAISED, NONE, OLD_READ, LIST.notDue],
  ],
  [
    'a second write that does not raise the version',
    counting((writes) => Math.ceil(writes / 2)),
    [tooLate('true'), REPLACED, inTime('false'), NOT_RAISED],
  ],
  [
    'a third write that does not raise the version',
    counting((writes) => Math.min(writes, 2)),
    [NOT_RAISED],
  ],
  [
    'versions as texts',
    reading(({ version }) => ({ version: String(version) })),
    [version('string'), NONE, OLD_READ, LIST.notDue],
  ],
  ...[0, 1.5, Number.NaN, 2 ** 53].map((number): [string, OrderStore, string[]] => [
    `versions of ${number}`,
    reading(() => ({ version: number })),
    expect.arrayContaining([version('number')]) as string[],
  ]),
  [
    'values as objects',
    reading(({ value }) => ({ value: JSON.parse(value) })),
    [
      REPLACED,
      'value must be text: it is of type object',
      ...[...IDS, 'the last of 550 characters'].map(oneOrder),
      ...[OTHER_WRITER, OLD_READ],
    ],
  ],
  [
    'values in a form of their own',
    keeping((value) => JSON.stringify(JSON.parse(value))),
    [another(VALUES[0]!)],
  ],
  [
    'values without letters of other languages',
    keeping((value) => value.replaceAll(/[\u0416\u4e2d]/g, '?')),
    [another(VALUES[1]!)],
  ],
  [
    'values and ids without emojis',
    storeWith({
      read: (id) => read(noEmoji(id)),
      write: (id, value, ...rest) => write(noEmoji(id), noEmoji(value), ...rest),
    }),
    [another(VALUES[2]!), oneOrder('an emoji')],
  ],
  [
    'values without backslashes',
    keeping((value) => value.replaceAll('\\', '')),
    [another(VALUES[3]!)],
  ],
  ['values without quotes', keeping((value) => value.replaceAll("'", '')), [another(VALUES[3]!)]],
  [
    'values of 8,000 characters',
    keeping((value) => value.slice(0, 8000)),
    [cut('20,000', 8000), cut('70,000', 8000)],
  ],
  ['values of 20,000', keeping((value) => value.slice(0, 20_000)), [cut('70,000', 20_000)]],
  ['values of 65,535', keeping((value) => value.slice(0, 65535)), [cut('70,000', 65535)]],
  ...(
    [
      ['upper and lower case', (id) => id.toLowerCase()],
      ['how an accent is written', (id) => id.normalize('NFC')],
      ['a space at the end', (id) => id.trimEnd()],
      ['a zero at the end', (id) => id.replace(/(\.\d*?)0+$/, '$1')],
      ['an emoji', (id) => noEmoji(id)],
      ['the last of 550 characters', (id) => id.slice(0, 255)],
    ] as [what: string, same: (id: string) => string][]
  ).map(([what, same]): [string, OrderStore, string[]] => [
    `ids that are the same but for ${what}`,
    comparing(same),
    [oneOrder(what)],
  ]),
  [
    'ids without accents',
    comparing((id) => id.normalize('NFD').replaceAll(/\p{Mn}/gu, '')),
    [oneOrder('an accent'), oneOrder('how an accent is written')],
  ],
  [
    'ids of 150 characters',
    comparing((id) => id.slice(0, 150)),
    [oneOrder('the last of 150 characters'), oneOrder('the last of 550 characters')],
  ],
  [
    'ids that are written in lower case',
    storeWith({
      async write(id, value, version, due) {
        const written = id.toLowerCase();
        const current = written === id ? version : ((await read(written))?.version ?? 0);
        return write(written, value, current, due);
      },
    }),
    [oneOrder('upper and lower case')],
  ],
  [
    'a read that finds another order, and notices',
    storeWith({
      async read(id) {
        const entry = await read(id);
        if (!entry && (await read(id.toLowerCase()))) throw new Error('another order');
        return entry;
      },
    }),
    [oneOrder('upper and lower case')],
  ],
  [
    'writers who overtake each other',
    storeWith({
      async write(id, value, version, due) {
        const current = (await read(id))?.version ?? 0;
        await later();
        if (current !== version) return false;
        return write(id, value, (await read(id))?.version ?? 0, due);
      },
    }),
    [SEVERAL],
  ],
  [
    'writers who all give up',
    storeWith({
      write: (id, ...rest) =>
        id.endsWith('writers') ? Promise.reject(new Error('deadlock')) : write(id, ...rest),
    }),
    [NONE],
  ],
  [
    'a writer who is told that another one has written',
    storeWith({
      write: (id, value, ...rest) =>
        write(id, id.endsWith('writers') ? value.replace(/.-/, 'x-') : value, ...rest),
    }),
    [OTHER_WRITER],
  ],
  [
    'a replica',
    (() => {
      let turn = 0; // of 13 reads in each round, one for the version: only the last is old
      const before = new Map<string, { value: string; version: number } | undefined>();
      return storeWith({
        read: async (id) =>
          id.includes('readers') && turn++ % 13 === 12 ? before.get(id) : read(id),
        async write(id, ...rest) {
          before.set(id, await read(id));
          return write(id, ...rest);
        },
      });
    })(),
    [OLD_READ],
  ],
  ['an empty list', storeWith({ list: async () => [] }), [LIST.due, LIST.after]],
  [
    'a list that finds all',
    storeWith({ write: (id, value, version) => write(id, value, version, true) }),
    [LIST.notDue],
  ],
  [
    'an order that stays due',
    storeWith({
      write: (id, value, version, due) => write(id, value, version, due || id.endsWith('list-b')),
    }),
    [LIST.notDue],
  ],
  [
    'a list without a limit',
    storeWith({ list: ({ after }) => list({ limit: 1000, after }) }),
    [LIST.limit],
  ],
  [
    'a list in another order',
    storeWith({ list: async (options) => (await list(options)).reverse() }),
    [LIST.after],
  ],
  [
    'a list without its first order',
    storeWith({
      list: async (options) => (await list({ ...options, limit: options.limit + 1 })).slice(1),
    }),
    [LIST.due, LIST.after],
  ],
  [
    'a list whose first id is cut',
    storeWith({
      async list(options) {
        const [first, ...others] = await list(options);
        return first ? [{ ...first, orderId: first.orderId.slice(0, -1) }, ...others] : [];
      },
    }),
    [LIST.due, LIST.after],
  ],
  [
    'a list of one',
    storeWith({ list: async (options) => (await list(options)).slice(0, 1) }),
    [LIST.due, LIST.after],
  ],
  [
    'a list that begins with the order before',
    storeWith({ list: ({ after }) => list({ limit: 1000, after: after?.slice(0, -1) }) }),
    [LIST.limit, LIST.again, LIST.after],
  ],
  [
    'no table',
    storeWith({ read: failing(new Error('the table is not there')) }),
    [
      'It fails: the table is not there',
      ...VALUES.map((what) => refusesValue(what, 'the table is not there')),
      ...IDS.map((what) => refusesId(what, 'the table is not there')),
    ],
  ],
  ['a failure that is no error', storeWith({ list: failing('no list') }), ['It fails: no list']],
])('%s', async (_, store, findings) => {
  expect(await checkStore(store)).toEqual(findings);
});

test.each(['read', 'write', 'list'] as const)('a %s that never answers', async (name) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = storeWith({ [name]: () => new Promise<never>(() => {}) });
  const found = checkStore(store);
  await vi.advanceTimersByTimeAsync(60 * 10_000);
  expect(await found).toContain(`It fails: ${name} has not answered after 10 s`);
});

test('leaves no timer behind', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  await checkStore(memoryStore());
  expect(vi.getTimerCount()).toBe(0);
});

test('an id that is refused is no order that is lost, and a long one may be refused', async () => {
  const refuse = (id: string) => {
    if (id.length > 255) throw new Error('too long');
    return id;
  };
  expect(await checkStore(comparing(refuse))).toEqual([]);
  const refuseMore = (id: string) => {
    if (id.endsWith('\u00e9')) throw new Error('no such letter');
    return id;
  };
  expect(await checkStore(comparing(refuseMore))).toContain(
    'It refuses an id: an accent: no such letter',
  );
});

test('a restart that forgets', async () => {
  const restart = async () => storeWith({ read: async () => undefined });
  expect(await checkStore(memoryStore(), { restart })).toEqual([
    'A restart of the database forgets what was written: orders could be charged again',
  ]);
});

test('a restart that forgets one order of twelve', async () => {
  const { read, write, list } = memoryStore();
  const restart = async () => ({
    ...{ write, list },
    read: async (id: string) => (id.endsWith('-7') ? undefined : read(id)),
  });
  expect(await checkStore({ read, write, list }, { restart })).toEqual([
    'A restart of the database forgets what was written: orders could be charged again',
  ]);
});

test('a restart that fails', async () => {
  const restart = failing(new Error('no such service'));
  expect(await checkStore(memoryStore(), { restart })).toEqual([
    'It fails when the database is started again: no such service',
  ]);
});
