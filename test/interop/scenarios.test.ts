/** The ports go through every scenario of an order as the corpus says, and faults are noticed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Faults, PORTS, type Port, run, testFaultsOf } from './ports.ts';
import {
  BLOCK,
  type Found,
  randomScenarios,
  type Step,
  walkReference,
} from './random-scenarios.ts';

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

const file = join(import.meta.dirname, '../corpus/orders.json');
const corpus = JSON.parse(readFileSync(file, 'utf8')) as Corpus;
const { scenarios } = corpus;

/** Another seed gives other scenarios. */
const SEED = 1;
const RANDOM = randomScenarios(600, SEED);

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

/** Each takes one rule out. */
const FAULTS: Record<Port['name'], Faults> = {
  PHP: {
    'a key while an attempt is on its way or uncertain': [
      "if ($order['state'] !== 'open') {\n        return ['outcome' => outcomeOf($order)];\n    }\n    // Something",
      '// Something',
    ],
    'a key for another price after something was sent': [
      "isFor($order, $price) ? ['order' => $order] : ['outcome' => NOT_CERTAIN]",
      "['order' => $order]",
    ],
    'a draft of the old price for the new one': [
      "'currency' => $currency, 'intentId' => null] + $stored",
      "'currency' => $currency] + $stored",
    ],
    'a new price after something was sent': [
      "$stored['state'] !== 'open' || $stored['sent'] || isFor",
      "$stored['state'] !== 'open' || isFor",
    ],
    'a second key with a draft of its own': [
      "['intentId' => $order['intentId'] ?? $draftId]",
      "['intentId' => $draftId ?? $order['intentId']]",
    ],
    'only the newest key': ["[...newestKeys($order['keys']), $fresh]", '[$fresh]'],
    'two attempts at once': [
      ": ['next' => 'wait'];",
      ": ['next' => 'authorize', 'intentId' => $stored['intentId']];",
    ],
    'a block after an uncertain one': [
      "&& $order['state'] === 'open'\n",
      "&& $order['state'] !== 'paid'\n",
    ],
    'a used key': ["&& $key['block'] === 'none'\n", ''],
    'an expired key': ["&& $now <= $key['expiresAt']\n", ''],
    'a key in its last millisecond': ["$now <= $key['expiresAt']", "$now < $key['expiresAt']"],
    'a key for another price': ['&& isFor($key, $price)\n', ''],
    'a block that is not noted': [
      "$paying + withBlock($order, $keyId, 'sent')",
      '$paying + $order',
    ],
    'an intent that is not noted as sent': ["'sent' => true,\n        'attempt'", "'attempt'"],
    'another attempt taken for the own': [
      "if (($stored['attempt']['token'] ?? null) !== $token)",
      "if (($stored['attempt'] ?? null) === null)",
    ],
    'an answer about another price': ['&& isFor($order, $intent)', ''],
    'an answer about another intent': ["$intent['id'] === $order['intentId'] && ", ''],
    'no reserved amount': [
      "$status === 'committed' || $status === 'authorized'",
      "$status === 'committed'",
    ],
    'a new intent after a key error': [
      "'attempt' => null, 'keyErrors' => 1]",
      "'attempt' => null, 'intentId' => null, 'sent' => false]",
    ],
    'any number of key errors': [
      "$kind === 'key_error' && $order['keyErrors'] === 0",
      "$kind === 'key_error'",
    ],
    'any error for a key error': ["$kind === 'key_error' && ", "$kind !== 'intent' && "],
    'an error that says not paid': [
      "return ['state' => 'uncertain'] + withBlock($order, $keyId, 'not_settled');",
      "return ['state' => 'open', 'attempt' => null] + withBlock($order, $keyId, 'error');",
    ],
    'not paid, after something was sent': [
      "    if ($order['sent']) {\n        return ['status' => 'retry_is_safe'];\n    }\n",
      '',
    ],
    'staff who speak of another intent': ["$stored['intentId'] === $intentId\n        && ", ''],
    'staff who speak of a draft': ["&& $stored['sent']\n", ''],
    'staff who undo a payment': ["&& $stored['state'] !== 'paid'\n", ''],
    'staff who do not wait': ['&& !$isUnderWay;', ';'],
    'an intent that staff have seen dead': [
      "$truth === 'not_paid' ? withoutIntent($stored)",
      "$truth === 'not_paid' ? ['state' => 'open', 'attempt' => null] + $stored",
    ],
    'a declined intent': [
      "return withoutIntent(withBlock($order, $keyId, 'declined', $reason));",
      "return ['state' => 'open', 'attempt' => null, 'sent' => false] + withBlock($order, $keyId, 'declined', $reason);",
    ],
    'a write that lost': [
      "$entry['version'] ?? 0)) {\n                    return $decision;",
      "$entry['version'] ?? 0) || true) {\n                    return $decision;",
    ],
    'the state before the key came': [
      '$decision = onKeyRequested($stored, $price);',
      "$decision = ['order' => atPrice($stored, $price)];",
    ],
    'no state after no key': ["return $current['status'] === 'open'\n", 'return true\n'],
  },
  Python: {
    'a key while an attempt is on its way or uncertain': [
      'if order["state"] != "open":\n        return {"outcome": outcome_of(order)}\n    # Something',
      '# Something',
    ],
    'a key for another price after something was sent': [
      'if not _is_for(order, price):\n        return {"outcome": _NOT_CERTAIN}',
      'pass',
    ],
    'a draft of the old price for the new one': [
      'return {**stored, **new_price, "intentId": None}',
      'return {**stored, **new_price}',
    ],
    'a new price after something was sent': [
      'stored["state"] != "open" or stored["sent"] or _is_for',
      'stored["state"] != "open" or _is_for',
    ],
    'a second key with a draft of its own': [
      'intent_id = draft_id if order["intentId"] is None else order["intentId"]',
      'intent_id = draft_id or order["intentId"]',
    ],
    'only the newest key': ['_newest_keys(order["keys"]) + [fresh]', '[fresh]'],
    'two attempts at once': [
      'return {"next": "wait"}',
      'return {"next": "authorize", "intentId": stored["intentId"]}',
    ],
    'a block after an uncertain one': [
      'and order["state"] == "open"\n',
      'and order["state"] != "paid"\n',
    ],
    'a used key': ['and key["block"] == "none"\n', ''],
    'an expired key': ['and attempt["now"] <= key["expiresAt"]\n', ''],
    'a key in its last millisecond': [
      'attempt["now"] <= key["expiresAt"]',
      'attempt["now"] < key["expiresAt"]',
    ],
    'a key for another price': ['and _is_for(key, price)\n', ''],
    'a block that is not noted': ['**_with_block(order, key_id, "sent"),', '**order,'],
    'an intent that is not noted as sent': ['"sent": True,\n', ''],
    'another attempt taken for the own': [
      '(stored["attempt"] or {}).get("token") == attempt["token"]',
      'stored["attempt"] is not None',
    ],
    'an answer about another price': [' and _is_for(order, intent):', ':'],
    'an answer about another intent': ['intent["id"] == order["intentId"] and ', ''],
    'no reserved amount': [
      'intent["status"] in ("committed", "authorized")',
      'intent["status"] == "committed"',
    ],
    'a new intent after a key error': [
      '"attempt": None, "keyErrors": 1}',
      '"attempt": None, "intentId": None, "sent": False}',
    ],
    'any number of key errors': [
      'answer["kind"] == "key_error" and order["keyErrors"] == 0',
      'answer["kind"] == "key_error"',
    ],
    'any error for a key error': [
      'answer["kind"] == "key_error" and ',
      'answer["kind"] != "intent" and ',
    ],
    'an error that says not paid': [
      'return {**_with_block(order, key_id, "not_settled"), "state": "uncertain"}',
      'return {**_with_block(order, key_id, "error"), "state": "open", "attempt": None}',
    ],
    'not paid, after something was sent': [
      'if order["sent"]:\n        return {"status": "retry_is_safe"}',
      'pass',
    ],
    'staff who speak of another intent': ['and stored["intentId"] == intent_id\n', ''],
    'staff who speak of a draft': ['and stored["sent"]\n', ''],
    'staff who undo a payment': ['and stored["state"] != "paid"\n', ''],
    'staff who do not wait': ['and not is_under_way\n', ''],
    'an intent that staff have seen dead': [
      '_without_intent(stored) if truth == "not_paid"',
      '{**stored, "state": "open", "attempt": None} if truth == "not_paid"',
    ],
    'a declined intent': [
      'return _without_intent(declined)',
      'return {**declined, "state": "open", "attempt": None, "sent": False}',
    ],
    'a write that lost': [
      'if self._store.write(order_id, value, version):',
      'if self._store.write(order_id, value, version) or True:',
    ],
    'the state before the key came': [
      'decision = on_key_requested(stored, price)',
      'decision = {"order": _at_price(stored, price)}',
    ],
    'no state after no key': [
      'if current["status"] != "open":\n                return',
      'if False:\n                return',
    ],
  },
};

describe.each(PORTS)('$name', (port) => {
  let references: Found[][];
  beforeAll(async () => {
    references = (await Promise.all(RANDOM.map(walkReference))).map((steps) =>
      steps.map(withoutTokens),
    );
  });

  /** @throws at the first scenario that ends in another way than the corpus says. */
  function expectCorpus(folder: string, ...how: string[]) {
    const walked = walk(port, folder, corpus, ...how);
    expect(walked).toHaveLength(scenarios.length);
    for (const [i, { name, steps }] of scenarios.entries()) {
      const expected = withoutNeedless(steps.map(expectedOf), walked[i]!);
      expect({ name, steps: walked[i] }).toEqual({ name, steps: expected });
    }
  }

  /** @throws at the first random scenario that ends in another way than in `src/checkout`. */
  function expectReferences(folder: string) {
    const given = RANDOM.map((steps) => ({ start: null, steps }));
    const walked = walk(port, folder, { block: BLOCK, scenarios: given });
    expect(walked).toHaveLength(references.length);
    for (const [i, reference] of references.entries()) {
      const expected = withoutNeedless(reference, walked[i]!);
      expect({ seed: SEED, i, steps: walked[i] }).toEqual({ seed: SEED, i, steps: expected });
    }
  }

  test(`goes through all ${scenarios.length} scenarios as the corpus says`, () => {
    expectCorpus(port.folder);
  });

  test('goes through them in the same way if somebody else is faster at each write', () => {
    expectCorpus(port.folder, 'contended');
  });

  test(`does what src/checkout does in ${RANDOM.length} random scenarios`, () => {
    expectReferences(port.folder);
  });

  // Each of these breaks one rule, and a scenario shows it.
  testFaultsOf(port, FAULTS[port.name], (folder) => {
    expectCorpus(folder);
    expectCorpus(folder, 'contended');
    expectReferences(folder);
  });
});
