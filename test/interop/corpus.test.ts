/** The ports agree with the corpus in every case, and a port that errs is noticed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Faults, PORTS, type Port, run, testFaultsOf } from './ports.ts';

interface Case {
  name: string;
  accept?: object;
  refuse?: string;
}

const corpora: { function: string; cases: Case[] }[] = [
  'parse-encrypted-card.json',
  'browser-key.json',
].map((file) => JSON.parse(readFileSync(join(import.meta.dirname, '../corpus', file), 'utf8')));
const cases = corpora.flatMap((corpus) => corpus.cases);

/** The names of the cases in which the port in a folder says something else than the corpus. */
function wrongVerdicts({ interpreter, corpus }: Port, folder: string): string[] {
  const output = run([...interpreter, corpus, folder], JSON.stringify(corpora));
  const lines = output.trimEnd().split('\n');
  if (lines.length !== cases.length) throw new Error(`${lines.length} of ${cases.length} answered`);
  const isWrong = ({ accept, refuse }: Case, line: string) => {
    const right = JSON.stringify(accept ? { accept } : { refuse });
    const verdicts = JSON.parse(line) as object[];
    const hasFloat = /"len":\d+\.0/.test(line); // JSON.parse makes a whole number of it
    return !verdicts.length || hasFloat || verdicts.some((one) => JSON.stringify(one) !== right);
  };
  return cases.filter((one, i) => isWrong(one, lines[i]!)).map(({ name }) => name);
}

/** Faults that a port could have. */
const FAULTS: Record<Port['name'], Faults> = {
  PHP: {
    'text in any form of JSON': ['=== $text ? $value : null', '? $value : null'],
    'escaped slashes': ['JSON_UNESCAPED_SLASHES | ', ''],
    'escaped letters': [' | JSON_UNESCAPED_UNICODE', ''],
    'escaped line separators': ['\n        | JSON_UNESCAPED_LINE_TERMINATORS', ''],
    'bytes instead of UTF-16 units': ['utf16Length($text) >', 'strlen($text) >'],
    'characters instead of UTF-16 units': [" + preg_match_all('/[\\xF0-\\xF7]/', $utf8)", ''],
    'no limit of the text': ['utf16Length($text) > MAX_TEXT', 'false'],
    'another key': ["if ($block['key_id'] !== $keyId)", 'if (false)'],
    'a loose comparison of the key': ["$block['key_id'] !== $keyId", "$block['key_id'] != $keyId"],
    'an empty key': [" || $keyId === ''", ''],
    'a key_id of "0" taken for empty': ["$keyId === ''", 'empty($keyId)'],
    'an expired key': ['!(nowInMilliseconds() <= $expiresAt)', 'false'],
    'a key in its last millisecond': [
      'nowInMilliseconds() <= $expiresAt',
      'nowInMilliseconds() < $expiresAt',
    ],
    'seconds instead of milliseconds': ["format('Uv')", "format('U')"],
    'more properties': ['count($found) === count($names) && ', ''],
    'more entries': ['array_keys($entries) !== array_keys($fields)', 'false'],
    'a length as text': [
      'return is_int($value) ? $value : null;',
      'return is_numeric($value) ? (int) $value : null;',
    ],
    'no floats': ['is_float($value) && floor', 'false && floor'],
    'a field without its name': ['$entries[$i]->field !== $field || ', ''],
    'a loose comparison of the field': [
      '$entries[$i]->field !== $field',
      '$entries[$i]->field != $field',
    ],
    'too short a length': ['$length < $fewest || ', ''],
    'too long a length': [' || $length > $most', ''],
    'any sum': ['modulusLength($payload) - 66', '9999'],
    'a sum with a byte more': ['- 66)', '- 65)'],
    'a sum with a byte less': ['- 66)', '- 67)'],
    'Base64 in any form': ['base64_encode($ciphertext) === $payload', 'true'],
    'any length of the payload': ['in_array($length, [256, 384, 512], true)', '$length > 66'],
    'any scheme': ['FIELDS[$scheme] ?? null', 'FIELDS[SCHEME]'],
    'any known scheme of a key': ["in_array($picked['scheme'], $accepted, true)", 'true'],
    'any accepted scheme of a key': [" || !isset(FIELDS[$picked['scheme']])", ''],
    'empty text in a key': ["|| $value === ''", ''],
    'everything of a key': ['return $picked;', 'return $answer;'],
  },
  Python: {
    'text in any form of JSON': [
      '_require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)',
      'pass',
    ],
    'escaped letters': ['ensure_ascii=False', 'ensure_ascii=True'],
    'floats as text': ['parse_float=_refuse, ', ''],
    'characters instead of UTF-16 units': ['len(text.encode("utf-16-le")) // 2', 'len(text)'],
    'bytes instead of UTF-16 units': ['len(text.encode("utf-16-le")) // 2', 'len(text.encode())'],
    'another key': ['if block["key_id"] != key_id:', 'if False:'],
    'an empty key': ['isinstance(value, str) and value != ""', 'isinstance(value, str)'],
    'an expired key': ['or not _now_ms() <= expires_at', ''],
    'a key in its last millisecond': ['_now_ms() <= expires_at', '_now_ms() < expires_at'],
    'seconds instead of milliseconds': ['// 1_000_000', '// 1_000_000_000'],
    'more properties': [' and len(value) == len(names)', ''],
    'more entries': [' and len(entries) == len(fields)', ''],
    'True for 1': [' and not isinstance(value, bool)', ''],
    'no floats': ['isinstance(value, (int, float)) and', 'isinstance(value, int) and'],
    'floats in what goes on': ['return int(value)', 'return value'],
    'a field without its name': ['_require(_same_text(entry["field"], field))', 'pass'],
    'any length': ['and fewest <= length <= most', ''],
    'any sum': ['_modulus_length(payload) - 66', '9999'],
    'a sum with a byte more': ['(payload) - 66', '(payload) - 65'],
    'a sum with a byte less': ['(payload) - 66', '(payload) - 67'],
    'Base64 in any form': [
      '_require(base64.b64encode(ciphertext).decode("ascii") == payload)',
      'pass',
    ],
    'any length of the payload': ['in (256, 384, 512)', '> 66'],
    'any scheme': ['_FIELDS.get(scheme)', '_FIELDS[SCHEME]'],
    'any known scheme of a key': ['picked["scheme"] not in accepted or', ''],
    'any accepted scheme of a key': [' or picked["scheme"] not in _FIELDS', ''],
    'everything of a key': ['return picked', 'return key'],
  },
};

describe.each(PORTS)('$name', (port) => {
  test('runs on a version for which the port is made', () => {
    const [major, minor] = run(port.version.command).trim().split('.').map(Number);
    const [oldestMajor, oldestMinor] = port.version.oldest;
    expect(major).toBe(oldestMajor);
    expect(minor).toBeGreaterThanOrEqual(oldestMinor!);
  });

  const expectRightVerdicts = (folder: string) => expect(wrongVerdicts(port, folder)).toEqual([]);

  test(`gives the right verdict in all ${cases.length} cases`, () => {
    expectRightVerdicts(port.folder);
  });

  // Each of these errs, and the corpus has a case that says so.
  testFaultsOf(port, FAULTS[port.name], expectRightVerdicts);
});

test('in Python, a key that expires at "nan" has expired, and a scheme may be any value', () => {
  const check = `
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from cardseal import CardEncryptionError, parse_encrypted_card
block, later = json.loads(sys.stdin.read()), 2 ** 60
def verdict(**expected):
    try:
        parse_encrypted_card(block, key_id=block["key_id"], **expected)
    except CardEncryptionError:
        return "refused"
    return "accepted"
print(verdict(expires_at=later), verdict(expires_at=float("nan")), verdict(expires_at=later, scheme=[]))`;
  const accepted = corpora[0]!.cases.find(({ accept }) => accept)!;
  const output = run(['python3', '-c', check, PORTS[1]!.folder], JSON.stringify(accepted.accept));
  expect(output.trim()).toBe('accepted refused refused');
});

test('the Python files are Python 3.8', () => {
  const check = `
import ast, sys
for file in sys.argv[1:]:
    ast.parse(open(file, encoding="utf-8").read(), feature_version=(3, 8))`;
  const files = ['cardseal.py', 'shop.py'].map((file) => join(PORTS[1]!.folder, file));
  expect(() => run(['python3', '-c', check, ...files])).not.toThrow();
});
