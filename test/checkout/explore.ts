/**
 * Explores what can happen to one order, with the shipped code of the checkout: every way in which
 * tabs, processes, faults of network and store, staff and the clock can follow each other, within
 * bounds. A transition is the answer of one operation, the start of a call, or an event outside.
 */
import type { Outcome, Price, StoredOrder } from '../../src/checkout/decide.ts';
import {
  type Answered,
  type Call,
  type CheckoutOf,
  intentResource,
  keyResource,
  LIMIT_MS,
  type Operation,
  ORDER_ID,
  type Result,
  type Step,
  step,
} from './world.ts';

/** How often each of these may happen on one path. */
export interface Bounds {
  keys: number;
  pays: number;
  outcomes: number;
  withdraws: number;
  resolves: number;
  /** Of network and store, ends of processes included. */
  faults: number;
  /** How often the clock passes the limit of an attempt. */
  waits: number;
  /** How often all keys expire. */
  expiries: number;
  /** How often the price of the order changes, there and back. */
  prices: number;
  sweeps: number;
  /** How often a look-up cancels an intent that is `created`. */
  cancels: number;
  /** How often the database damages the stored value, or gives the one of another order. */
  damages: number;
}

interface Process {
  name: string;
  call: Call;
  startedAt: number;
  answers: Answered[];
  /** Stands for the call and its answers so far. */
  history: string;
  operations: Operation[];
  /** Operations that are not answered yet. */
  pending: number[];
  /**
   * The version that the store had, and the time, when the process began to wait for another one.
   * After a failure it waits for nobody.
   */
  asleep?: string;
}

interface Write {
  value: string;
  version: number;
  due: boolean;
}

interface Intent {
  price: Price;
  status: 'created' | 'committed' | 'failed' | 'cancelled';
}

/** A request that is on its way to the service, or was delayed in the network. */
/** A call of `onPaid` that has not come back. */
interface Delivery {
  process: string;
  begunAt: number;
}

interface Request {
  intentId: string;
  process: string;
  /** What the page said, and what the merchant's server said, is to be paid. */
  shown: Price;
  ordered: Price;
}

/** What a scenario of the corpus is made of. */
export type TraceEvent =
  | { type: 'begin'; process: string; call: Call; now: number; stored: string | undefined }
  | {
      type: 'answer';
      process: string;
      operation: Operation;
      result: Result;
      landed: boolean;
      now: number;
    }
  | { type: 'return'; process: string; returned: unknown; stored: string | undefined }
  | { type: 'end'; process: string; stored: string | undefined }
  /** A write is delayed, or a value damaged: no scenario can say it. */
  | { type: 'delay' };

interface Trace {
  event: TraceEvent;
  before: Trace | undefined;
}

interface World {
  now: number;
  price: Price;
  store: Write | undefined;
  lateWrites: Write[];
  intents: Record<string, Intent>;
  requests: Request[];
  /** Keys that a page has. */
  pages: Record<string, { price: Price; expiresAt: number }>;
  lastKey: string | undefined;
  /** Blocks of which the shopper has read that nothing was paid, by the ids of their keys. */
  refused: string[];
  /** Whether the shop knows that its order is given up. */
  isWithdrawalKnown: boolean;
  /** Calls of `onPaid` that are under way, and how often one did its work. */
  deliveries: Delivery[];
  delivered: number;
  /** Whether the value that told of a delivery has been damaged. */
  mayRepeatDelivery: boolean;
  processes: Process[];
  left: Bounds;
  started: number;
  made: number;
  /** What has happened: only for the scenarios of the corpus. The newest comes first. */
  trace: Trace | undefined;
}

/** How a world was reached. The newest comes first. */
interface Path {
  label: string;
  before: Path | undefined;
}

export interface Report {
  states: number;
  transitions: number;
  depth: number;
  /** What did not hold, with the path that leads there. */
  violation?: { rule: string; path: string[] };
  isComplete: boolean;
}

export interface Exploration {
  checkoutOf: CheckoutOf;
  /** Pages that have a key at the beginning, by the place of their price; none. */
  pages?: readonly (0 | 1)[];
  /** Whether the shop has `onPaid`. Default: no. */
  delivers?: boolean;
  bounds: Bounds;
  /** The exploration stops when it has found more states than this. Default: a million. */
  maxStates?: number;
  /** Gets ways to the states in which nothing is on its way, first the shortest. */
  onRest?: (events: TraceEvent[]) => void;
}

const PRICES: Price[] = [
  { amount: 1000, currency: 'USD' },
  { amount: 2000, currency: 'USD' },
];
const KEY_LIFETIME_MS = 900_000;
const BEGIN = 1_800_000_000_000;

class Violation extends Error {}

export async function explore({
  checkoutOf,
  pages = [],
  delivers = false,
  bounds,
  maxStates = 1_000_000,
  onRest,
}: Exploration): Promise<Report> {
  const steps = new Map<string, Step>();
  const ids = new Map<string, string>();
  const seen = new Set<string>();
  const recovered = new Set<string>();
  const report: Report = { states: 0, transitions: 0, depth: 0, isComplete: true };
  const begin: World = {
    now: BEGIN,
    price: PRICES[0]!,
    store: undefined,
    lateWrites: [],
    intents: {},
    requests: [],
    pages: {},
    lastKey: undefined,
    refused: [],
    isWithdrawalKnown: false,
    deliveries: [],
    mayRepeatDelivery: false,
    delivered: 0,
    processes: [],
    left: { ...bounds, keys: pages.length },
    started: 0,
    made: 0,
    trace: undefined,
  };
  for (const price of pages) {
    begin.price = PRICES[price]!;
    await callAlone(begin, 'keys', { call: 'issueKey', order: begin.price });
  }
  begin.left.keys = bounds.keys;
  let path: Path = { label: '', before: undefined };
  let level = [{ world: begin, path }];
  try {
    while (level.length > 0) {
      const next: typeof level = [];
      for (const node of level) {
        path = node.path;
        if (seen.size > maxStates) return { ...report, isComplete: false };
        await assertWayOn(node.world);
        for (const { label, go } of eventsOf(node.world)) {
          const world = structuredCopy(node.world);
          path = { label, before: node.path };
          report.transitions++;
          await go(world);
          const key = keyOf(world);
          if (onRest && world.processes.length === 0) onRest(eventList(world.trace));
          if (!seen.has(key)) {
            seen.add(key);
            next.push({ world, path });
          }
        }
      }
      report.states = seen.size;
      if (next.length > 0) report.depth++;
      level = next;
    }
    return report;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const labels: string[] = [];
    for (let at: Path | undefined = path; at; at = at.before) labels.unshift(at.label);
    return { ...report, violation: { rule: error.message, path: labels } };
  }

  /** Everything that can happen next. */
  function eventsOf(world: World) {
    const events: { label: string; go(world: World): Promise<void> | void }[] = [];
    const add = (label: string, go: (world: World) => Promise<void> | void) =>
      events.push({ label, go });
    const { left } = world;
    const isFaulty = left.faults > 0;

    /** A call that has not read yet might as well begin later: so it begins with its first look. */
    const addCall = (label: string, bound: keyof Bounds, callIn: (w: World) => Call) => {
      if (left[bound] <= 0) return;
      add(label, async (w) => {
        const process = await begins(w, bound, callIn(w));
        const result = { value: bound === 'sweeps' ? listed(w) : w.store };
        await goesOn(w, process, { operation: 0, result, now: w.now });
      });
      if (left.damages > 0 && bound !== 'sweeps')
        add(`${label}, and the store gives another order`, async (w) => {
          w.left.damages--;
          const process = await begins(w, bound, callIn(w));
          await goesOn(w, process, { operation: 0, result: { value: ANOTHER }, now: w.now });
        });
      if (!isFaulty || bound === 'sweeps') return;
      add(`${label}, and cannot read the store`, async (w) => {
        w.left.faults--;
        const process = await begins(w, bound, callIn(w));
        await goesOn(w, process, { operation: 0, result: { error: 'store' }, now: w.now });
      });
    };

    addCall('a page asks for a key', 'keys', (w) => ({ call: 'issueKey', order: w.price }));
    for (const keyId of Object.keys(world.pages))
      addCall(`a page pays under ${keyId}`, 'pays', (w) => ({
        call: 'pay',
        order: w.price,
        keyId,
      }));
    addCall('a page asks for the outcome', 'outcomes', () => ({ call: 'outcome' }));
    addCall('the shop withdraws the order', 'withdraws', (w) => ({
      call: 'withdraw',
      order: w.price,
    }));
    addCall('sweep begins', 'sweeps', () => ({ call: 'sweep' }));
    if (left.resolves > 0)
      for (const intentId of Object.keys(world.intents))
        if (!isDamaged(world)) add(`staff resolve ${intentId}`, (w) => resolves(w, intentId));
    if (left.resolves > 0 && isDamaged(world))
      add('staff settle the damaged order', (w) => repairs(w));
    if (left.damages > 0 && world.store && !isDamaged(world))
      add('the database cuts the value', (w) => {
        w.left.damages--;
        w.store = { ...w.store!, value: w.store!.value.slice(0, 100) };
        w.mayRepeatDelivery = true; // only the value said that onPaid runs, or has run
        note(w, { type: 'delay' });
      });
    if (left.waits > 0)
      add('the limit of an attempt passes', (w) => {
        w.left.waits--;
        w.now += LIMIT_MS + 1;
      });
    if (left.expiries > 0)
      add('all keys expire', (w) => {
        w.left.expiries--;
        w.now += KEY_LIFETIME_MS + 1;
      });
    if (left.prices > 0)
      add('the price changes', (w) => {
        w.left.prices--;
        w.price = w.price.amount === PRICES[0]!.amount ? PRICES[1]! : PRICES[0]!;
      });

    world.lateWrites.forEach((write, at) => {
      add('a delayed write reaches the store', (w) => {
        w.lateWrites.splice(at, 1);
        writeTo(w, write);
      });
    });
    world.requests.forEach((request, at) => {
      if (world.processes.some(({ name }) => name === request.process)) return;
      for (const isApproved of [true, false])
        add(
          `a delayed request for ${request.intentId} is ${isApproved ? 'approved' : 'declined'}`,
          (w) => {
            handle(w, at, isApproved);
          },
        );
    });

    // A key or a draft touches nothing that others see: it may as well come at once.
    const asking = world.processes.findIndex(({ pending, operations }) =>
      pending.some((number) => ['key', 'intent'].includes(operations[number]!.kind)),
    );
    if (asking >= 0) events.length = 0;
    world.processes.forEach((process, at) => {
      if (asking >= 0 && asking !== at) return;
      for (const number of process.pending) {
        const operation = process.operations[number]!;
        const name = `${process.name} ${process.call.call}`;
        for (const [label, isFault, answer] of answersTo(world, process, operation)) {
          if (isFault && !isFaulty) continue;
          add(`${name}: ${operation.kind} ${label}`, async (w) => {
            if (isFault) w.left.faults--;
            const mine = w.processes[at]!;
            const result = answer(w, mine);
            await goesOn(w, mine, { operation: number, result, now: w.now });
          });
        }
      }
      if (isFaulty) add(`the process of ${process.name} ends`, (w) => ends(w, at));
    });
    return events;
  }

  async function begins(world: World, bound: keyof Bounds, call: Call) {
    world.left[bound]--;
    const process: Process = {
      name: `p${++world.started}`,
      call,
      startedAt: world.now,
      answers: [],
      history: `${JSON.stringify(call)} ${world.started} ${world.now}`,
      operations: [],
      pending: [],
    };
    world.processes.push(process);
    const { name, startedAt } = process;
    note(world, { type: 'begin', process: name, call, now: startedAt, stored: world.store?.value });
    await goesOn(world, process);
    return process;
  }

  /** Truthful staff: what they say of an intent is what the service says of it. */
  async function resolves(world: World, intentId: string) {
    const intent = world.intents[intentId]!;
    if (intent.status === 'created') intent.status = 'cancelled';
    const truth = intent.status === 'committed' ? 'committed' : 'not_paid';
    const process = await begins(world, 'resolves', { call: 'resolve', intentId, truth });
    await goesOn(world, process, { operation: 0, result: { value: world.store }, now: world.now });
  }

  /** Staff know every intent of the order from the service's records, and cancel what is open. */
  async function repairs(world: World) {
    const intents = Object.entries(world.intents);
    for (const [, intent] of intents) if (intent.status === 'created') intent.status = 'cancelled';
    const [paid] = intents.find(([, { status }]) => status === 'committed') ?? [];
    const process = await begins(world, 'resolves', {
      call: 'resolve',
      intentId: paid ?? 'pi_card_none',
      truth: paid ? 'committed' : 'not_paid',
      whole: world.price,
    });
    await goesOn(world, process, { operation: 0, result: { value: world.store }, now: world.now });
  }

  /** The process may have written, or not; its request may be on its way, or not. */
  function ends(world: World, at: number) {
    world.left.faults--;
    const [process] = world.processes.splice(at, 1);
    world.deliveries = world.deliveries.filter((one) => one.process !== process!.name);
    note(world, { type: 'end', process: process!.name, stored: world.store?.value });
  }

  async function goesOn(world: World, process: Process, answer?: Answered) {
    if (answer) {
      const { result } = answer;
      const operation = process.operations[answer.operation]!;
      const landed = operation.kind === 'write' && world.store?.value === operation.value;
      const { name } = process;
      note(world, { type: 'answer', process: name, operation, result, landed, now: answer.now });
      process.answers.push(answer);
      process.history = idOf(`${process.history} ${JSON.stringify(answer)}`);
      process.pending = process.pending.filter((number) => number !== answer.operation);
    }
    delete process.asleep;
    const before = process.operations.length;
    const { operations, returned, rejected } = await stepOf(process);
    process.operations = operations;
    for (let number = before; number < operations.length; number++) {
      process.pending.push(number);
      sends(world, process, operations[number]!);
    }
    if (rejected !== undefined && process.call.call !== 'resolve')
      throw new Violation(`${process.call.call} was rejected: ${rejected}`);
    if (returned === undefined && rejected === undefined) return;
    world.processes.splice(world.processes.indexOf(process), 1);
    if (returned === undefined) return;
    const stored = world.store?.value;
    note(world, { type: 'return', process: process.name, returned, stored });
    returns(world, process, returned);
  }

  async function stepOf({ name, call, startedAt, answers, history }: Process): Promise<Step> {
    let known = steps.get(history);
    if (!known) {
      known = await step(checkoutOf, name, call, startedAt, answers, delivers);
      steps.set(history, known);
    }
    return known;
  }

  /** A short name for a long text. */
  function idOf(text: string): string {
    let id = ids.get(text);
    if (!id) {
      id = `#${ids.size}`;
      ids.set(text, id);
    }
    return id;
  }

  /** Two worlds with the same key have the same future. */
  function keyOf(world: World): string {
    const { processes, store, lateWrites, intents, requests, pages, refused, left } = world;
    const { deliveries, delivered, isWithdrawalKnown } = world;
    return [
      idOf(JSON.stringify([store, lateWrites])),
      idOf(JSON.stringify([intents, requests, deliveries, delivered])),
      idOf(JSON.stringify([pages, refused, left, world.price, world.started, world.made])),
      isWithdrawalKnown,
      world.now,
      ...processes.map((p) => `${p.history}${p.asleep}`),
    ].join('|');
  }

  function hasJustFailed({ answers }: Process): boolean {
    const last = answers.at(-1);
    return last !== undefined && 'error' in last.result;
  }

  /** What goes out at once: a request is on its way before it is answered. */
  function sends(world: World, process: Process, operation: Operation) {
    if (operation.kind === 'sleep' && !hasJustFailed(process))
      process.asleep = `${world.store?.version} ${world.now}`;
    if (operation.kind === 'write' && /payload|BwcH/.test(operation.value))
      throw new Violation('The block is stored');
    if (operation.kind === 'write' && operation.version === ANOTHER.version)
      throw new Violation("Another order's value is overwritten");
    if (operation.kind === 'deliver') beginsDelivery(world, process, operation.reference);
    if (operation.kind !== 'authorize' || process.call.call !== 'pay') return;
    if (world.refused.includes(operation.keyId))
      throw new Violation('A block is sent after "You have not paid"');
    if (world.isWithdrawalKnown)
      throw new Violation('A block is sent after its order was withdrawn');
    world.requests.push({
      intentId: operation.intentId,
      process: process.name,
      shown: world.pages[operation.keyId]!.price,
      ordered: process.call.order,
    });
  }

  function cancels(world: World, intentId: string): string {
    const intent = world.intents[intentId]!;
    world.left.cancels--;
    if (intent.status === 'created') intent.status = 'cancelled';
    return intent.status;
  }

  function beginsDelivery(world: World, process: Process, reference: string) {
    if (world.intents[reference]?.status !== 'committed')
      throw new Violation('Delivered, and not charged');
    const isTwice = world.deliveries.some(({ begunAt }) => begunAt === world.now);
    if (isTwice && !world.mayRepeatDelivery) throw new Violation('onPaid runs twice at once');
    const { delivery } = JSON.parse(world.store!.value) as StoredOrder;
    if (delivery === 'done') throw new Violation('Delivered again after it was done');
    if (delivery && delivery.until < world.now)
      throw new Violation('Delivered after the claim was over');
    world.deliveries.push({ process: process.name, begunAt: world.now });
  }

  /** `onPaid` does its work, and comes back or throws. */
  function endsDelivery(world: World, process: Process, works: boolean) {
    world.deliveries = world.deliveries.filter((one) => one.process !== process.name);
    if (!works) return;
    world.delivered++;
    const isSmooth = world.left.faults === bounds.faults && world.left.waits === bounds.waits;
    if (world.mayRepeatDelivery) return;
    if (world.delivered > 1 && isSmooth) throw new Violation('Delivered twice without a reason');
  }

  /** A way to answer an operation: what to call it, whether it is a fault, and what it does. */
  type Answer = [string, boolean, (world: World, process: Process) => Result];

  function answersTo(world: World, process: Process, operation: Operation): Answer[] {
    switch (operation.kind) {
      case 'read':
        return [
          ['is answered', false, (w) => ({ value: w.store })],
          ['fails', true, () => ({ error: 'store' })],
        ];
      case 'write': {
        const { value, version, due } = operation;
        const write = { value, version, due };
        return [
          ['is answered', false, (w) => ({ value: writeTo(w, write) })],
          ['fails', true, () => ({ error: 'store' })],
          [
            'is done, and its answer is lost',
            true,
            (w) => {
              writeTo(w, write);
              return { error: 'store' };
            },
          ],
          [
            'is delayed',
            true,
            (w) => {
              w.lateWrites.push(write);
              note(w, { type: 'delay' });
              return { error: 'store' };
            },
          ],
        ];
      }
      case 'sleep': {
        const isChanged = process.asleep !== `${world.store?.version} ${world.now}`;
        return isChanged ? [['is over', false, () => ({ value: undefined })]] : [];
      }
      case 'key':
        return [
          [
            'is answered',
            false,
            (w) => {
              w.lastKey = `cek_${++w.made}`;
              return { value: keyResource(w.lastKey, w.now + KEY_LIFETIME_MS) };
            },
          ],
          ...(world.lastKey
            ? ([
                [
                  'is answered with the key of before',
                  true,
                  (w) => ({ value: keyResource(w.lastKey!, w.now + KEY_LIFETIME_MS) }),
                ],
              ] as Answer[])
            : []),
          ['fails', true, () => ({ error: 'unclear' })],
        ];
      case 'intent': {
        const make = (w: World, price: Price) => {
          const id = `pi_card_${++w.made}`;
          w.intents[id] = { price, status: 'created' };
          return { value: intentResource(id, price, 'created') };
        };
        const other = PRICES.find(({ amount }) => amount !== operation.price.amount)!;
        return [
          ['is answered', false, (w) => make(w, operation.price)],
          ['is answered with another price', true, (w) => make(w, other)],
          ['fails', true, () => ({ error: 'unclear' })],
        ];
      }
      case 'authorize':
        return authorizations(operation.intentId);
      case 'list':
        return [['is answered', false, (w) => ({ value: listed(w) })]];
      case 'lookUp': {
        const says = (word: string) => (): Result => ({ value: word });
        const { intentId } = operation;
        return [
          ['says what is true', false, (w) => ({ value: w.intents[intentId]!.status })],
          ...(world.left.cancels > 0
            ? ([
                ['cancels what is created', false, (w) => ({ value: cancels(w, intentId) })],
              ] as Answer[])
            : []),
          ['fails', true, () => ({ error: 'unclear' })],
          ['says a word that is unknown', true, says('unknown')],
        ];
      }
      case 'deliver':
        return [
          [
            'is done',
            false,
            (w, p) => {
              endsDelivery(w, p, true);
              return { value: undefined };
            },
          ],
          [
            'throws before its work',
            true,
            (w, p) => {
              endsDelivery(w, p, false);
              return { error: 'store' };
            },
          ],
          [
            'throws after its work',
            true,
            (w, p) => {
              endsDelivery(w, p, true);
              return { error: 'store' };
            },
          ],
        ];
    }
  }

  function authorizations(intentId: string): Answer[] {
    const at = (w: World, p: Process) => w.requests.findIndex((r) => r.process === p.name);
    const truth = (w: World): Result => {
      const { price, status } = w.intents[intentId]!;
      return { value: intentResource(intentId, price, status) };
    };
    const claim = (id: string, price: Partial<Price>, status: string) => (w: World) => ({
      value: intentResource(id, { ...w.intents[intentId]!.price, ...price }, status),
    });
    /** What a proxy can make of an answer. */
    const replaced: [string, (w: World) => Result][] = [
      ['no answer', () => ({ error: 'unclear' })],
      ['a key error', () => ({ error: 'key_error' })],
      ['the decline of another intent', claim('pi_card_other', {}, 'failed')],
      ['the success of another intent', claim('pi_card_other', {}, 'committed')],
      ['a decline of another amount', claim(intentId, { amount: 5 }, 'failed')],
      ['a decline in another currency', claim(intentId, { currency: 'EUR' }, 'failed')],
      ['an unknown status', claim(intentId, {}, 'created')],
    ];
    const approve = (w: World, p: Process) => handle(w, at(w, p), true);
    const decline = (w: World, p: Process) => handle(w, at(w, p), false);
    const delay = (w: World, p: Process) => {
      w.requests[at(w, p)]!.process = 'network';
    };
    const refuse = (w: World, p: Process) => {
      w.requests.splice(at(w, p), 1);
    };
    const answers: Answer[] = [];
    for (const [label, handling] of [
      ['is approved', approve],
      ['is declined', decline],
    ] as const)
      answers.push([
        label,
        false,
        // An intent that was settled before is answered with an error: nobody knows with which.
        (w, p) => (handling(w, p) ? truth(w) : { error: 'unclear' }),
      ]);
    for (const [label, handling] of [
      ['is approved', approve],
      ['is declined', decline],
      ['is delayed', delay],
      ['is refused', refuse],
    ] as const)
      for (const [text, answer] of replaced)
        answers.push([
          `${label}, and the answer is ${text}`,
          true,
          (w, p) => {
            handling(w, p);
            return answer(w);
          },
        ]);
    return answers;
  }

  /** The service handles one request after the other; only the first that is approved charges. */
  function handle(world: World, at: number, isApproved: boolean): boolean {
    const [request] = world.requests.splice(at, 1);
    const { intentId, shown, ordered } = request!;
    const intent = world.intents[intentId]!;
    if (intent.status !== 'created') return false;
    intent.status = isApproved ? 'committed' : 'failed';
    if (!isApproved) return true;
    if (charges(world) > 1) throw new Violation('Charged twice');
    for (const price of [shown, ordered])
      if (price.amount !== intent.price.amount) throw new Violation('Charged another amount');
    return true;
  }

  function returns(world: World, { call }: Process, returned: unknown) {
    const chargeable = isChargeable(world);
    if (call.call === 'issueKey') {
      const answer = returned as { status: number; body: { id: string } & Outcome; last?: string };
      if (answer.status === 200) {
        const { id } = answer.body;
        const expiresAt = world.now + KEY_LIFETIME_MS;
        world.pages[id] ??= { price: call.order, expiresAt };
        if (!answer.last && chargeable) throw new Violation('A form, as if nothing were sent');
      }
      if (answer.status === 409) checkOutcome(world, answer.body, chargeable);
      return;
    }
    if (call.call === 'sweep') return;
    const outcome = returned as Outcome;
    checkOutcome(world, outcome, chargeable);
    if (call.call === 'withdraw' && outcome.status === 'no_order') {
      if (chargeable) throw new Violation('Withdrawn, and perhaps charged');
      world.isWithdrawalKnown = true;
    }
    if (call.call !== 'pay') return;
    if (outcome.status === 'not_paid' || outcome.status === 'failed')
      world.refused.push(call.keyId);
    isNeedless(world, outcome, call.keyId);
  }

  /** What the shopper reads is true. */
  function checkOutcome(world: World, outcome: Outcome, chargeable: boolean) {
    switch (outcome.status) {
      case 'committed':
      case 'authorized':
        if (world.intents[outcome.reference]?.status !== 'committed')
          throw new Violation('"You have paid" is not true');
        return;
      case 'failed':
      case 'not_paid':
        if (chargeable) throw new Violation('"You have not paid" is not certain');
        return;
      case 'open':
        if (!outcome.last && chargeable) throw new Violation('A form, as if nothing were sent');
    }
  }

  /** Where nothing went wrong, nobody reads that it is not certain. */
  function isNeedless(world: World, outcome: Outcome, keyId: string) {
    const isSmooth = world.left.faults === bounds.faults && world.left.resolves === bounds.resolves;
    if (world.left.damages !== bounds.damages || world.left.sweeps !== bounds.sweeps) return;
    const isPatient = world.left.waits === bounds.waits && world.left.expiries === bounds.expiries;
    if (!isSmooth || !isPatient || !(keyId in world.pages)) return;
    if (outcome.status === 'not_certain' || outcome.status === 'no_order')
      throw new Violation('"Not certain" without a reason');
  }

  /** Nobody is stuck: with staff who look at the intent, each order can be paid, once. */
  async function assertWayOn(world: World) {
    // Nobody needs to pay it, also if the shop has not got the answer.
    if (world.processes.length > 0 || isWithdrawn(world)) return;
    const statuses = Object.entries(world.intents).map(([id, { status }]) => id + status);
    const key = JSON.stringify([
      ...[world.store?.value, statuses, world.price, world.lateWrites, world.delivered],
    ]);
    if (recovered.has(key)) return;
    recovered.add(key);
    const copy = structuredCopy(world);
    copy.left = { ...bounds, keys: 9, pays: 9, outcomes: 9, resolves: 9, sweeps: 9, faults: 0 };
    copy.now += 2 * 3_600_000; // longer than any attempt and any claim
    const call = (bound: keyof Bounds, what: Call) => callAlone(copy, bound, what);
    if (bounds.sweeps > 0 && !isDamaged(world)) await assertSwept(structuredCopy(copy));
    for (let turn = 0; turn < 3; turn++) {
      const outcome = (await call('outcomes', { call: 'outcome' })) as Outcome;
      if (outcome.status === 'committed') break;
      if (isDamaged(copy)) {
        await repairs(copy);
        await endAlone(copy, copy.processes[0]!);
        continue;
      }
      const stored = copy.store && (JSON.parse(copy.store.value) as StoredOrder);
      const order = copy.price;
      const key = (await call('keys', { call: 'issueKey', order })) as {
        status: number;
        body: { id: string };
      };
      if (key.status === 200) {
        await call('pays', { call: 'pay', order, keyId: key.body.id });
      } else if (stored?.intentId) {
        const { intentId } = stored;
        const intent = copy.intents[intentId]!;
        if (intent.status === 'created') intent.status = 'cancelled';
        const truth = intent.status === 'committed' ? 'committed' : 'not_paid';
        await call('resolves', { call: 'resolve', intentId, truth });
      }
    }
    if (charges(copy) !== 1) throw new Violation('The order cannot be paid any more');
    const last = (await call('outcomes', { call: 'outcome' })) as Outcome;
    if (last.status !== 'committed') throw new Violation('Nobody learns that the order is paid');
    assertDelivered(copy);
  }

  function assertDelivered({ delivered }: World) {
    if (delivers && delivered === 0) throw new Violation('Paid, and never delivered');
  }

  /** The shopper does not come back: sweep finds what was charged, and delivers it. */
  async function assertSwept(copy: World) {
    if (charges(copy) === 0) return;
    await callAlone(copy, 'sweeps', { call: 'sweep' });
    const { state } = JSON.parse(copy.store!.value) as StoredOrder;
    if (state !== 'paid') throw new Violation('Charged, and sweep does not find it');
    assertDelivered(copy);
  }

  /** Runs a call to its end, without faults and with nobody else there. Cards are approved. */
  async function callAlone(world: World, bound: keyof Bounds, what: Call): Promise<unknown> {
    return endAlone(world, await begins(world, bound, what));
  }

  async function endAlone(world: World, process: Process): Promise<unknown> {
    for (let turn = 0; world.processes.length > 0; turn++) {
      const number = process.pending[0];
      if (number === undefined || turn > 50) throw new Violation('A call does not end');
      const operation = process.operations[number]!;
      const [, , answer] = answersTo(world, process, operation)[0] ?? [];
      if (answer) {
        const answered = { operation: number, result: answer(world, process), now: world.now };
        await goesOn(world, process, answered);
      } else world.now += LIMIT_MS; // it sleeps
    }
    return (await stepOf(process)).returned;
  }
}

function eventList(trace: Trace | undefined): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (let at = trace; at; at = at.before) events.unshift(at.event);
  return events;
}

function note(world: World, event: TraceEvent) {
  world.trace = { event, before: world.trace };
}

function writeTo(world: World, { value, version, due }: Write): boolean {
  if ((world.store?.version ?? 0) !== version) return false;
  world.store = { value, version: version + 1, due };
  return true;
}

function listed({ store }: World) {
  return store?.due ? [{ orderId: ORDER_ID, value: store.value, version: store.version }] : [];
}

/** What a store gives that compares ids without case: another order, which is paid. */
const ANOTHER = {
  version: 99,
  value: JSON.stringify({
    ...{ id: ORDER_ID.toUpperCase(), state: 'paid', paid: 'committed', intentId: 'pi_card_other' },
    ...{ ...PRICES[0], sent: true, attempt: null, keyErrors: 0, keys: [] },
  }),
};

function isDamaged({ store }: World): boolean {
  return store !== undefined && !store.value.endsWith('}');
}

function isWithdrawn(world: World): boolean {
  if (!world.store || isDamaged(world)) return false;
  return (JSON.parse(world.store.value) as StoredOrder).state === 'withdrawn';
}

function charges(world: World): number {
  return Object.values(world.intents).filter(({ status }) => status === 'committed').length;
}

/** Whether the order was charged, or may still be by what was sent. */
function isChargeable(world: World): boolean {
  const mayCharge = world.requests.some((r) => world.intents[r.intentId]!.status === 'created');
  return mayCharge || charges(world) > 0;
}

/** A copy that shares what never changes. */
function structuredCopy(world: World): World {
  return {
    ...world,
    lateWrites: [...world.lateWrites],
    intents: Object.fromEntries(Object.entries(world.intents).map(([id, one]) => [id, { ...one }])),
    requests: world.requests.map((request) => ({ ...request })),
    pages: { ...world.pages },
    refused: [...world.refused],
    deliveries: [...world.deliveries],
    processes: world.processes.map((process) => ({
      ...process,
      answers: [...process.answers],
      pending: [...process.pending],
    })),
    left: { ...world.left },
  };
}
