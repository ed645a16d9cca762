/**
 * Makes the corpus in this folder: `npx tsx test/corpus/make.ts`. See README.md.
 *
 * No implementation decides a verdict. Each verdict follows from the rule that stands above its
 * cases: a block is sound by construction, and a mutation breaks a rule that is named.
 * The output is the same at every run.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import vectors from '../vectors/rsa_oaep_sha256_v1.json' with { type: 'json' };

export interface Block {
  payload: string;
  key_id: string;
  layout: { field: string; len: number }[];
}

export interface BrowserKey {
  id: string;
  scheme: string;
  public_key: string;
}

/** What a function is handed. See README.md. */
export type Input = { text: string } | { bytes: string } | { parsed: string };

type Verdict<Output> = { accept: Output } | { refuse: string };

export type ParseCase = {
  name: string;
  input: Input;
  expected: { keyId?: string; expiresAt?: number; scheme?: string } | null;
  now: number;
} & Verdict<Block>;

export type KeyCase = {
  name: string;
  input: { parsed: string };
  accepted?: string[];
} & Verdict<BrowserKey>;

export interface Corpus<Case> {
  function: string;
  cases: Case[];
}

const PAN = '4111111111111111';
const NOW = 1_767_225_600_000;
const KEY_ID = 'cek_corpus_1';
const SESSION = { keyId: KEY_ID, expiresAt: NOW + 60_000 };
const FIELDS = ['Pan', 'Name', 'ExpMonth', 'ExpYear', 'Cvc'];
const LENGTHS = [16, 12, 2, 4, 3];
const REFUSED = { refuse: 'invalid_encrypted_card' } as const;

/** Bytes that look random and are the same at every run. */
function noise(seed: string, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let i = 0; i * 32 < length; i++) {
    parts.push(createHash('sha256').update(`${seed} ${i}`).digest());
  }
  return Buffer.concat(parts).subarray(0, length);
}

const layoutOf = (lengths: number[]) => FIELDS.map((field, i) => ({ field, len: lengths[i]! }));

/** A block that breaks no rule. `modulus`: the length of its payload in bytes. */
function sound({ modulus = 256, lengths = LENGTHS, keyId = KEY_ID } = {}): Block {
  const payload = noise('payload', modulus).toString('base64');
  return { payload, key_id: keyId, layout: layoutOf(lengths) };
}

const GOOD = sound();
const TEXT = JSON.stringify(GOOD);

/** Collects the cases of one function, and sees that no name comes twice. */
class Cases<Case extends { name: string }> {
  readonly all: Case[] = [];

  add(added: Case) {
    if (this.all.some(({ name }) => name === added.name)) throw new Error(`Twice: ${added.name}`);
    this.all.push(added);
  }
}

function asInput(text: string): Input {
  return isWellFormed(text) ? { text } : { bytes: generalizedUtf8(text).toString('hex') };
}

/** Whether it has no lone surrogate. */
const isWellFormed = (text: string) => Buffer.from(text).toString() === text;

/** UTF-8, except that a lone surrogate becomes three bytes, which no UTF-8 decoder accepts. */
function generalizedUtf8(text: string): Buffer {
  const parts = Array.from(text, (character) => {
    if (isWellFormed(character)) return Buffer.from(character);
    const unit = character.charCodeAt(0);
    return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 63), 0x80 | (unit & 63)]);
  });
  return Buffer.concat(parts);
}

/** Replaces one part of a text, and sees that it was there. */
function replaced(text: string, search: string, replacement: string): string {
  if (!text.includes(search)) throw new Error(`Not there: ${search}`);
  return text.replace(search, () => replacement);
}

export function parseCorpus(): Corpus<ParseCase> {
  const cases = new Cases<ParseCase>();
  const at = { expected: SESSION, now: NOW };
  const withKey = (keyId: string) => ({ expected: { ...SESSION, keyId }, now: NOW });

  const acceptText = (name: string, block: Block, context = withKey(block.key_id)) => {
    const input = asInput(JSON.stringify(block));
    cases.add({ name: `${name}, as text`, input, ...context, accept: block });
  };
  const acceptParsed = (name: string, json: string, accept: Block) =>
    cases.add({ name, input: { parsed: json }, ...withKey(accept.key_id), accept });
  const acceptBoth = (name: string, block: Block) => {
    acceptText(name, block);
    acceptParsed(`${name}, as a value`, JSON.stringify(block), block);
  };
  const refuseText = (name: string, text: string, context: typeof at = at) =>
    cases.add({ name, input: asInput(text), ...context, ...REFUSED });
  const refuseParsed = (name: string, json: string) =>
    cases.add({ name, input: { parsed: json }, ...at, ...REFUSED });
  /** What is wrong as a value is wrong as text, too. */
  const refuseBoth = (name: string, value: unknown) => {
    refuseText(`${name}, as text`, JSON.stringify(value));
    refuseParsed(`${name}, as a value`, JSON.stringify(value));
  };

  // Rule: a block that a client made of a card under the key of this session is accepted.
  for (const { what, key_id, layout, ciphertexts } of vectors.accepted) {
    const block = { payload: ciphertexts[0]!.payload, key_id, layout };
    acceptText(`a real block: ${what}, ${key_id}`, block);
  }
  acceptBoth('a block', GOOD);
  for (const modulus of [256, 384, 512]) {
    acceptBoth(`a payload of ${modulus} bytes`, sound({ modulus }));
  }

  // Rule: the order of an object's properties has no meaning in JSON.
  const [pan, ...others] = GOOD.layout;
  const reversed = { layout: GOOD.layout, key_id: KEY_ID, payload: GOOD.payload };
  const lenFirst = { ...GOOD, layout: [{ len: pan!.len, field: 'Pan' }, ...others] };
  for (const [name, value] of Object.entries({ 'the block': reversed, 'an entry': lenFirst })) {
    const input = { text: JSON.stringify(value) };
    cases.add({ name: `another order in ${name}, as text`, input, ...at, accept: GOOD });
    acceptParsed(`another order in ${name}, as a value`, JSON.stringify(value), GOOD);
  }

  // Rule: each length is that of its field: digits, or 1 to 446 bytes for the name.
  const ranges: [number, number[], number[]][] = [
    [0, [12, 13, 19], [-16, 0, 1, 11, 20, 161, 65_552, 2 ** 32 + 16, 2 ** 53 + 16]],
    [1, [1, 2, 421], [-12, -1, 0, 422, 447, 1e3, 2 ** 32 + 12, 1e21]],
    [2, [2], [-2, 0, 1, 3, 22]],
    [3, [4], [-4, 0, 2, 3, 5, 44]],
    [4, [3, 4], [-3, 0, 1, 2, 5, 33]],
  ];
  for (const [index, good, bad] of ranges) {
    const withLength = (len: number) => sound({ modulus: 512, lengths: LENGTHS.with(index, len) });
    for (const len of good) acceptBoth(`${FIELDS[index]} of ${len}`, withLength(len));
    for (const len of bad) refuseBoth(`${FIELDS[index]} of ${len}`, withLength(len));
  }

  // Rule: the plaintext has at most the payload's bytes less 66 (RFC 8017, 7.1.1).
  for (const [modulus, capacity] of [
    [256, 190],
    [384, 318],
    [512, 446],
  ] as const) {
    const full = capacity - 25;
    const lengths = LENGTHS.with(1, full);
    acceptBoth(`the longest name for ${modulus} bytes`, sound({ modulus, lengths }));
    const tooLong = sound({ modulus, lengths: LENGTHS.with(1, full + 1) });
    refuseBoth(`a name one byte too long for ${modulus} bytes`, tooLong);
    const elsewhere = sound({ modulus, lengths: lengths.with(4, 4) });
    refuseBoth(`a code one byte too long for ${modulus} bytes`, elsewhere);
  }

  // Rule: a length is a whole number. As text, only `JSON.stringify`'s way to write it counts;
  // as a value, 16.0 is 16 wherever a language keeps the two apart.
  const withLen = (len: string) => replaced(TEXT, '"len":16', `"len":${len}`);
  const notNumbers = ['null', 'true', 'false', '"16"', '"16.0"', '" 16"', '[16]', '{}', '[]', '""'];
  for (const len of [...notNumbers, '16.5', '16.000001', '1e400', '-0', '0', '-16']) {
    refuseText(`a length of ${len}, as text`, withLen(len));
    refuseParsed(`a length of ${len}, as a value`, withLen(len));
  }
  for (const len of ['16.0', '1.6e1', '160e-1', '16E0', '1.6E+1', '16.00000000000000000000']) {
    refuseText(`a length of ${len}, as text`, withLen(len));
    acceptParsed(`a length of ${len}, as a value`, withLen(len), GOOD);
  }
  const notJson = ['016', '+16', '0x10', '16.', '.16e2', '1_6', '16n', 'NaN', 'Infinity'];
  for (const len of [...notJson, '-Infinity', 'undefined', '', '１６', '16,']) {
    refuseText(`a length of ${len || 'nothing'}, which is not JSON`, withLen(len));
  }
  const one = replaced(TEXT, '"len":12', '"len":true');
  refuseText('a name length of true, which some languages count as 1, as text', one);
  refuseParsed('a name length of true, which some languages count as 1, as a value', one);

  // Rule: `payload` is canonical Base64 of 256, 384 or 512 bytes.
  const { payload } = GOOD;
  const withPayload = (value: unknown) => ({ ...GOOD, payload: value });
  const reEncoded = (length: number) => withPayload(noise('other', length).toString('base64'));
  for (const length of [0, 128, 255, 257, 513]) {
    refuseBoth(`a payload of ${length} bytes`, reEncoded(length));
  }
  const allOnes = Buffer.alloc(256, 0xff);
  const breaks = (character: string) => payload.replace(/(.{64})/g, `$1${character}`);
  const payloads: Record<string, string> = {
    'in the URL alphabet': allOnes.toString('base64url'),
    'without padding': payload.slice(0, -2),
    'with padding in the middle': `${payload.slice(0, 170)}==${payload.slice(172)}`,
    'with stray bits': `${payload.slice(0, -3)}${payload.at(-3) === 'x' ? 'y' : 'x'}==`,
    'with line breaks': breaks('\n'),
    'with spaces': breaks(' '),
    'with a line break after': `${payload}\n`,
    'with NUL after': `${payload}\0`,
    'with a full-width letter': `${payload.slice(0, 100)}Ａ${payload.slice(101)}`,
    'with a lone surrogate': `${payload.slice(0, 100)}\ud800${payload.slice(101)}`,
    'with a plus that became a space': Buffer.alloc(256, 0xfb).toString('base64').replace('+', ' '),
    'that is a card number': PAN,
    'that is empty': '',
  };
  for (const [name, value] of Object.entries(payloads)) {
    refuseBoth(`a payload ${name}`, withPayload(value));
  }
  const notText = [null, true, 1, 0, [payload], { payload }, { '0': payload }, []];
  for (const value of notText) {
    refuseBoth(`a payload that is ${JSON.stringify(value).slice(0, 12)}`, withPayload(value));
  }

  // Rule: `key_id` is text that is not empty, and exactly the one of the session.
  const ids = ['0', 'k', 'cek_ü', 'cek_鍵', 'cek_𝄞', 'false', 'null', ' cek ', 'a/b', '</script>'];
  const escaped = ['a"b', 'a\\b', 'a\nb\tc\rd\be\ff', 'a\0b', '\u001f', '\u007f', '\u2028\u2029'];
  for (const id of [...ids, ...escaped]) {
    acceptBoth(`the key_id ${JSON.stringify(id)}`, sound({ keyId: id }));
  }
  const strangers = [
    'cek_corpus_2',
    'cek_corpus_1 ',
    'cek_corpus_1\0',
    'CEK_CORPUS_1',
    'cek\u200b_corpus_1',
    'cek_corpus_1\ud800',
    '',
  ];
  for (const id of strangers) {
    refuseBoth(`the key_id ${JSON.stringify(id)} in place of another`, { ...GOOD, key_id: id });
  }
  for (const id of [null, true, 1, 0, [KEY_ID], { id: KEY_ID }, []]) {
    refuseBoth(`a key_id that is ${JSON.stringify(id)}`, { ...GOOD, key_id: id });
  }
  const composed = sound({ keyId: 'cek_\u00e9' });
  const decomposed = JSON.stringify({ ...composed, key_id: 'cek_e\u0301' });
  refuseText('a key_id that is only equivalent in Unicode', decomposed, withKey('cek_\u00e9'));
  const numeric = JSON.stringify(sound({ keyId: '1e3' }));
  refuseText('a key_id that is only numerically equal', numeric, withKey('1000'));

  // Rule: as text, `JSON.stringify`'s form counts and no other. Each of these says the same.
  const sameMeaning: Record<string, string> = {
    'a space before': ` ${TEXT}`,
    'a space after': `${TEXT} `,
    'a line break after': `${TEXT}\n`,
    'a space after a comma': replaced(TEXT, ',"key_id"', ', "key_id"'),
    'two spaces of indentation': JSON.stringify(GOOD, null, 2),
    'an escaped letter in a value': replaced(TEXT, KEY_ID, 'cek\\u005fcorpus_1'),
    'an escaped field': replaced(TEXT, '"Pan"', '"P\\u0061n"'),
  };
  for (const [name, text] of Object.entries(sameMeaning)) {
    refuseText(`${name}, as text`, text);
    acceptParsed(`${name}, as a value`, text, GOOD);
  }
  const slashes = sound();
  slashes.payload = Buffer.alloc(256, 0xff).toString('base64');
  acceptBoth('a payload of slashes', slashes);
  const backslashes = JSON.stringify(slashes).replaceAll('/', '\\/');
  refuseText('escaped slashes, as text', backslashes.slice(0, 4000));
  acceptParsed('escaped slashes, as a value', backslashes, slashes);
  const escapes: [string, string, string][] = [
    ['cek_\u00fc', '\u00fc', '\\u00fc'],
    ['cek_\ud834\udd1e', '\ud834\udd1e', '\\ud834\\udd1e'],
    ['cek\u007f', '\u007f', '\\u007f'],
    ['cek\u2028', '\u2028', '\\u2028'],
    ['a\nb', '\\n', '\\u000a'],
    ['\u001f', '\\u001f', '\\u001F'],
    ['a"b', '\\"', '\\u0022'],
  ];
  for (const [id, canonical, other] of escapes) {
    const block = sound({ keyId: id });
    const text = replaced(JSON.stringify(block), canonical, other);
    refuseText(`${canonical} escaped as ${other}, as text`, text, withKey(id));
    acceptParsed(`${canonical} escaped as ${other}, as a value`, text, block);
  }

  // Rule: text that is not JSON, or JSON and more, is refused.
  const broken: Record<string, string> = {
    'empty text': '',
    'a space': ' ',
    NUL: '\0',
    'a byte order mark before': `\ufeff${TEXT}`,
    'NUL after': `${TEXT}\0`,
    'a card number after': `${TEXT}${PAN}`,
    'a second block after': `${TEXT}${TEXT}`,
    'a comment after': `${TEXT}//`,
    'a comma after the last property': `${TEXT.slice(0, -1)},}`,
    'a comma after the last entry': replaced(TEXT, ']', ',]'),
    'single quotes': TEXT.replaceAll('"', "'"),
    'names without quotes': replaced(TEXT, '"key_id"', 'key_id'),
    'a raw line break in text': replaced(TEXT, KEY_ID, 'cek\n'),
    'a raw control character in text': replaced(TEXT, KEY_ID, 'cek\u001f'),
    'an unknown escape': replaced(TEXT, KEY_ID, 'cek\\x5f'),
    'a lone surrogate, raw': replaced(TEXT, KEY_ID, `${KEY_ID}\ud800`),
    'a lone surrogate, escaped': replaced(TEXT, KEY_ID, `${KEY_ID}\\ud800`),
    'a lone surrogate as a name': replaced(TEXT, '"key_id"', '"\\udfff":1,"key_id"'),
    'an empty name': replaced(TEXT, '"key_id"', '"":1,"key_id"'),
    'a card number alone': PAN,
    'the block as form data': `encrypted_card=${encodeURIComponent(TEXT)}`,
    'the block as JSON text': JSON.stringify(TEXT),
  };
  for (const [name, text] of Object.entries(broken)) refuseText(`${name}, as text`, text);
  const bytes: Record<string, Buffer> = {
    'UTF-16, little endian': Buffer.from(TEXT, 'utf16le'),
    'a byte that is not UTF-8': Buffer.concat([Buffer.from(TEXT), Buffer.from([0xff])]),
    'a key_id in Latin-1': Buffer.from(replaced(TEXT, KEY_ID, 'cek_\u00fc'), 'latin1'),
    'a slash in two bytes, which is overlong': Buffer.from(
      replaced(TEXT, KEY_ID, '\u00c0\u00af'),
      'latin1',
    ),
  };
  for (const [name, value] of Object.entries(bytes)) {
    cases.add({ name, input: { bytes: value.toString('hex') }, ...at, ...REFUSED });
  }

  // Rule: no property comes twice. A parser keeps the last one and forgets the first in silence.
  const entry = JSON.stringify(pan);
  const doubled: Record<string, string> = {
    'a card number as an earlier payload': replaced(TEXT, '{', `{"payload":"${PAN}",`),
    'an earlier key_id': replaced(TEXT, '{', '{"key_id":"cek_other",'),
    'an earlier key_id, escaped': replaced(TEXT, '{', `{"key\\u005fid":"${PAN}",`),
    'an earlier field': replaced(TEXT, entry, entry.replace('{', `{"field":"${PAN}",`)),
    'an earlier length': replaced(TEXT, entry, entry.replace('{', `{"len":"${PAN}",`)),
  };
  for (const [name, text] of Object.entries(doubled)) {
    refuseText(`${name}, as text`, text);
    acceptParsed(`${name}, which the parser drops, as a value`, text, GOOD);
  }
  refuseParsed(
    'a card number as a later payload, as a value',
    `${TEXT.slice(0, -1)},"payload":"${PAN}"}`,
  );

  // Rule: exactly payload, key_id and layout; in each entry exactly field and len.
  const clear = { number: PAN, name: 'Ana', exp_month: '01', exp_year: '2031', cvv: '123' };
  const { payload: _payload, ...noPayload } = GOOD;
  const { key_id: _keyId, ...noKeyId } = GOOD;
  const { layout: _layout, ...noLayout } = GOOD;
  const shapes: Record<string, unknown> = {
    null: null,
    true: true,
    text: 'x',
    'an empty array': [],
    'an empty object': {},
    'the block in an array': [GOOD],
    'the block in an object': { encrypted_card: GOOD },
    'no payload': noPayload,
    'no key_id': noKeyId,
    'no layout': noLayout,
    'another spelling of key_id': { ...noKeyId, keyId: KEY_ID },
    'a clear card': clear,
    'a clear card in the place of the block': { payload: clear, key_id: KEY_ID, layout: [] },
    'a clear card beside the block': { ...GOOD, ...clear },
    'null beside the block': { ...GOOD, more: null },
    'a property named constructor': { ...GOOD, constructor: PAN },
  };
  for (const [name, value] of Object.entries(shapes)) refuseBoth(name, value);
  const own = replaced(TEXT, '{', `{"__proto__":{"number":"${PAN}"},`);
  refuseText('a property named __proto__, as text', own);
  refuseParsed('a property named __proto__, as a value', own);
  const proto = replaced(TEXT, '"key_id"', '"__proto__"');
  refuseText('__proto__ in place of key_id, as text', proto);
  refuseParsed('__proto__ in place of key_id, as a value', proto);

  // Rule: the layout is an array of the five fields, in order.
  const { layout } = GOOD;
  const [, name, month, year, code] = layout;
  const layouts: Record<string, unknown> = {
    null: null,
    'an empty array': [],
    'an empty object': {},
    'an object with numbers for names and a length': { ...layout, length: 5 },
    'four entries': layout.slice(0, 4),
    'six entries': [...layout, code],
    'six entries, the last null': [...layout, null],
    'an entry as an array': [['Pan', 16], ...others],
    'another order': layout.toReversed(),
    'the year before the month': [pan, name, year, month, code],
    'a field twice': [pan, pan, month, year, code],
    'a field in capitals': [{ field: 'PAN', len: 16 }, ...others],
    "the client's field name": [{ field: 'number', len: 16 }, ...others],
    'a field with NUL after': [{ field: 'Pan\0', len: 16 }, ...others],
    'a field that is a card number': [{ field: PAN, len: 16 }, ...others],
    'a field that is true': [{ field: true, len: 16 }, ...others],
    'a field that is 0': [{ field: 0, len: 16 }, ...others],
    'an entry without a field': [{ len: 16 }, ...others],
    'an entry without a length': [{ field: 'Pan' }, ...others],
    'an entry with a value': [{ ...pan, value: PAN }, ...others],
    'the last entry with a value': [...layout.slice(0, 4), { ...code, value: '123' }],
  };
  for (const [what, value] of Object.entries(layouts)) {
    refuseBoth(`a layout: ${what}`, { ...GOOD, layout: value });
  }
  const ownEntry = replaced(TEXT, entry, entry.replace('{', '{"__proto__":1,'));
  refuseText('an entry with __proto__, as text', ownEntry);
  refuseParsed('an entry with __proto__, as a value', ownEntry);

  // Rule: text has at most 4,096 characters, counted in UTF-16 units as JavaScript counts them.
  const room = 4096 - JSON.stringify(sound({ keyId: '' })).length;
  const even = room - (room % 2);
  const longest: [string, string][] = [
    ['ASCII', 'k'.repeat(room)],
    ['letters of two bytes', 'ü'.repeat(room)],
    ['letters of three bytes', '鍵'.repeat(room)],
    ['letters of two UTF-16 units', '𝄞'.repeat(even / 2) + 'k'.repeat(room % 2)],
  ];
  for (const [what, id] of longest) {
    acceptText(`4,096 characters: ${what}`, sound({ keyId: id }));
    const longer = `${id}k`;
    const text = JSON.stringify(sound({ keyId: longer }));
    refuseText(`4,097 characters: ${what}`, text, withKey(longer));
    acceptParsed(`a value has no such limit: ${what}`, text, sound({ keyId: longer }));
  }
  refuseText('spaces up to 4,096 characters', TEXT.padEnd(4096));
  refuseText('spaces beyond 4,096 characters', TEXT.padEnd(4097));

  // Rule: deep nesting and huge numbers are refused like anything else, and stop nobody.
  const deep = (open: string, close: string, depth: number) =>
    open.repeat(depth) + close.repeat(depth);
  refuseText('2,000 arrays, never closed', '['.repeat(2000));
  refuseText('2,000 arrays', deep('[', ']', 2000));
  refuseText('100,000 arrays', deep('[', ']', 100_000).slice(0, 20_000));
  const nestings: [string, string][] = [
    ['layout', deep('[', ']', 300)],
    ['payload', deep('[', ']', 1700)],
    ['key_id', `${'{"a":'.repeat(400)}1${'}'.repeat(400)}`],
  ];
  for (const [property, nested] of nestings) {
    const text = JSON.stringify({ ...GOOD, [property]: '@' }).replace('"@"', () => nested);
    refuseText(`deep nesting as ${property}, as text`, text);
    refuseParsed(`deep nesting as ${property}, as a value`, text);
  }
  const huge = ['9'.repeat(400), `0.${'1'.repeat(2000)}`, '1E400', '18446744073709551632'];
  for (const number of huge) {
    const title = number.length > 30 ? `${number.slice(0, 5)}… of ${number.length} digits` : number;
    refuseText(`a length of ${title}, as text`, withLen(number));
    refuseParsed(`a length of ${title}, as a value`, withLen(number));
    refuseParsed(`a key_id of ${title}, as a value`, replaced(TEXT, `"${KEY_ID}"`, number));
  }

  // Rule: text that was cut off anywhere is refused.
  for (let i = 1; i <= 8; i++) {
    const length = Math.floor((TEXT.length * i) / 9);
    refuseText(`cut off after ${length} characters`, TEXT.slice(0, length));
  }
  // Rule: a block is good until its key expires, and not a millisecond longer.
  const text: Input = { text: TEXT };
  const clocks: [string, number, number, boolean][] = [
    ['a millisecond before it expires', NOW, NOW + 1, true],
    ['in the millisecond in which it expires', NOW, NOW, true],
    ['a millisecond after it expired', NOW, NOW - 1, false],
    ['when the session has seconds', NOW, Math.floor(NOW / 1000) + 900, false],
    ['when it expired at 0', NOW, 0, false],
    ['beyond 32 bits, expired', 4_294_967_296_002, 4_294_967_296_001, false],
  ];
  for (const [when, now, expiresAt, alive] of clocks) {
    const verdict = alive ? { accept: GOOD } : REFUSED;
    cases.add({ name: when, input: text, expected: { keyId: KEY_ID, expiresAt }, now, ...verdict });
  }

  // Rule: what the session does not know matches nothing.
  const { expiresAt } = SESSION;
  const sessions: Record<string, ParseCase['expected']> = {
    'no session': null,
    'an empty session': {},
    'a session without a key id': { expiresAt },
    'a session without a time': { keyId: KEY_ID },
    'a session with an empty key id': { keyId: '', expiresAt },
    'a session with another key id': { keyId: 'cek_corpus_2', expiresAt },
  };
  for (const [name, expected] of Object.entries(sessions)) {
    cases.add({ name, input: text, expected, now: NOW, ...REFUSED });
  }
  const emptyId = { text: JSON.stringify({ ...GOOD, key_id: '' }) };
  const nobody = { keyId: '', expiresAt };
  cases.add({
    name: 'an empty key_id for an empty session',
    input: emptyId,
    expected: nobody,
    now: NOW,
    ...REFUSED,
  });
  const idIsNull = { text: JSON.stringify({ ...GOOD, key_id: null }) };
  cases.add({
    name: 'a key_id of null for a session without one',
    input: idIsNull,
    expected: { expiresAt },
    now: NOW,
    ...REFUSED,
  });

  // Rule: the scheme is RSA_OAEP_SHA256_V1 unless the session says another; there is no other yet.
  const named = { ...SESSION, scheme: 'RSA_OAEP_SHA256_V1' };
  cases.add({ name: 'the scheme by name', input: text, expected: named, now: NOW, accept: GOOD });
  for (const scheme of ['RSA_OAEP_SHA256_V99', '', 'toString']) {
    const expected = { ...SESSION, scheme };
    cases.add({
      name: `the scheme ${JSON.stringify(scheme)}`,
      input: text,
      expected,
      now: NOW,
      ...REFUSED,
    });
  }

  return { function: 'parseEncryptedCard', cases: cases.all };
}

export function keyCorpus(): Corpus<KeyCase> {
  const cases = new Cases<KeyCase>();
  const V1 = 'RSA_OAEP_SHA256_V1';
  const { public_key } = vectors.keys[0]!;
  const key: BrowserKey = { id: KEY_ID, scheme: V1, public_key };
  const answer = { ...key, expires_at: NOW };
  const parsed = (value: unknown) => ({ parsed: JSON.stringify(value) });
  const accept = (name: string, value: unknown, accept: BrowserKey, accepted?: string[]) =>
    cases.add({ name, input: parsed(value), ...(accepted && { accepted }), accept });
  const refuse = (name: string, value: unknown, refuse = 'invalid_key', accepted?: string[]) =>
    cases.add({ name, input: parsed(value), ...(accepted && { accepted }), refuse });

  // Rule: exactly id, scheme and public_key reach the browser, as the service sent them.
  accept("the service's answer", answer, key);
  accept('the three and nothing else', key, key);
  accept(
    'more than the specification shows',
    { ...answer, secret: 'sk_live_1', metadata: {} },
    key,
  );
  const { expires_at, ...rest } = answer;
  accept('another order', { expires_at, public_key, scheme: rest.scheme, id: rest.id }, key);
  for (const { id, public_key } of vectors.keys) {
    const real = { id, scheme: V1, public_key };
    accept(`the key ${id}`, { ...real, expires_at: NOW }, real);
  }
  for (const id of ['0', 'cek_ü', 'cek_𝄞', 'a"b\\c/d', '</script>', 'a\nb', 'a\0b', ' ']) {
    accept(`the id ${JSON.stringify(id)}`, { ...answer, id }, { ...key, id });
  }
  accept(
    'a public_key that only the browser can refuse',
    { ...answer, public_key: '?' },
    { ...key, public_key: '?' },
  );

  // Rule: each of the three is text that is not empty.
  const bad: unknown[] = ['', null, true, 0, 1, [], {}];
  for (const property of ['id', 'scheme', 'public_key'] as const) {
    for (const value of bad) {
      refuse(`${property} of ${JSON.stringify(value)}`, { ...answer, [property]: value });
    }
    const without = { ...answer } as Partial<typeof answer>;
    delete without[property];
    refuse(`no ${property}`, without);
  }
  refuse('the scheme in an array', { ...answer, scheme: [V1] });
  refuse('another spelling of public_key', { id: KEY_ID, scheme: V1, publicKey: public_key });
  for (const value of [null, true, 'cek_1', [], {}, [answer]]) {
    refuse(`the answer ${JSON.stringify(value).slice(0, 30)}`, value);
  }
  refuse('an error of the service', { error: { code: 'invalid_api_key', message: 'No.' } });
  refuse('an error and an unknown scheme', { id: '', scheme: 'RSA_OAEP_SHA256_V99', public_key });

  // Rule: a scheme that the page was not written for never reaches it.
  const unsupported = 'unsupported_scheme';
  for (const scheme of ['RSA_OAEP_SHA256_V99', 'rsa_oaep_sha256_v1', `${V1} `]) {
    refuse(`the scheme ${JSON.stringify(scheme)}`, { ...answer, scheme }, unsupported);
  }
  refuse('the scheme "toString"', { ...answer, scheme: 'toString' }, unsupported);

  // Rule: which schemes those are, the caller says. One that nobody knows is not accepted either:
  // no page can encrypt under it.
  accept('V1, which is named', answer, key, [V1]);
  const V99 = 'RSA_OAEP_SHA256_V99';
  const newer = { ...answer, scheme: V99 };
  accept('V1, where two are named', answer, key, [V1, V99]);
  refuse('V99, where two are named', newer, unsupported, [V1, V99]);
  refuse('V99, where it alone is named', newer, unsupported, [V99]);
  refuse('a scheme "toString", which is named', { ...answer, scheme: 'toString' }, unsupported, [
    'toString',
  ]);
  refuse('V1, where V99 alone is named', answer, unsupported, [V99]);
  refuse('V1, where none is named', answer, unsupported, []);
  refuse('no key, where two are named', null, 'invalid_key', [V1, V99]);

  return { function: 'browserKey', cases: cases.all };
}

/** One case is one line, so that a change shows which case it is. */
export function asFile({ function: name, cases }: Corpus<object>): string {
  const lines = cases.map((one) => `    ${JSON.stringify(one)}`);
  return `{\n  "function": "${name}",\n  "cases": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

export const FILES = {
  'parse-encrypted-card.json': parseCorpus,
  'browser-key.json': keyCorpus,
} as const;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [file, make] of Object.entries(FILES)) {
    const corpus = make();
    writeFileSync(join(import.meta.dirname, file), asFile(corpus));
    console.log(`${file}: ${corpus.cases.length} cases`);
  }
}
