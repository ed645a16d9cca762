/**
 * Makes orders.json of the paths of the exploration: `npx tsx test/corpus/make-orders.ts`. Of all
 * paths that a scenario can say it takes those that have a step like none before. To these come the
 * scenarios of overlaps.ts: the exploration reaches what they lead to by paths that are simpler, or
 * by such as a scenario cannot say. README.md has the format.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkoutOf } from '../../src/checkout/checkout.ts';
import { PARTS } from '../checkout/bounds.ts';
import { explore, type TraceEvent } from '../checkout/explore.ts';
import { BLOCK, type Call, LIMIT_MS, ORDER_ID } from '../checkout/world.ts';
import { type Found, type Step, walkReference } from '../interop/random-scenarios.ts';
import { OVERLAPS, scriptOf } from './overlaps.ts';

type Json = Record<string, unknown>;

export interface Exchange {
  asked?: Json;
  during?: ScenarioStep[];
  answer?: Json | string | null;
  error?: string;
}

export interface ScenarioStep {
  at: number;
  call: Call['call'];
  order?: { amount: number; currency: string };
  keyId?: string;
  body?: string;
  intentId?: string;
  truth?: string;
  /** Of `resolve`: the whole order, in the place of its id. */
  whole?: Json;
  key?: Exchange;
  intent?: Exchange;
  authorize?: Exchange;
  lookUp?: Exchange;
  deliver?: Exchange;
  store?: string[];
  answer: Json | Json[];
  stored: Json | string | null;
}

export interface Scenario {
  name: string;
  /** A text: what is stored, to the letter. */
  start: Json | string | null;
  /** Whether the shop has `onPaid`. */
  delivers?: boolean;
  steps: ScenarioStep[];
}

/** A call that has begun. */
interface Frame {
  process: string;
  step: ScenarioStep;
  writes: string[];
  /** What others did since the last operation of this call was answered. */
  during: ScenarioStep[];
}

/** Collects scenarios: `take` gets paths of the exploration, `write` makes the text of orders.json. */
export class Orders {
  readonly #scenarios: Scenario[] = [];
  readonly #covered = new Set<string>();

  /** @param delivers - Whether the shop has `onPaid`. */
  readonly take = (events: TraceEvent[], delivers = false): void => {
    const found = scenarioOf(events);
    if (!found) return;
    const scenario: Scenario = delivers ? { ...found, delivers } : found;
    const signs = scenario.steps.map((step) => signOf(step, scenario));
    if (signs.every((sign) => this.#covered.has(sign))) return;
    for (const sign of signs) this.#covered.add(sign);
    this.#scenarios.push(scenario);
  };

  async write(): Promise<string> {
    const scenarios = [...this.#scenarios, ...withoutABlock(), ...notOfThisOrder()];
    for (const [name, steps] of Object.entries(OVERLAPS))
      scenarios.push(await overlap(name, steps));
    return written(scenarios.map((it, at) => ({ ...it, name: `${at + 1}: ${it.name}` })));
  }
}

/** One step a line. */
function written(scenarios: Scenario[]): string {
  const list = (items: string[], indent: string) =>
    `[\n${items.map((item) => indent + item).join(',\n')}\n${indent.slice(1)}]`;
  const json = (value: unknown) => JSON.stringify(value);
  const texts = scenarios.map(({ name, start, delivers, steps }) => {
    const lines = list(steps.map(json), '   ');
    const head = `"name":${json(name)},"start":${json(start)}`;
    return `{${head}${delivers ? ',"delivers":true' : ''},"steps":${lines}}`;
  });
  const head = `"block":${json(BLOCK)},\n"limitMs":${LIMIT_MS}`;
  return `{\n${head},\n"scenarios":${list(texts, ' ')}\n}\n`;
}

/** `undefined` if calls overlap in a way that a scenario cannot say. */
function scenarioOf(events: TraceEvent[]): Scenario | undefined {
  const stack: Frame[] = [];
  let scenario: Scenario = { name: '', start: null, steps: [] };
  for (const event of events) {
    const frame = stack.at(-1);
    if (event.type === 'delay') return undefined;
    if (event.type === 'begin') {
      stack.push(frameOf(event));
      continue;
    }
    if (!frame || frame.process !== event.process) return undefined;
    if (event.type === 'answer' && !take(frame, event)) return undefined;
    if (event.type === 'end') {
      if (stack.length > 1 || !event.stored) return undefined;
      stack.pop();
      scenario = { name: '', start: JSON.parse(event.stored), steps: [] };
    }
    if (event.type === 'return') {
      if (frame.during.length > 0) return undefined;
      stack.pop();
      const step = finish(frame, event);
      (stack.at(-1)?.during ?? scenario.steps).push(step);
    }
  }
  if (stack.length > 0 || scenario.steps.length === 0) return undefined;
  scenario.name = nameOf(scenario);
  return scenario;
}

function frameOf({ process, call: { ...what }, now }: TraceEvent & { type: 'begin' }): Frame {
  const step = { at: now, ...what, answer: {}, stored: null } as ScenarioStep;
  return { process, step, writes: [], during: [] };
}

/** `false` if a scenario cannot say it. */
function take(frame: Frame, { operation, result, landed, now }: TraceEvent & { type: 'answer' }) {
  if (now !== frame.step.at) return false; // the clock of a step stands still
  const { kind } = operation;
  if (kind === 'list' || kind === 'sleep') return frame.during.length === 0;
  if (kind !== 'read' && kind !== 'write') {
    if (frame.step[kind]) return false; // a scenario says each exchange once
    const exchange: Exchange = {};
    if (kind === 'intent') exchange.asked = { ...operation.price };
    if (kind === 'authorize') {
      const { intentId, keyId } = operation;
      exchange.asked = { intentId, keyId };
    }
    if (kind === 'lookUp') exchange.asked = { intentId: operation.intentId };
    if (kind === 'deliver') {
      const { reference, tries } = operation;
      exchange.asked = { reference, tries };
    }
    if (frame.during.length > 0) exchange.during = frame.during;
    frame.during = [];
    if ('error' in result) exchange.error = errorOf(kind, result.error);
    else exchange.answer = pick(kind, result.value as Json);
    frame.step[kind] = exchange;
    return true;
  }
  if (frame.during.length > 0) return false; // between two looks at the store
  // Another order's value, or a damaged one, stands at the start of a scenario of its own.
  if (kind === 'read') return !('error' in result) && isOwn(result.value);
  if (kind === 'write') {
    const fault = landed ? 'answer_lost' : 'fails';
    frame.writes.push('error' in result ? fault : 'ok');
  }
  return true;
}

const KEY_ERRORS = [
  'encryption_key_expired',
  'unknown_encryption_key',
  'invalid_encryption_block',
] as const;
let errors = 0;

/** Each error in turn: which one it is makes no difference. */
function errorOf(kind: string, error: string): string {
  errors++;
  if (error === 'key_error') return KEY_ERRORS[errors % KEY_ERRORS.length]!;
  return kind === 'authorize' && errors % 2 === 0 ? 'refused' : 'no_answer';
}

function isOwn(value: unknown): boolean {
  if (value === undefined) return true;
  const { value: text } = value as { value: string };
  return text.endsWith('}') && (JSON.parse(text).id ?? ORDER_ID) === ORDER_ID;
}

function pick(kind: string, value: unknown): Json | string | null {
  if (kind === 'lookUp' || kind === 'deliver') return (value as string | undefined) ?? null;
  const whole = value as Json;
  const names =
    kind === 'key'
      ? ['id', 'expires_at']
      : ['id', 'amount', 'currency', 'status', 'failure_reason'];
  return Object.fromEntries(names.map((name) => [name, whole[name]]));
}

function finish({ step, writes }: Frame, { returned, stored }: TraceEvent & { type: 'return' }) {
  if (writes.some((write) => write !== 'ok')) step.store = writes;
  const answer = returned as Json;
  step.answer = answer;
  if (Array.isArray(answer)) return { ...step, stored: storedOf(stored) };
  if (answer.status === 200) step.answer = { ...answer, body: { id: (answer.body as Json).id } };
  step.stored = storedOf(stored);
  return step;
}

function storedOf(stored: string | undefined): Json | null {
  return stored ? withoutToken(JSON.parse(stored)) : null;
}

function withoutToken(stored: Json): Json {
  const { attempt, delivery } = stored as { attempt: Json | null; delivery?: Json | 'done' };
  const claim = delivery && (delivery === 'done' ? delivery : { ...delivery, token: '*' });
  const result = { ...stored, attempt: attempt && { ...attempt, token: '*' } };
  return claim ? { ...result, delivery: claim } : result;
}

const exchangesOf = ({ key, intent, authorize, lookUp, deliver }: ScenarioStep) =>
  Object.entries({ key, intent, authorize, lookUp, deliver }).filter(([, exchange]) => exchange);

/** What makes a step different from others. */
function signOf(step: ScenarioStep, { steps, start }: Scenario): string {
  const at = steps.indexOf(step);
  const before = at > 0 ? (steps[at - 1]!.stored as Json) : start;
  const state = (stored: Json | string | null) =>
    typeof stored === 'string'
      ? []
      : [
          ...[stored?.state, stored?.sent, stored?.keyErrors, (stored?.last as Json)?.status],
          stored?.delivery === 'done' || (stored?.delivery as Json)?.tries,
        ];
  const exchanges = exchangesOf(step).map(([kind, exchange]) => {
    const { answer, error, during = [] } = exchange!;
    const others = during.map((one): unknown => signOf(one, { name: '', start: null, steps: [] }));
    return [kind, KEY_ERRORS.includes(error as never) ? 'key' : error, wordOf(answer), others];
  });
  const { status, last, body, left } = firstOf(step.answer);
  const told = [status, last, left, (body as Json | undefined)?.status];
  return JSON.stringify([
    ...[step.call, step.truth, step.store, state(before), exchanges, told],
    state(step.stored),
  ]);
}

const firstOf = (answer: Json | Json[]): Json =>
  Array.isArray(answer) ? (answer[0] ?? {}) : answer;
const wordOf = (answer: Exchange['answer']) =>
  typeof answer === 'string' ? answer : answer?.status;

function nameOf({ start, steps }: Scenario): string {
  const texts = steps.map(textOf);
  if (start) texts.unshift(`a process has ended in ${(start as Json).state}`);
  return texts.join(', then ');
}

function textOf(step: ScenarioStep): string {
  const parts = exchangesOf(step).map(([kind, exchange]) => {
    const { answer, error, during = [] } = exchange!;
    const meanwhile = during.length > 0 ? ` (meanwhile ${during.map(textOf).join(', ')})` : '';
    return `${kind} ${error ?? wordOf(answer) ?? 'given'}${meanwhile}`;
  });
  if (step.store) parts.push(`writes ${step.store.join(' ')}`);
  const what = parts.length > 0 ? ` with ${parts.join(' and ')}` : '';
  return `${step.call}${step.truth ? ` ${step.truth}` : ''}${what}: ${firstOf(step.answer).status ?? 'nothing'}`;
}

async function overlap(name: string, steps: Step[]): Promise<Scenario> {
  const script = scriptOf(steps);
  const found = await walkReference(script);
  return { name, start: null, steps: script.map((step, i) => withFound(step, found[i]!)) };
}

/** A step with what came of it, and without the requests that were not made. */
function withFound({ key, intent, authorize, ...step }: Step, found: Found): ScenarioStep {
  if (found.unexpected) throw new Error(`Not in the script: ${found.unexpected}`);
  const stored = found.stored && withoutToken(found.stored as unknown as Json);
  const result = { ...step, answer: found.answer as Json, stored } as ScenarioStep;
  for (const [kind, script] of Object.entries({ key, intent, authorize })) {
    const asked = found[kind as 'key' | 'intent' | 'authorize'];
    if (!asked) continue;
    const { during, ...others } = script!;
    result[kind as 'key'] = {
      ...(asked.asked && { asked: asked.asked as Json }),
      ...(during && { during: during.map((one, i) => withFound(one, asked.during![i]!)) }),
      ...(others as Exchange),
    };
  }
  return result;
}

/** A body that is no block is refused in every state, and changes nothing. */
function withoutABlock(): Scenario[] {
  const order = { amount: 1000, currency: 'USD' };
  const at = 1_800_000_000_000;
  const answer = { status: 'invalid_encrypted_card' };
  return [
    { name: 'no block', body: '{"number":"4242424242424242"}' },
    { name: 'no JSON', body: 'x' },
  ].map(({ name, body }) => ({
    name,
    start: null,
    steps: [{ at, call: 'pay' as const, order, body, answer, stored: null }],
  }));
}

/** What a store gives that compares ids without case, or cuts values. Only staff settle the second. */
function notOfThisOrder(): Scenario[] {
  const order = { amount: 1000, currency: 'USD' };
  const at = 1_800_000_000_000;
  const answer = { status: 'not_certain', order: ORDER_ID };
  const key = { id: 'cek_1', ...order, expiresAt: at + 1, block: 'sent', reason: null };
  const paid: Json = {
    ...{ ...order, capture_method: 'automatic', keys: [key], declines: 0, last: null },
    ...{ state: 'paid', paid: 'committed', intentId: 'pi_card_1', sent: true },
    ...{ attempt: null, keyErrors: 0, id: ORDER_ID },
  };
  const another = { ...paid, id: ORDER_ID.toUpperCase() };
  const cut = JSON.stringify(paid).slice(0, 100);
  const asks = (stored: Json | string): ScenarioStep[] => [
    { at, call: 'outcome', answer, stored },
    { at, call: 'pay', order, keyId: 'cek_1', answer, stored },
  ];
  const resolved = { status: 'committed', reference: 'pi_card_1' };
  const repair: ScenarioStep = {
    ...{ at, call: 'resolve', whole: order, intentId: 'pi_card_1', truth: 'committed' },
    ...{ answer: resolved, stored: { ...paid, keys: [] } },
  };
  return [
    { name: "the store gives another order's value", start: another, steps: asks(another) },
    { name: 'the store gives a value that is cut', start: cut, steps: [...asks(cut), repair] },
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const orders = new Orders();
  for (const part of PARTS) {
    const { violation, isComplete } = await explore({
      checkoutOf,
      ...part,
      onRest: (events) => orders.take(events, part.delivers),
    });
    if (violation || !isComplete) throw new Error(`Explored in vain: ${part.name}`);
  }
  writeFileSync(join(import.meta.dirname, 'orders.json'), await orders.write());
}
