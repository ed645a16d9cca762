import type { EncryptedCard } from '../core/encrypt-card.ts';
import { parseEncryptedCard } from '../server/index.ts';

/**
 * Reads the block that a browser has posted: as JSON, or as the field `encrypted_card` of a form.
 * Which key it was made under is checked later: only the order knows its keys.
 *
 * @param contentType - The header of the request; `undefined` stands for JSON.
 * @param body - The text of the body. Nothing has parsed it before: the error of a parser repeats
 * the text, and the text may be a card.
 * @returns `undefined` if there is no block in it.
 */
export async function readPostedBlock(
  contentType: string | undefined,
  body: string,
): Promise<EncryptedCard | undefined> {
  try {
    const input = isJson(contentType) ? body : await formField(contentType!, body);
    const { key_id } = JSON.parse(input);
    return parseEncryptedCard(input, { keyId: key_id, expiresAt: Number.MAX_SAFE_INTEGER });
  } catch {
    return undefined; // the error can hold the body
  }
}

function isJson(contentType: string | undefined): boolean {
  return !contentType || contentType.toLowerCase().startsWith('application/json');
}

async function formField(contentType: string, body: string): Promise<string> {
  const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
  return String(form.get('encrypted_card'));
}
