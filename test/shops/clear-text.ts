/** Searches all that the server has seen of a visit for the card in clear. */
import { spellings } from '../support/find-card.ts';
import type { Seen, Visit } from './server.ts';

const known = new Map<string, string[]>();

/** Every spelling of a text, found once. */
function spelled(text: string): string[] {
  const found = known.get(text) ?? Object.values(spellings(text));
  known.set(text, found);
  return found;
}

/** Where one of the wanted texts is. The block itself is taken out first: it is not clear text. */
export function findClearText(visit: Visit, wanted: readonly string[]): string[] {
  const payloads = visit.payments.flatMap(({ payload }) => payload ?? []);
  return visit.requests.flatMap((request) => findInRequest(request, wanted, payloads));
}

function findInRequest(request: Seen, wanted: readonly string[], payloads: string[]): string[] {
  const found: string[] = [];
  const at = `${request.method} ${request.url.split('?')[0]!.replace(/^\/v\d+/, '')}`;
  for (const part of ['url', 'headers', 'body'] as const) {
    const texts = readings(request[part], payloads);
    for (const text of wanted) {
      const isThere = texts.some((reading) => holds(reading, text));
      if (isThere) found.push(`'${text}' in the ${part} of ${at}`);
    }
  }
  return found;
}

/** Ids of the service, and what separates the parts of a form: four digits occur there by chance. */
const RANDOM = /(cek|pi_card)_[\w-]+|\w*boundary\w+/gi;

/** The text as it came, and as it reads when form or percent encoding is undone. */
function readings(raw: string, payloads: string[]): string[] {
  let text = raw.replaceAll(RANDOM, ' ');
  for (const payload of payloads) {
    for (const spelling of spelled(payload)) text = text.replaceAll(spelling, ' ');
  }
  const spaced = text.replaceAll('+', ' ');
  const decoded = spaced.replace(/(%[0-9a-f]{2})+/gi, (bytes) => {
    return Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8');
  });
  return [text, decoded, Buffer.from(text, 'latin1').toString('utf8')];
}

function holds(reading: string, text: string): boolean {
  if (/^\d{4}$/.test(text)) return new RegExp(`(?<!\\d)${text}(?!\\d)`).test(reading);
  if (/^\d+$/.test(text) && reading.replace(/(?<=\d)[ -]+(?=\d)/g, '').includes(text)) return true;
  if (spelled(text).some((spelling) => reading.includes(spelling))) return true;
  return reading.toLowerCase().includes(text.toLowerCase());
}
