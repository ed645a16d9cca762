/** The ports go through every scenario of an order as the corpus says, and faults are noticed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Faults, PORTS, type Port, run, testFaultsOf } from './ports.ts';
import type { Found, Step } from './random-scenarios.ts';

/** A step of the corpus: see test/corpus/README.md. */
type Expected = Omit<Step, 'key' | 'intent' | 'authorize'> &
  Pick<Found, 'answer' | 'stored'> & {
    [kind in (typeof KINDS)[number]]?: { asked?: object; during?: Expected[] };
  };

interface Corpus {
  block: object;
  scenarios: { name: string; start: object | null; steps: Expected[] }[];
}

const KINDS = ['key', 'intent', 'authorize'] as const;

/** The ports follow the rules of 0.3 until they are packages. */
const file = join(import.meta.dirname, '../corpus/0.3/orders.json');
const corpus = JSON.parse(readFileSync(file, 'utf8')) as Corpus;
const { scenarios } = corpus;

/** What a port that goes through this step as the corpus says prints of it. */
function expectedOf({ answer, stored, ...step }: Expected): Found {
  const found: Found = { answer, stored };
  for (const kind of KINDS) {
    const { asked, during } = step[kind] ?? {};
    const exchange = { ...(asked && { asked }), ...(during && { during: during.map(expectedOf) }) };
    if (step[kind]) found[kind] = exchange;
  }
  return found;
}

/**
 * The ports ask for a key and then for a draft, not for both at the same time: after one failed,
 * they need not ask for the other.
 */
function withoutNeedless(expected: Found[], found: Found[]): Found[] {
  return expected.map((step, i) => {
    const asked = found[i] ?? step;
    const { key, intent, ...others } = step;
    const { status } = step.answer as { status?: unknown };
    const hasNoKey = typeof status === 'number' && status !== 200;
    const result: Found = hasNoKey
      ? { ...others, ...(asked.key && key && { key }), ...(asked.intent && intent && { intent }) }
      : { ...step };
    for (const kind of KINDS) {
      const [during, foundDuring] = [result[kind]?.during, asked[kind]?.during];
      if (during && foundDuring)
        result[kind] = { ...result[kind], during: withoutNeedless(during, foundDuring) };
    }
    return result;
  });
}

/** A token can be any text. */
function withoutTokens(found: Found): Found {
  const { stored } = found;
  const attempt = stored?.attempt && { ...stored.attempt, token: '*' };
  const result: Found = { ...found, stored: stored && { ...stored, attempt: attempt ?? null } };
  for (const kind of KINDS) {
    const during = found[kind]?.during?.map(withoutTokens);
    if (during) result[kind] = { ...found[kind], during };
  }
  return result;
}

type Scenarios = Pick<Corpus, 'block'> & { scenarios: { start: object | null; steps: object[] }[] };

function walk(port: Port, folder: string, given: Scenarios, ...how: string[]): Found[][] {
  const input = JSON.stringify(given);
  const output = run([...port.interpreter, port.scenarios, folder, ...how], input);
  const lines = output.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as Found[]).map(withoutTokens));
}

/** Control: each takes one rule out. */
const FAULTS: Record<Port['name'], Faults> = {
  PHP: {
    'two attempts at once': [
      ": ['next' => 'wait'];",
      ": ['next' => 'authorize', 'intentId' => $stored['intentId']];",
    ],
    'an error that says not paid': [
      "return ['state' => 'uncertain'] + withBlock($order, $keyId, 'not_settled');",
      "return ['state' => 'open', 'attempt' => null] + withBlock($order, $keyId, 'error');",
    ],
    'a write that lost': [
      "$entry['version'] ?? 0)) {\n                    return $decision;",
      "$entry['version'] ?? 0) || true) {\n                    return $decision;",
    ],
    'an answer about another price': ['&& isFor($order, $intent)', ''],
  },
  Python: {
    'two attempts at once': [
      'return {"next": "wait"}',
      'return {"next": "authorize", "intentId": stored["intentId"]}',
    ],
    'an error that says not paid': [
      'return {**_with_block(order, key_id, "not_settled"), "state": "uncertain"}',
      'return {**_with_block(order, key_id, "error"), "state": "open", "attempt": None}',
    ],
    'a write that lost': [
      'if self._store.write(order_id, value, version):',
      'if self._store.write(order_id, value, version) or True:',
    ],
    'an answer about another price': [' and _is_for(order, intent):', ':'],
  },
};

describe.each(PORTS)('$name', (port) => {
  /** @throws at the first scenario that ends in another way than the corpus says. */
  function expectCorpus(folder: string, ...how: string[]) {
    const walked = walk(port, folder, corpus, ...how);
    expect(walked).toHaveLength(scenarios.length);
    for (const [i, { name, steps }] of scenarios.entries()) {
      const expected = withoutNeedless(steps.map(expectedOf), walked[i]!);
      expect({ name, steps: walked[i] }).toEqual({ name, steps: expected });
    }
  }

  test(`goes through all ${scenarios.length} scenarios as the corpus says`, () => {
    expectCorpus(port.folder);
  });

  test('goes through them in the same way if somebody else is faster at each write', () => {
    expectCorpus(port.folder, 'contended');
  });

  testFaultsOf(port, FAULTS[port.name], (folder) => {
    expectCorpus(folder);
    expectCorpus(folder, 'contended');
  });
});
