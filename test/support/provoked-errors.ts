/** Each code of the closed list, provoked with a card in hand. Runs in browsers and in Node. */
import { CardEncryptionError, type CardEncryptionErrorCode, encryptCard, prepareKey } from '../../src/index.ts';
import { card, freshKey, type StringCard } from './core.ts';

type Provoke = (given: StringCard) => Promise<unknown>;

const PROVOKE: Record<Exclude<CardEncryptionErrorCode, 'invalid_form' | 'key_unavailable' | 'invalid_encrypted_card'>, Provoke[]> = {
  unsupported_scheme: [(given) => encryptCard({ ...freshKey(), scheme: given.number }, { ...given })],
  invalid_key: [
    (given) => encryptCard({ ...freshKey(), public_key: given.number }, { ...given }),
    (given) => encryptCard({ ...freshKey(), public_key: `-----BEGIN ${given.name}` }, { ...given }),
    (given) => encryptCard({ ...freshKey(), public_key: btoa(given.number) }, { ...given }),
    (given) => prepareKey({ ...freshKey(), ...given, public_key: undefined as never }),
    (given) =>
      prepareKey({
        ...freshKey(),
        get public_key(): string {
          throw new Error(given.number);
        },
      }),
  ],
  key_already_used: [
    async (given) => {
      const key = { ...freshKey(), id: `${given.number} ${crypto.randomUUID()}` };
      await encryptCard(key, card());
      return encryptCard(key, { ...given });
    },
  ],
  invalid_card: (['number', 'name', 'exp_month', 'exp_year', 'cvv'] as const).flatMap((field): Provoke[] => [
    (given) => encryptCard(freshKey(), { ...given, [field]: `${given.number}\n${given.name}` }),
    (given) => encryptCard(freshKey(), Object.freeze({ ...given })),
    (given) =>
      encryptCard(freshKey(), {
        ...given,
        get [field](): string {
          throw new Error(given.number);
        },
      }),
  ]),
  card_too_long: [
    (given) => encryptCard(freshKey(), { ...given, name: given.name.repeat(16) }),
    (given) => encryptCard(freshKey(), { ...given, name: given.name.repeat(99) }),
  ],
  insecure_context: [
    (given) =>
      replaced(
        crypto,
        'subtle',
        () => undefined,
        () => encryptCard(freshKey(), { ...given }),
      ),
  ],
  encryption_failed: [
    async (given) => {
      const key = await prepareKey(freshKey());
      const failing = async () => Promise.reject(new Error(given.number));
      return replaced(
        SubtleCrypto.prototype,
        'encrypt',
        () => failing,
        () => encryptCard(key, { ...given }),
      );
    },
  ],
};

/** What went wrong, each time it was provoked with that card. */
export async function provoke(given: StringCard): Promise<CardEncryptionError[]> {
  const errors: CardEncryptionError[] = [];
  for (const [code, ways] of Object.entries(PROVOKE)) {
    for (const way of ways) {
      const [result] = await Promise.allSettled([way(given)]);
      const error: unknown = result.status === 'rejected' && result.reason;
      if (!(error instanceof CardEncryptionError) || error.code !== code) throw new Error(`did not provoke ${code}`);
      errors.push(error);
    }
  }
  return errors;
}

async function replaced<T>(owner: object, name: string, get: () => unknown, run: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  Object.defineProperty(owner, name, { configurable: true, get });
  try {
    return await run();
  } finally {
    if (own) Object.defineProperty(owner, name, own);
    else Reflect.deleteProperty(owner, name);
  }
}
