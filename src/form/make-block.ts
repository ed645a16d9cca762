import { CardEncryptionError, type EncryptedCard } from '../core/index.ts';
import { type CardBytes, copyCard, zero } from './card/read.ts';
import { isAboutCard } from './feedback/notices.ts';
import type { Parts } from './parts.ts';

/** How long a block may take before the shopper is told, in milliseconds. */
const SLOW_MS = 1000;

/**
 * Reads and validates the card on the screen. The caller has to zero it. What is wrong with it, the
 * shopper reads here.
 *
 * @throws {@link CardEncryptionError} With `field` if the shopper reads what to correct.
 */
export function readFields({ fields, kept, notices }: Parts): CardBytes {
  kept.checkPlace();
  const { card, problems } = fields.read();
  const [first] = problems; // G17: `problems[0]` of an empty list asks Object.prototype
  if (!first) return card;
  zero(card);
  notices.showProblems(problems);
  const code = first.problem === 'name_too_long' ? 'card_too_long' : 'invalid_card';
  const message = 'The shopper has to correct the card';
  throw new CardEncryptionError(code, message, { field: first.field });
}

/**
 * Waits for a key, and encrypts a card under it.
 *
 * @param isCurrent - Whether nothing has ended the press.
 * @returns `undefined` if something has ended it before a key came. It may have ended since.
 * @throws {@link CardEncryptionError} With `field` if the shopper reads what to correct.
 */
export async function encryptFields(
  { fields, keys, encrypt, notices, later }: Parts,
  card: CardBytes,
  isCurrent: () => boolean,
): Promise<{ block: EncryptedCard; keyArrived: number } | undefined> {
  later(() => {
    if (isCurrent()) notices.tell('one_moment');
  }, SLOW_MS);
  const key = await keys.get();
  if (!isCurrent()) return undefined;
  notices.setBusy(true); // which takes the text away

  keys.drop(key); // one key, one card: another press may begin while this card is encrypted
  try {
    const block = await encrypt(key.key, copyCard(card));
    return { block, keyArrived: key.arrived };
  } catch (reason) {
    const error = reason as CardEncryptionError;
    if (isAboutCard(error)) {
      keys.putBack(key); // the core has not used it
      // `read` has validated everything but the characters and the bytes of the name.
      if (isCurrent()) notices.showProblems(fields.nameProblem(error.code === 'card_too_long'));
    }
    throw error;
  }
}
