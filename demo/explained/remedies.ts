import type { CardEncryptionErrorCode } from 'cardseal';

type KnownCode = CardEncryptionErrorCode | 'block_not_sent' | 'not_specified' | 'resolve_intent';

/**
 * What a developer does about an error, by its code. For errors of the service, its specification
 * says so ("Errors").
 */
export const REMEDIES: Record<KnownCode, string> & Record<string, string> = {
  unsupported_scheme:
    'Update cardseal to a version that knows the scheme. ' +
    'Do not encrypt under another one: the scheme fixes algorithm, padding and layout.',
  invalid_key:
    'Forward id, scheme and public_key exactly as the service sent them, ' +
    'and find what changes them on the way.',
  key_already_used: 'Ask your server for a fresh key: one key, one card.',
  invalid_card: 'The shopper corrects this field. Nothing was sent, and the key is still good.',
  card_too_long: 'The shopper shortens the name. Nothing was sent, and the key is still good.',
  insecure_context: 'Serve the page over https, or from localhost.',
  unsupported_browser: 'The shopper updates the browser, or pays in another one.',
  encryption_failed: 'Ask your server for a fresh key, and let the shopper try again.',
  invalid_form: 'Fix the form as the message says.',
  key_unavailable: 'Look at why your server has no key. The next press of the button asks again.',
  invalid_encrypted_card:
    'Start the form again with a fresh key: ' +
    'what was posted has not the form of a block of this checkout.',
  block_not_sent: 'Look for the line “Block not sent” in the log of the server: it says why.',
  encryption_key_expired:
    'Request a new key and let the shopper enter the card again. ' +
    'The server cannot retry: only the shopper has the card.',
  unknown_encryption_key: 'Return the id of the key response unmodified, as key_id.',
  invalid_encryption_block:
    'Check the order of the fields, the byte lengths and the public key, ' +
    'and find what changes the block on the way.',
  resolve_intent:
    'The outcome is not known. ' +
    'Look the intent up, and never ask for the card again automatically.',
  not_specified:
    'The service refused for a reason that its specification does not show. Look at the status.',
};
