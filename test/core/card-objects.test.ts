/** What a card may be made of: objects of every kind, memory of every kind, and a polluted Object.prototype. */
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Card,
  type CardEncryptionKey,
  type CardField,
  encryptCard,
  prepareKey,
} from '../../src/core/index.ts';
import {
  byteCard,
  card,
  decrypt,
  FIELD_NAMES,
  freshKey,
  isEmpty,
  outcome,
  utf8,
} from '../support/core.ts';

/** Where mutants are tested. */
const inNode = typeof document === 'undefined';

function failed(message: string): never {
  throw new Error(message);
}

/** Makes the card's own properties, one of them by its descriptor. */
const define = (field: CardField, descriptor: PropertyDescriptor): Card =>
  Object.defineProperty(card(), field, descriptor);

describe('objects that are taken', () => {
  const hidden = (): Card => {
    const descriptors = Object.getOwnPropertyDescriptors(card());
    for (const property of Object.values(descriptors)) property.enumerable = false;
    return Object.defineProperties({}, descriptors) as Card;
  };

  test.each<[string, () => Card]>([
    ['that have no prototype', () => Object.assign(Object.create(null), card())],
    ['that cannot be enumerated', hidden],
    ['behind two proxies, made of bytes', () => new Proxy(new Proxy(byteCard(), {}), {})],
  ])('%s', async (_, make) => {
    const given = make();
    const result = encryptCard(freshKey(), given);
    expect(isEmpty(given)).toBe(true);
    expect(await decrypt(await result)).toEqual(card());
  });
});

describe.each(FIELD_NAMES)('%s', (field) => {
  const others = FIELD_NAMES.filter((name) => name !== field);
  /** Refused for this field; the other fields are emptied nevertheless, in the turn of the call. */
  async function refuses(given: Card) {
    const result = outcome(encryptCard(freshKey(), given));
    const rest = Object.fromEntries(others.map((name) => [name, Reflect.get(given, name)]));
    expect(isEmpty({ ...rest, [field]: '' } as never)).toBe(true);
    expect(await result).toBe(`invalid_card ${field}`);
  }

  test('must be there, and must not be inherited', async () => {
    const { [field]: value, ...rest } = card();
    await refuses(Object.assign(Object.create({ [field]: value }), rest));
    await refuses(rest as never);
    expect(rest).not.toHaveProperty(field); // nothing to empty, so nothing is added
  });

  test('must not have a getter, which is not run', async () => {
    let runs = 0;
    const get = () => {
      runs++;
      return card()[field];
    };
    await refuses(define(field, { get, configurable: true }));
    await refuses(define(field, { get, set: () => failed(card()[field]), configurable: true }));
    expect(runs).toBe(0);
  });

  test('must not be the accessor of a class, whose setter is still used to empty it', async () => {
    let kept = card()[field];
    class Model {
      get [field](): string {
        return kept;
      }
      set [field](value: string) {
        kept = value;
      }
    }
    const { [field]: _, ...rest } = card();
    await refuses(Object.assign(new Model() as never, rest));
    expect(kept).toBe('');
  });

  test('must be writable: a string could not be emptied; bytes are zeroed all the same', async () => {
    await refuses(define(field, { value: card()[field], writable: false }));
    const bytes = byteCard()[field];
    await refuses(define(field, { value: bytes, writable: false }));
    expect(bytes).toEqual(new Uint8Array(bytes.length));
    await refuses(define(field, { value: utf8('x'.repeat(447)), writable: false })); // whatever else is wrong with it
  });

  // Claim fields-emptied
  test('must let itself be emptied by a proxy that refuses, throws, or says yes and does nothing', async () => {
    for (const set of [() => false, () => failed(card()[field]), () => true]) {
      const handler: ProxyHandler<Card> = {
        set: (target, name, value, self) =>
          name === field ? set() : Reflect.set(target, name, value, self),
      };
      await refuses(new Proxy(card(), handler));
    }
  });

  test('must let itself be read by a proxy', async () => {
    /** Answers so when it is asked for this field's property. */
    const proxy = (target: Card, answer: () => undefined) =>
      new Proxy(target, {
        getOwnPropertyDescriptor: (own, name) =>
          name === field ? answer() : Reflect.getOwnPropertyDescriptor(own, name),
      });
    await refuses(proxy(card(), () => failed(card()[field])));
    const target = card();
    await refuses(proxy(target, () => undefined));
    expect(isEmpty(target)).toBe(true); // what was said not to be there, too
  });

  test('is emptied even if a proxy denies that it is there', async () => {
    const target = card();
    const given = new Proxy<Card>(target, { has: () => false });
    const result = encryptCard(freshKey(), given);
    expect(isEmpty(target)).toBe(true);
    expect(await decrypt(await result)).toEqual(card());
  });

  test.each<[string, (value: string) => unknown]>([
    ['a Uint8ClampedArray', (value) => Uint8ClampedArray.from(utf8(value))],
    [
      'an object that calls itself Uint8Array',
      (value) => Object.assign([...utf8(value)], { [Symbol.toStringTag]: 'Uint8Array' }),
    ],
    ['a proxy of bytes', (value) => new Proxy(utf8(value), {})],
  ])('must not be %s', async (_, make) => {
    const given = card();
    Reflect.set(given, field, make(given[field]));
    await refuses(given);
    expect(given[field]).toBe('');
  });
});

test('a proxy that answers differently twice is believed once', async () => {
  let reads = 0;
  const given = new Proxy(card(), {
    get: () => 'not asked',
    getOwnPropertyDescriptor(target, name) {
      const property = Reflect.getOwnPropertyDescriptor(target, name)!;
      return name === 'name' && property.value !== '' && reads++
        ? { ...property, value: 'Another' }
        : property;
    },
  });
  expect(await decrypt(await encryptCard(freshKey(), given))).toEqual(card());
});

describe('memory', () => {
  const number = card().number;
  /** A card with this as its number. */
  const withNumber = (bytes: unknown): Card => ({ ...card(), number: bytes as Uint8Array });
  const resizable = (length: number, maxByteLength: number) =>
    Reflect.construct(ArrayBuffer, [length, { maxByteLength }]) as ArrayBuffer;

  test('views into the middle of something larger: only they are zeroed', async () => {
    const memory = utf8(`<${number}>`);
    const block = encryptCard(freshKey(), withNumber(memory.subarray(1, -1)));
    expect(memory).toEqual(utf8(`<${'\0'.repeat(number.length)}>`));
    expect(await decrypt(await block)).toEqual(card());
  });

  test('views that overlap are all copied before any is zeroed', async () => {
    const memory = utf8(`${number}2749`);
    const overlapping = {
      number: memory.subarray(0, 16),
      name: memory.subarray(2, 12),
      exp_month: '11',
      exp_year: memory.subarray(16),
      cvv: memory.subarray(0, 4),
    };
    const block = encryptCard(freshKey(), overlapping);
    expect(memory).toEqual(new Uint8Array(20));
    expect(await decrypt(await block)).toEqual({
      number,
      name: '2911928374',
      exp_month: '11',
      exp_year: '2749',
      cvv: '4929',
    });
  });

  test.skipIf(inNode)('bytes of another realm', async () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const { Uint8Array: Foreign } = frame.contentWindow as never as {
      Uint8Array: typeof Uint8Array;
    };
    const bytes = Foreign.from(utf8(number));
    expect(bytes instanceof Uint8Array).toBe(false);
    const given = withNumber(bytes);
    const block = encryptCard(freshKey(), given);
    expect(isEmpty(given)).toBe(true);
    expect(await decrypt(await block)).toEqual(card());
    frame.remove();
  });

  test('a subclass, and a view whose own properties lie, are taken by what they are', async () => {
    class Lying extends Uint8Array {
      override get length() {
        return 3;
      }
      override get [Symbol.toStringTag]() {
        return 'Uint16Array' as never;
      }
      override fill(): never {
        failed('fill');
      }
    }
    const own = Object.defineProperties(utf8(number), {
      length: { value: 3 },
      buffer: { value: null },
    });
    for (const bytes of [new Lying(utf8(number)), own]) {
      const block = await encryptCard(freshKey(), withNumber(bytes));
      expect(await decrypt(block)).toEqual(card());
      for (let i = 0; i < number.length; i++) expect(bytes[i]).toBe(0);
    }
  });

  test('detached bytes are refused', async () => {
    const bytes = utf8(number);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(bytes).toHaveLength(0);
    expect(await outcome(encryptCard(freshKey(), withNumber(bytes)))).toBe('invalid_card number');
  });

  test('resizable memory is refused, zeroed all the same', async () => {
    const view = new Uint8Array(resizable(32, 64), 8, 16);
    view.set(utf8(number));
    expect(await outcome(encryptCard(freshKey(), withNumber(view)))).toBe('invalid_card number');
    expect(view).toEqual(new Uint8Array(16));
  });

  test('shared memory is refused, zeroed all the same, also in engines that know no resizable memory', async () => {
    // A page without isolation gets shared memory only so.
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    expect(Object.prototype.toString.call(buffer)).toBe('[object SharedArrayBuffer]');
    const view = new Uint8Array(buffer, 0, 16);
    const encryptShared = () => {
      view.set(utf8(number));
      return outcome(encryptCard(freshKey(), withNumber(view)));
    };
    expect(await encryptShared()).toBe('invalid_card number');
    expect(new Uint8Array(view)).toEqual(new Uint8Array(16));
    const resizable = Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'resizable')!;
    Reflect.deleteProperty(ArrayBuffer.prototype, 'resizable');
    Object.assign(Object.prototype, { resizable: true }); // polluted
    try {
      expect(await encryptShared()).toBe('invalid_card number');
      expect(await decrypt(await encryptCard(freshKey(), byteCard()))).toEqual(card());
    } finally {
      Reflect.deleteProperty(Object.prototype, 'resizable');
      Object.defineProperty(ArrayBuffer.prototype, 'resizable', resizable);
    }
  });
});

// Claim pollution. Why: `ownProperty` in src/core/own-property.ts gives descriptors without a
// prototype, `readKey` in src/core/key.ts takes fields that the key has itself, and
// src/core/rsa-oaep.ts names the label, which Node would otherwise inherit.
describe('a polluted Object.prototype', () => {
  const polluted: string[] = [];
  function pollute(pollution: Record<string, unknown>) {
    for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(pollution))) {
      polluted.push(name);
      const descriptor = Object.setPrototypeOf({ ...own, enumerable: false }, null);
      Object.defineProperty(Object.prototype, name, descriptor);
    }
  }
  const clean = () => {
    for (const name of polluted.splice(0)) Reflect.deleteProperty(Object.prototype, name);
  };
  afterEach(clean);

  test.each<[string, Record<string, unknown>]>([
    ['label', { label: utf8('polluted') }],
    ['name', { name: 'RSA-PSS' }],
    ['value and writable', { value: card().number, writable: true }],
    // Node's own functions fail then.
    ...(inNode ? [] : [['get', { get: () => card().number }] as [string, Record<string, unknown>]]),
    ['cvv', { cvv: '583' }],
    [
      'a setter of number',
      {
        set number(_: unknown) {
          throw new Error('The setter of the prototype was called');
        },
      },
    ],
    ['code, field and limit', { code: 'polluted', field: 'polluted', limit: 1 }],
    ['methods that older engines lack', { toBase64: 1, fromBase64: 1 }],
  ])('with %s changes nothing', async (_, pollution) => {
    const [key, strings, bytes] = [freshKey(), card(), byteCard()];
    const [other, { cvv: _cvv, ...incomplete }] = [await prepareKey(freshKey()), card()];
    const getters = define('number', { get: () => card().number, set() {}, configurable: true });
    const bad = [getters, Object.freeze(card()), incomplete as Card];
    pollute(pollution);
    const blocks = [await encryptCard(key, strings), await encryptCard(other, bytes)];
    const failures = await Promise.allSettled(
      bad.map((one) => encryptCard({ ...key, id: 'x' }, one)),
    );
    clean();
    for (const block of blocks) expect(await decrypt(block)).toEqual(card());
    const ownProperties = failures.map((it) => ({ ...(it as PromiseRejectedResult).reason }));
    const fields = ['number', 'number', 'cvv'];
    expect(ownProperties).toEqual(
      fields.map((field) => ({ name: 'CardEncryptionError', code: 'invalid_card', field })),
    );
  });

  // Claim pollution
  test('with an index that cannot be written changes nothing, and the card is emptied', async () => {
    const one = card();
    const key = await prepareKey(freshKey());
    pollute(Object.defineProperty({}, '0', { value: 1, configurable: true }));
    const encrypting = encryptCard(key, one);
    clean(); // in the same turn: code of the browser's test runner writes to indexes, too
    expect(Object.values(one)).toEqual(['', '', '', '', '']);
    expect(await decrypt(await encrypting)).toEqual(card());
  });

  // Claim pollution
  test('with the fields of a key makes no key of an error answer', async () => {
    const answer = { status: 'no_key' } as unknown as CardEncryptionKey;
    pollute({ ...freshKey(), field: 'polluted', limit: 1 });
    const failures = await Promise.allSettled([prepareKey(answer), encryptCard(answer, card())]);
    clean();
    const ownProperties = failures.map((it) => ({ ...(it as PromiseRejectedResult).reason }));
    const invalidKey = { name: 'CardEncryptionError', code: 'invalid_key' };
    expect(ownProperties).toEqual([invalidKey, invalidKey]);
  });
});
