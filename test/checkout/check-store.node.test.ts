/** `checkStore` says what is wrong with a store, each fault in a sentence of its own. */
import { checkStore, memoryStore, type OrderStore } from 'cardseal/checkout';
import { expect, test } from 'vitest';

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
const later = () => new Promise<void>((resolve) => setTimeout(resolve));

test('finds nothing in a store that does what is asked, also after a restart', async () => {
  const restart = async () => memoryStore();
  expect(await checkStore(memoryStore(), { restart })).toEqual([]);
});

test('asks for no list', async () => {
  expect(await checkStore({ read, write })).toEqual([]);
});

test.each<[sentence: string, store: OrderStore]>([
  [
    'read must give undefined for an order that was never written: it gives null',
    storeWith({ read: async (id) => (await read(id)) ?? (null as unknown as undefined) }),
  ],
  [
    'write must answer true to a write that is in time: it answers a value of type object',
    storeWith({ write: async (...args) => ({ changed: await write(...args) }) as never }),
  ],
  [
    'write must answer false to a write that comes too late: it answers true',
    storeWith({ write: (...args) => write(...args).then(() => true) }),
  ],
  [
    'A write that comes too late must change nothing: it replaces the value',
    storeWith({
      async write(id, value, version, due) {
        const current = (await read(id))?.version ?? 0;
        return (await write(id, value, current, due)) && current === version;
      },
    }),
  ],
  [
    'Each write must raise the version',
    storeWith({ read: async (id) => (await read(id)) && { ...(await read(id))!, version: 1 } }),
  ],
  [
    'version must be a whole number, 1 or more: it is of type string',
    storeWith({
      async read(id) {
        const entry = await read(id);
        return entry && { ...entry, version: String(entry.version) as unknown as number };
      },
    }),
  ],
  [
    'value must be text: it is of type object',
    storeWith({
      async read(id) {
        const entry = await read(id);
        return entry && { ...entry, value: JSON.parse(entry.value) };
      },
    }),
  ],
  [
    'a value with spaces, and with names in their own order comes back as another text: ' +
      'no type of column but text will do',
    keeping((value) => JSON.stringify(JSON.parse(value))),
  ],
  [
    'a value of 20,000 characters is cut after 8000 characters',
    keeping((value) => value.slice(0, 8000)),
  ],
  [
    'a value of 70,000 characters is cut after 65535 characters',
    keeping((value) => value.slice(0, 65535)),
  ],
  [
    'a value with an emoji comes back as another text: no type of column but text will do',
    keeping((value) => value.replaceAll(/\p{Surrogate}|\p{Emoji_Presentation}/gu, '?')),
  ],
  [
    'Two orders whose ids differ only in upper and lower case are one order: compare ids exactly',
    comparing((id) => id.toLowerCase()),
  ],
  [
    'Two orders whose ids differ only in a space at the end are one order: compare ids exactly',
    comparing((id) => id.trimEnd()),
  ],
  [
    'Two orders whose ids differ only in the last of 550 characters are one order: ' +
      'compare ids exactly',
    comparing((id) => id.slice(0, 255)),
  ],
  [
    'Of 12 writers at once, several have written: compare and write in one step',
    storeWith({
      async write(id, value, version, due) {
        const current = (await read(id))?.version ?? 0;
        await later();
        if (current !== version) return false;
        return write(id, value, (await read(id))?.version ?? 0, due);
      },
    }),
  ],
  [
    'A read that follows a write does not see it: it reaches a replica or a cache, or a ' +
      'connection has an open transaction',
    (() => {
      let turn = 0;
      const before = new Map<string, { value: string; version: number } | undefined>();
      return storeWith({
        read: async (id) =>
          id.includes('readers') && turn++ % 5 === 4 ? before.get(id) : read(id),
        async write(id, ...rest) {
          before.set(id, await read(id));
          return write(id, ...rest);
        },
      });
    })(),
  ],
  ['list does not find an order that is due', storeWith({ list: async () => [] })],
  [
    'list finds an order that is not due',
    storeWith({ write: (id, value, version) => write(id, value, version, true) }),
  ],
  [
    'list gives more orders than its limit',
    storeWith({ list: ({ after }) => list({ limit: 1000, after }) }),
  ],
  [
    'list must give the orders that come after `after`',
    storeWith({ list: async (options) => (await list(options)).reverse() }),
  ],
  [
    'list gives an order again that `after` has excluded',
    storeWith({ list: ({ after }) => list({ limit: 1000, after: after?.slice(0, -1) }) }),
  ],
  [
    'It fails: the table is not there',
    storeWith({ read: () => Promise.reject(new Error('the table is not there')) }),
  ],
])('%s', async (sentence, store) => {
  expect(await checkStore(store)).toContain(sentence);
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
