/** One key encrypts one card. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { encryptCard, prepareKey } from '../../src/core/index.ts';
import { card, decrypt, freshKey, isEmpty, outcome } from '../support/core.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const KINDS = { plain: freshKey, prepared: async () => prepareKey(freshKey()) };

describe.each(Object.entries(KINDS))('a %s key', (_, make) => {
  // Claim one-card-per-key. Why: `claimKey` in src/core/encrypt-card.ts reserves the key's `id` in
  // the turn of the call. A card that is refused gives it back.
  test('is spent by success: the next card is refused, and emptied', async () => {
    const key = await make();
    expect(await outcome(encryptCard(key, card()))).toBe('ok');
    const second = card({ cvv: 'bad' });
    const result = encryptCard(key, second);
    expect(isEmpty(second)).toBe(true);
    expect(await outcome(result)).toBe('key_already_used');
    expect(await outcome(prepareKey(key))).toBe('ok'); // which encrypts nothing
  });

  // Claim one-card-per-key
  test('encrypts one of several cards handed over at the same time: the first', async () => {
    const key = await make();
    const encrypt = vi.spyOn(crypto.subtle, 'encrypt');
    const [first, ...others] = ['583', '111', '222'].map((cvv) => encryptCard(key, card({ cvv })));
    const used = ['key_already_used', 'key_already_used'];
    expect(await Promise.all(others.map(outcome))).toEqual(used);
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

  // Claim one-card-per-key
  test('is known by its id: other objects, other PreparedKeys, another public_key', async () => {
    const key = await make();
    const prepared = await prepareKey({ ...key });
    await encryptCard(key, card());
    const { public_key } = freshKey(3072);
    for (const same of [{ ...key }, prepared, await prepareKey({ ...key, public_key })]) {
      expect(await outcome(encryptCard(same, card()))).toBe('key_already_used');
    }
    const other = { ...key, id: `${key.id} ` };
    expect(await outcome(encryptCard(other, card()))).toBe('ok');
  });

  // Control one-card-per-key
  test('is not spent by a card that is refused', async () => {
    const key = await make();
    for (const bad of [null, card({ name: 'x'.repeat(166) }), Object.freeze(card())]) {
      expect(await outcome(encryptCard(key, bad as never))).not.toBe('ok');
    }
    // Nor is it held: the next call of the same turn has it.
    const [refused, taken] = [card({ cvv: '' }), card()].map((one) => encryptCard(key, one));
    expect(await outcome(refused!)).toBe('invalid_card cvv');
    expect(await decrypt(await taken!)).toEqual(card());
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

test.each([
  ['the name does not fit', 'card_too_long name 165', {}, { name: 'x'.repeat(166) }],
  ['the key cannot be prepared', 'invalid_key', { public_key: 'AAAA' }, {}],
])('a plain key is held while it is prepared, and free when %s', async (_, expected, bad, long) => {
  const key = freshKey();
  const results = [encryptCard({ ...key, ...bad }, card(long)), encryptCard(key, card())];
  expect(await Promise.all(results.map(outcome))).toEqual([expected, 'key_already_used']);
  expect(await outcome(encryptCard(key, card()))).toBe('ok');
});
