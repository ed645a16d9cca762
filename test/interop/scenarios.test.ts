/** The ports go through every scenario of an order as the corpus says, and faults are noticed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeOneFiles } from '../../tools/release/one-file.ts';
import { type Faults, PORTS, type Port, run, testFaultsOf } from './ports.ts';
import { randomScenarios, walkReference } from './random-scenarios.ts';

const KINDS = ['key', 'intent', 'authorize', 'lookUp', 'deliver'] as const;

/** A step of the corpus: see test/corpus/README.md. */
type Expected = { answer: object; stored: Stored } & {
  [kind in (typeof KINDS)[number]]?: { asked?: object; during?: Expected[] };
};

/** What came of a step. */
type Found = Expected & { unexpected?: string[] };

type Stored = {
  attempt: { token: string } | null;
  delivery?: { token: string } | 'done';
} | null;

interface Corpus {
  block: object;
  scenarios: { name: string; start: object | string | null; steps: Expected[] }[];
}

const file = join(import.meta.dirname, '../corpus/orders.json');
const corpus = JSON.parse(readFileSync(file, 'utf8')) as Corpus;
const { scenarios } = corpus;

/** What a step comes to: of the corpus, or as a port prints it. */
function sumOf(step: Found): Found {
  const { answer, stored, unexpected } = step;
  const sum: Found = { answer, stored: withoutTokens(stored), ...(unexpected && { unexpected }) };
  for (const kind of KINDS) {
    const { asked, during } = step[kind] ?? {};
    const exchange = { ...(asked && { asked }), ...(during && { during: during.map(sumOf) }) };
    if (step[kind]) sum[kind] = exchange;
  }
  return sum;
}

/** A token can be any text. What builds before 0.3.0 have not stored counts as its default. */
function withoutTokens(stored: Stored): Stored {
  if (stored === null || typeof stored === 'string') return stored;
  const { attempt, delivery, ...others } = stored;
  return {
    ...{ declines: 0, last: null },
    ...others,
    attempt: attempt && { ...attempt, token: '*' },
    ...(delivery && { delivery: delivery === 'done' ? delivery : { ...delivery, token: '*' } }),
  };
}

function walk(port: Port, folder: string, given: object, ...how: string[]): Found[][] {
  const output = run([...port.interpreter, port.scenarios, folder, ...how], JSON.stringify(given));
  const lines = output.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as Found[]).map(sumOf));
}

/** `SEED=7 npm run interop` tries others. */
const SEED = Number(process.env.SEED ?? 1);
const RANDOM = 500;

/** Control: each takes one rule out. */
const FAULTS: Record<Port['name'], Faults> = {
  PHP: {
    'two attempts at once': [
      ': new Decision(next: Next::Wait);',
      ': new Decision(next: Next::Authorize, intentId: $stored->intentId);',
    ],
    'an error that says not paid': [
      'return $order->withBlock($keyId, BlockState::NotSettled)->with(state: State::Uncertain);',
      'return $order->withBlock($keyId, BlockState::Error)->with(state: State::Open, attempt: null);',
    ],
    'a write that lost': [
      'if ($this->isWritten($orderId, $decision->store, $entry?->version ?? 0)) {',
      'if ($this->isWritten($orderId, $decision->store, $entry?->version ?? 0) || true) {',
    ],
    'an answer about another intent': ['&& $intent->id === $order->intentId', ''],
    'a delivery that nobody claims': [
      'return $store->with(delivery: self::claimOf($decider->token, $decider->now, 1)); // O12',
      'return $store;',
    ],
    'a look-up that says created': [
      'return $stored->with(state: State::Open, attempt: null); // O11',
      'return self::withoutIntent($stored);',
    ],
    'an order that is withdrawn after a key error': [
      '$order->state !== State::Open || $order->sent; // O20',
      '$order->state !== State::Open;',
    ],
    'a decline that is told while the next card waits for its draft': [
      '$store = $order->last === null ? null : $order->with(last: null); // O21',
      '$store = null;',
    ],
  },
  Python: {
    'two attempts at once': [
      'return BlockDecision(Next.WAIT)',
      'return BlockDecision(Next.AUTHORIZE, intent_id=stored.intent_id)',
    ],
    'an error that says not paid': [
      'return replace(_with_block(order, key_id, Block.NOT_SETTLED), state=State.UNCERTAIN)',
      'return replace(_with_block(order, key_id, Block.ERROR), state=State.OPEN, attempt=None)',
    ],
    'a write that lost': [
      'if self._is_written(order_id, order, entry.version if entry else 0):',
      'if self._is_written(order_id, order, entry.version if entry else 0) or True:',
    ],
    'an answer about another intent': [' or answer.id != order.intent_id', ''],
    'a delivery that nobody claims': [
      'return replace(store, delivery=_claim_of(decider.token, decider.now, 1))',
      'return store',
    ],
    'a look-up that says created': [
      'return replace(stored, state=State.OPEN, attempt=None)  # O11',
      'return _without_intent(stored)',
    ],
    'an order that is withdrawn after a key error': [
      'order.state is not State.OPEN or order.sent  # O20',
      'order.state is not State.OPEN',
    ],
    'a decline that is told while the next card waits for its draft': [
      'store = None if order.last is None else replace(order, last=None)  # O21',
      'store = None',
    ],
  },
};

describe.each(PORTS)('$name', (port) => {
  /** @throws at the first scenario that ends in another way than the corpus says. */
  function expectCorpus(folder: string, ...how: string[]) {
    const walked = walk(port, folder, corpus, ...how);
    expect(walked).toHaveLength(scenarios.length);
    for (const [i, { name, steps }] of scenarios.entries())
      expect({ name, steps: walked[i] }).toEqual({ name, steps: steps.map(sumOf) });
  }

  test(`goes through all ${scenarios.length} scenarios as the corpus says`, () => {
    expectCorpus(port.folder);
  });

  test('goes through them in the same way if somebody else is faster at each write', () => {
    expectCorpus(port.folder, 'contended');
  });

  test('does the same as one file to copy', () => {
    const folder = mkdtempSync(join(tmpdir(), 'one-file-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeOneFiles(folder);
    expectCorpus(folder);
  });

  test(`does what TypeScript does in ${RANDOM} scenarios by chance`, async () => {
    const chance = randomScenarios(RANDOM, SEED);
    const scenarios = chance.map((steps, i) => ({ name: `${i}`, start: null, steps }));
    const walked = walk(port, port.folder, { ...corpus, scenarios });
    expect(walked).toHaveLength(RANDOM);
    for (const [i, steps] of chance.entries()) {
      const found = (await walkReference(steps)) as unknown as Found[];
      expect({ seed: SEED, i, found: walked[i] }).toEqual({
        seed: SEED,
        i,
        found: found.map(sumOf),
      });
    }
  });

  testFaultsOf(port, FAULTS[port.name], (folder) => {
    expectCorpus(folder);
    expectCorpus(folder, 'contended');
  });
});
