/** Everything that can be read in an upload: as it is, decompressed, and of Base64 in its texts. */
import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

const MOST_LAYERS = 5;

/** All texts of an upload, one after the other. Bytes are read as UTF-8. */
export function decode(body: Buffer, layers = MOST_LAYERS): string {
  const text = body.toString('utf8');
  const inner = layers === 0 ? [] : [...compressed(body), ...encoded(text)];
  return [text, percentDecoded(text), ...inner.map((it) => decode(it, layers - 1))].join('\n');
}

/** What is compressed anywhere in the bytes: parts of a multipart body, or all of it. */
function compressed(body: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < body.length - 1; at++) {
    const isGzip = body[at] === 0x1f && body[at + 1] === 0x8b;
    const isZlib = body[at] === 0x78 && ((body[at]! << 8) | body[at + 1]!) % 31 === 0;
    const inflate = isGzip ? gunzipSync : isZlib ? inflateSync : undefined;
    const plain = inflate && attempt(() => inflate(body.subarray(at), LENIENT));
    if (plain?.length) found.push(plain);
  }
  if (!found.length) {
    const raw = attempt(() => inflateRawSync(body));
    if (raw) found.push(raw);
  }
  return found;
}

/** A stream may be cut off: what is there counts. */
const LENIENT = { finishFlush: 2 };

/** Long Base64, and strings of JSON in which each character is one byte. */
function encoded(text: string): Buffer[] {
  const base64 = percentDecoded(text, '+').match(/[A-Za-z0-9+/_-]{60,}={0,2}/g) ?? [];
  const bodies = base64.map((it) => Buffer.from(it, 'base64'));
  const decoded = bodies.filter((it) => isCompressed(it) || isJson(it));
  const strings = text.match(/"(?:\\.|[^"\\])*[\u0080-\u00ff](?:\\.|[^"\\])*"/g) ?? [];
  const bytes = strings.map((it) => Buffer.from(attempt(() => JSON.parse(it)) ?? '', 'latin1'));
  return [...decoded, ...bytes.filter(isCompressed)];
}

const isCompressed = ([first, second]: Buffer) =>
  (first === 0x1f && second === 0x8b) || (first === 0x78 && ((0x78 << 8) | second!) % 31 === 0);

const isJson = ([first]: Buffer) => first === 0x5b || first === 0x7b;

const percentDecoded = (text: string, plus = ' ') =>
  attempt(() => decodeURIComponent(text.replace(/\+/g, plus))) ?? text;

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
