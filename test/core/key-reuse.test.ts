/** One key encrypts one card. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { encryptCard, prepareKey } from '../../src/core/index.ts';
import { card, decrypt, freshKey, isEmpty, outcome } from '../tools/support/core.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const KINDS = { plain: freshKey, prepared: async () => prepareKey(freshKey()) };

describe.each(Object.entries(KINDS))('a %s key', (_, make) => {
  test('is spent by success: the next card is refused, and emptied', async () => {
    const key = await make();
    expect(await outcome(encryptCard(key, card()))).toBe('ok');
    const second = card();
    const result = encryptCard(key, second);
    expect(isEmpty(second)).toBe(true);
    expect(await outcome(result)).toBe('key_already_used');
    expect(await outcome(encryptCard(key, card({ cvv: 'bad' })))).toBe('key_already_used');
    expect(await outcome(encryptCard(key, null as never))).toBe('key_already_used');
  });

  test('encrypts one of several cards handed over at the same time: the first', async () => {
    const key = await make();
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt');
    const [first, ...others] = ['583', '111', '222', '333'].map((cvv) =>
      encryptCard(key, card({ cvv })),
    );
    expect(await Promise.all(others.map(outcome))).toEqual(Array(3).fill('key_already_used'));
    expect(await decrypt(await first!)).toEqual(card());
    const cards = encrypt.mock.calls.filter(([, , plaintext]) => plaintext.byteLength > 1);
    expect(cards).toHaveLength(1);
  });

  test('encrypts one card, even if a card encrypts another under the same key while it is read and emptied', async () => {
    const key = await make();
    const others: Promise<string>[] = [];
    const encryptAnother = () => void others.push(outcome(encryptCard(key, card({ cvv: '111' }))));
    const given = new Proxy(card(), {
      getOwnPropertyDescriptor(target, name) {
        encryptAnother();
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
      set(target, name, value) {
        encryptAnother();
        return Reflect.set(target, name, value);
      },
    });
    expect(await decrypt(await encryptCard(key, given))).toEqual(card());
    expect(others.length).toBeGreaterThan(9);
    expect(new Set(await Promise.all(others))).toEqual(new Set(['key_already_used']));
  });

  test('is known by its id: other objects, other PreparedKeys, another public_key', async () => {
    const key = await make();
    const another = await prepareKey({ ...key });
    await encryptCard(key, card());
    const { public_key } = freshKey(3072);
    for (const same of [
      { ...key },
      another,
      await prepareKey({ ...key }),
      { ...key, public_key },
      await prepareKey({ ...key, public_key }),
    ]) {
      expect(await outcome(encryptCard(same, card()))).toBe('key_already_used');
    }
    for (const other of [
      { ...key, id: `${key.id} ` },
      { ...key, id: key.id.toUpperCase() },
    ]) {
      expect(await outcome(encryptCard(other, card()))).toBe('ok');
    }
  });

  test('is not spent by a card that is refused', async () => {
    const key = await make();
    const bads = [
      null,
      card({ number: '4' }),
      card({ name: 'x'.repeat(166) }),
      Object.freeze(card()),
    ];
    for (const bad of bads) {
      expect(await outcome(encryptCard(key, bad as never))).not.toBe('ok');
    }
    expect(await decrypt(await encryptCard(key, card()))).toEqual(card());
  });

  test('is not held by a card that is refused: the next call of the same turn has it', async () => {
    const key = await make();
    const results = [encryptCard(key, card({ cvv: '' })), encryptCard(key, card())].map(outcome);
    expect(await Promise.all(results)).toEqual(['invalid_card cvv', 'ok']);
  });

  test.each([
    ['rejects', () => Promise.reject(new DOMException('', 'OperationError'))],
    [
      'throws',
      () => {
        throw new TypeError();
      },
    ],
  ])('is spent by an encryption that %s', async (_, fail) => {
    const key = await prepareKey(await make());
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(fail);
    const given = card();
    expect(await outcome(encryptCard(key, given))).toBe('encryption_failed');
    expect(isEmpty(given)).toBe(true);
    expect(encrypt).toHaveBeenCalledOnce();
    encrypt.mockRestore();
    expect(await outcome(encryptCard(key, card()))).toBe('key_already_used');
  });
});

test('a plain key is held while it is prepared, and free when it is found that the name does not fit', async () => {
  const key = freshKey();
  const results = [encryptCard(key, card({ name: 'x'.repeat(166) })), encryptCard(key, card())].map(
    outcome,
  );
  expect(await Promise.all(results)).toEqual(['card_too_long name 165', 'key_already_used']);
  expect(await outcome(encryptCard(key, card()))).toBe('ok');
});

test('a key that cannot be prepared leaves its id free', async () => {
  const key = freshKey();
  const results = [
    encryptCard({ ...key, public_key: 'AAAA' }, card()),
    encryptCard(key, card()),
  ].map(outcome);
  expect(await Promise.all(results)).toEqual(['invalid_key', 'key_already_used']); // the second came while the first held it
  expect(await outcome(encryptCard(key, card()))).toBe('ok');
});

test('preparing a key does not spend it, and a spent one can still be prepared', async () => {
  const key = freshKey();
  await prepareKey(key);
  await prepareKey(key);
  expect(await outcome(encryptCard(key, card()))).toBe('ok');
  expect(await outcome(prepareKey(key))).toBe('ok');
});
