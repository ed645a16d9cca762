/** The ports agree with the corpus in every case, and a port that errs is noticed. */
import { readdirSync, readFileSync } from 'node:fs';
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

/** Control: faults that the corpus notices. */
const FAULTS: Record<Port['name'], Faults> = {
  PHP: {
    'text in any form of JSON': ['=== $text ? $value : null', '? $value : null'],
    'more properties': ['count($found) === count($names) && ', ''],
    'an expired key': [' || !(($now ?? (new SystemClock())->now()) <= $expiresAt)', ''],
    'any scheme': [
      '$fields = Scheme::FIELDS[$scheme] ?? null',
      '$fields = Scheme::FIELDS[Scheme::RSA_OAEP_SHA256_V1]',
    ],
  },
  Python: {
    'text in any form of JSON': [
      '_require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)',
      'pass',
    ],
    'more properties': [' and len(value) == len(names)', ''],
    'an expired key': [' or not current <= (expires_at or 0)', ''],
    'any scheme': ['_FIELDS[scheme] if isinstance(scheme, str) else ()', '_FIELDS[SCHEME]'],
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

test('the Python files are Python 3.9', () => {
  const check = `
import ast, sys
for file in sys.argv[1:]:
    ast.parse(open(file, encoding="utf-8").read(), feature_version=(3, 9))`;
  const { folder } = PORTS[1]!;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.py'))
    .map((file) => join(folder, file));
  expect(files.length).toBeGreaterThan(10);
  expect(() => run(['python3', '-c', check, ...files])).not.toThrow();
});
