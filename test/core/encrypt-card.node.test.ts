/** The core under Node, which lacks what browsers have and has what they lack; and what the malformed keys are. */
import { createPublicKey } from 'node:crypto';
import { format, inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { CardEncryptionError, encryptCard, prepareKey } from '../../src/core/index.ts';
import { CARD_FIELDS, SCHEMES } from '../../src/core/scheme.ts';
import { card, decrypt, freshKey, isEmpty, outcome } from '../support/core.ts';
import { FAILURES } from '../support/failures.ts';
import { findCard, withoutAddresses } from '../support/find-card.ts';
import { goodKey, malformedKeys, spki } from '../support/malformed-keys.ts';

describe('what Node prints', () => {
  const printed = (error: unknown) => [
    inspect(error, { depth: null, showHidden: true, getters: true }),
    format('%s %o %j', error, error, error),
  ];

  // Claim core-errors
  test('what Node prints of an error of any code holds nothing of the card', async () => {
    for (const fail of Object.values(FAILURES)) {
      const error = await fail(card()).catch((reason) => reason);
      vi.restoreAllMocks();
      expect(error).toBeInstanceOf(CardEncryptionError);
      expect(findCard(printed(error).map(withoutAddresses), card())).toEqual([]);
    }
  });

  // Control core-errors
  test('control: an error that holds something is printed with it', () => {
    const error = new CardEncryptionError('invalid_card', 'bad');
    Object.assign(error, { cause: card().number });
    expect(findCard(printed(error), card())).not.toEqual([]);
  });
});

describe('a polluted Object.prototype', () => {
  // Control pollution
  test('with a label does not change the label: here, an algorithm without a prototype would not do', async () => {
    const key = freshKey();
    Object.assign(Object.prototype, { label: new Uint8Array([1]) });
    const encrypting = encryptCard(key, card());
    const block = await encrypting.finally(() => Reflect.deleteProperty(Object.prototype, 'label'));
    expect(await decrypt(block)).toEqual(card());
  });
});

test('where there is no crypto at all it is insecure_context', async () => {
  const key = freshKey();
  vi.stubGlobal('crypto', undefined);
  try {
    expect(await outcome(prepareKey(key))).toBe('insecure_context');
    expect(await outcome(encryptCard(key, card()))).toBe('insecure_context');
  } finally {
    vi.unstubAllGlobals();
  }
});

test.each(['TextEncoder', 'WeakMap', 'atob', 'btoa'])(
  'without %s it is unsupported_browser, and the card is emptied',
  async (feature) => {
    const [key, given] = [freshKey(), card()];
    vi.stubGlobal(feature, undefined);
    const results = [prepareKey(key), encryptCard(key, given)];
    vi.unstubAllGlobals();
    for (const result of results) {
      await expect(result).rejects.toMatchObject({
        code: 'unsupported_browser',
        message: expect.stringContaining('test environments'),
      });
    }
    expect(isEmpty(given)).toBe(true);
  },
);

test('a key prepared by another copy of the library is prepared again', async () => {
  vi.resetModules();
  const other = await import('../../src/core/index.ts');
  expect(other.prepareKey).not.toBe(prepareKey);
  const key = await other.prepareKey(freshKey());
  expect(await prepareKey(key)).not.toBe(key);
  expect(await decrypt(await encryptCard(key, card()))).toEqual(card());
});

describe('malformed keys', () => {
  // Control exact-key
  test('malformed keys are built like the good one, but for one respect', () => {
    expect(spki()).toEqual(goodKey());
  });

  const malformed = malformedKeys();

  // Control exact-key
  test.each(malformed.filter(({ reads }) => reads))(
    'OpenSSL reads the malformed key, and nothing else is wrong with it: $what',
    ({ spki, reads }) => {
      const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
        key: Buffer.from(spki),
        format: 'der',
        type: 'spki',
      });
      expect({ type: asymmetricKeyType, ...asymmetricKeyDetails }).toMatchObject(reads!);
    },
  );
});

test('every field of every scheme is among the fields that are emptied, and what a scheme shortens is one of its own', () => {
  for (const { fields, shortenable } of SCHEMES) {
    for (const field of fields) expect(CARD_FIELDS[field.name]).toBe(field);
    expect(fields.map(({ name }) => name)).toContain(shortenable);
  }
  for (const [name, field] of Object.entries(CARD_FIELDS)) expect(field.name).toBe(name);
});
