import { CardEncryptionError, type EncryptedCard } from '../core/index.ts';
import { type CardBytes, copyCard } from './card/read.ts';
import { isAboutCard } from './feedback/notices.ts';
import type { Parts } from './parts.ts';

/** How long a block may take before the shopper is told, in milliseconds. */
const SLOW_MS = 1000;

/**
 * Reads and validates the card on the screen, waits for the key, and encrypts the card. If the
 * press is still under way then, `sealed` keeps the block, and it is returned.
 *
 * @param press - Keeps the card, to be zeroed when the press ends.
 * @param isCurrent - Whether nothing has ended the press.
 * @throws {@link CardEncryptionError} With `field` if the shopper reads what to correct.
 */
export async function makeBlock(
  { fields, sealed, keys, encrypt, notices, later }: Parts,
  press: { card?: CardBytes | undefined },
  isCurrent: () => boolean,
): Promise<EncryptedCard | undefined> {
  sealed.withdraw(); // the block of another card
  sealed.check();
  const { card, problems } = fields.read();
  press.card = card;
  const [first] = problems;
  if (first) {
    notices.showProblems(problems);
    const code = first.problem === 'name_too_long' ? 'card_too_long' : 'invalid_card';
    const message = 'The shopper has to correct the card';
    throw new CardEncryptionError(code, message, { field: first.field });
  }
  sealed.drop();

  later(() => {
    if (isCurrent()) notices.tell('one_moment');
  }, SLOW_MS);
  const key = await keys.get();
  if (!isCurrent()) return undefined;
  notices.setBusy(true); // which takes the text away

  try {
    const block = await encrypt(key.key, copyCard(card));
    keys.drop(key); // one key, one card, whatever becomes of the press
    if (!isCurrent()) return undefined;
    press.card = undefined; // from now on `sealed` zeroes it
    sealed.seal(block, key.arrived, card);
    return block;
  } catch (reason) {
    const error = reason as CardEncryptionError;
    if (!isAboutCard(error)) keys.drop(key);
    // `read` has validated everything but the characters and the bytes of the name.
    else if (isCurrent()) notices.showProblems(fields.nameProblem(error.code === 'card_too_long'));
    throw error;
  }
}
