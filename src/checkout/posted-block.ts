import type { EncryptedCard } from '../core/types.ts';
import { parseEncryptedCard } from '../server/index.ts';

/** A block; or why there is none, in fixed words for the log. */
export type Posted = { block: EncryptedCard } | { problem: string };

/** A block takes less than 2 KiB. */
const MOST_CHARACTERS = 8 * 1024;

/**
 * Reads the block that a browser has posted: as JSON, or as the field `encrypted_card` of a form.
 * Which key it was made under is checked later: only the order knows its keys.
 *
 * @param contentType - The header of the request. `text/plain`, as a page sends it that wants no
 * parser to touch it, and `undefined` stand for JSON.
 * @param body - The text of the body. Nothing has parsed it before: the error of a parser repeats
 * the text, and the text may be a card.
 */
export async function readPostedBlock(
  contentType: string | undefined,
  body: string,
): Promise<Posted> {
  // The limit comes first: a parser takes seconds for megabytes.
  if (typeof body !== 'string' || body === '[object Object]') return { problem: PARSED };
  if (body.length > MOST_CHARACTERS) return { problem: TOO_LONG };
  if (body === '') return { problem: EMPTY };
  if (body.startsWith('\u001f')) return { problem: COMPRESSED };
  const type = (contentType ?? '').trim().toLowerCase();
  if (isJson(type)) return readBlock(body);
  if (!FORMS.some((form) => type.startsWith(form))) return { problem: UNKNOWN_TYPE };
  try {
    const headers = { 'content-type': contentType! };
    const form = await new Response(body, { headers }).formData();
    const field = form.get('encrypted_card');
    return typeof field === 'string' ? readBlock(field) : { problem: NO_FIELD };
  } catch {
    return { problem: BROKEN_FORM }; // the error can hold the body
  }
}

function readBlock(text: string): Posted {
  let parsed: { key_id?: unknown };
  try {
    parsed = Object(JSON.parse(text));
  } catch {
    return { problem: NOT_JSON }; // the error can hold the body
  }
  const expected = { keyId: parsed.key_id as string, expiresAt: Number.MAX_SAFE_INTEGER };
  try {
    return { block: parseEncryptedCard(text, expected) };
  } catch {
    return { problem: isRewritten(parsed, expected) ? REWRITTEN : NO_BLOCK };
  }
}

/** Whether it is a block, but not in the text that `JSON.stringify` writes. */
function isRewritten(parsed: object, expected: { keyId: string; expiresAt: number }): boolean {
  try {
    parseEncryptedCard(parsed, expected);
    return true;
  } catch {
    return false;
  }
}

const isJson = (type: string): boolean =>
  type === '' || ['application/json', 'text/plain'].some((known) => type.startsWith(known));

const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

const PARSED =
  'the body is no text. A body parser has read it before: give pay() the text of the body, and ' +
  'mount the route before express.json() and the like';
const EMPTY =
  'the body is empty. If the page has sent one, a body parser or a middleware has read it ' +
  'before: mount the route before it';
const TOO_LONG = 'the body has more than 8,192 characters, and a block takes less than 2,000';
const COMPRESSED =
  'the body is compressed: let the server decompress it, or the page not compress it';
const UNKNOWN_TYPE =
  'the content type is none of text/plain, application/json, application/x-www-form-urlencoded ' +
  'and multipart/form-data: give pay() the header of the request';
const NO_FIELD =
  'the form has no text field "encrypted_card": bind it with bindCardForm or data-cardseal, and ' +
  'submit that form';
const BROKEN_FORM =
  'the form data cannot be read: give pay() the content type of this same request';
const NOT_JSON = 'the body is no JSON';
const REWRITTEN =
  'something between the page and the shop has rewritten the JSON, such as a gateway: the text ' +
  'must be what JSON.stringify writes';
const NO_BLOCK = 'the JSON is no block: post what the form or encryptCard() has returned';
