/**
 * What goes wrong on the way to the service, on demand: the server hands a request to a fault
 * before the service sees it. It is for tests of a merchant's server: whatever happens, an order is
 * paid at most once, and the shopper is told the truth.
 */
import type {
  IncomingMessage,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from 'node:http';
import { errorBody } from './errors.ts';

/** The requests that can go wrong. */
export const OPERATIONS = ['keys', 'create', 'authorize'] as const;
export type Operation = (typeof OPERATIONS)[number];

interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
  /** The connection ends in the middle of the body. */
  isCutShort?: boolean;
}

/** What a fault can do with a request. */
interface Way {
  /** Sends it to the service, as often as it is called. */
  send(options?: { withoutIdempotencyKey?: boolean }): Promise<Answer>;
  /** Waits longer than merchants do. */
  wait(): Promise<void>;
}

interface Fault {
  /** In one line. */
  what: string;
  /** The requests that it is for; all of them. */
  only?: readonly Operation[];
  /** What the merchant gets; `undefined` if the connection is cut. */
  answer(way: Way): Promise<Answer | undefined>;
}

const answerOnce =
  (make: (answer: Answer) => Answer): Fault['answer'] =>
  async ({ send }) =>
    make(await send());

/** The service has done its work, and an error comes back. */
const answerError = (status: number, code: string): Fault['answer'] =>
  answerOnce(() => error(status, code));

/** The service has done its work, and what comes back is not quite what it sent. */
const answerOther = (changes: object): Fault['answer'] =>
  answerOnce((answer) => {
    if (answer.status >= 300) return answer; // an error has nothing to change
    const body = JSON.stringify({ ...JSON.parse(String(answer.body)), ...changes });
    return { ...answer, body: Buffer.from(body) };
  });

const ABOUT_INTENTS = ['create', 'authorize'] as const;

/**
 * By name. `before-...`: when it happens, the service has not got the request. `after-...`: the
 * service has got it, and has done what it asks for.
 */
export const FAULTS = {
  replay: {
    what: 'the request arrives twice, one after the other; the second answer comes back',
    async answer({ send }) {
      await send();
      return send();
    },
  },
  'replay-without-key': {
    what: 'the same, without Idempotency-Key',
    async answer({ send }) {
      await send({ withoutIdempotencyKey: true });
      return send({ withoutIdempotencyKey: true });
    },
  },
  'twice-at-once': {
    what: 'the request arrives twice at the same time; the answer that is an error comes back',
    async answer({ send }) {
      const answers = await Promise.all([send(), send()]);
      return answers.find(({ status }) => status >= 400) ?? answers[1];
    },
  },
  'before-drop': {
    what: 'the connection is cut',
    answer: async () => undefined,
  },
  'before-503': {
    what: 'the answer is 503',
    answer: async () => error(503, 'service_unavailable'),
  },
  'before-slow': {
    what: 'the request arrives after a minute, when the merchant has given up',
    async answer({ send, wait }) {
      await wait();
      return send();
    },
  },
  'after-drop': {
    what: 'the connection is cut, without an answer',
    async answer({ send }) {
      await send();
      return undefined;
    },
  },
  'after-half': {
    what: 'the connection is cut in the middle of the answer',
    answer: answerOnce((answer) => ({ ...answer, isCutShort: true })),
  },
  'after-slow': {
    what: 'the answer comes after a minute, when the merchant has given up',
    async answer({ send, wait }) {
      const answer = await send();
      await wait();
      return answer;
    },
  },
  'after-404': { what: 'the answer is 404', answer: answerError(404, 'not_found') },
  'after-408': { what: 'the answer is 408', answer: answerError(408, 'request_timeout') },
  'after-429': { what: 'the answer is 429', answer: answerError(429, 'too_many_requests') },
  'after-503': { what: 'the answer is 503', answer: answerError(503, 'service_unavailable') },
  'after-key-expired': {
    what: 'the answer is encryption_key_expired',
    only: ['authorize'],
    answer: answerOnce(() => ({
      ...error(422, 'encryption_key_expired'),
      body: Buffer.from(JSON.stringify(errorBody('encryption_key_expired'))),
    })),
  },
  'after-html': {
    what: 'the answer is an HTML page with status 200',
    answer: answerOnce(() => ({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from('<!doctype html><title>Log in to this network</title>'),
    })),
  },
  'after-other-status': {
    what: 'the answer has a status that the specification does not show',
    only: ABOUT_INTENTS,
    answer: answerOther({ status: 'processing' }),
  },
  'after-other-amount': {
    what: 'the answer has another amount',
    only: ABOUT_INTENTS,
    answer: answerOther({ amount: 1, amount_captured: 1 }),
  },
  'after-other-currency': {
    what: 'the answer has another currency',
    only: ABOUT_INTENTS,
    answer: answerOther({ currency: 'CHF' }),
  },
  'after-other-id': {
    what: 'the answer is about another intent',
    only: ABOUT_INTENTS,
    answer: answerOther({ id: `pi_card_${'0'.repeat(24)}` }),
  },
  'after-other-scheme': {
    what: 'the answer has another scheme',
    only: ['keys'],
    answer: answerOther({ scheme: 'RSA_OAEP_SHA512_V2' }),
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

/** Whether a fault is for a kind of request. */
export function isFaultOf(operation: Operation, name: FaultName): boolean {
  const { only }: Fault = FAULTS[name];
  return only === undefined || only.includes(operation);
}

/** The kind of request that a path and a method stand for, if it can go wrong. */
function operationOf({ method, url = '' }: IncomingMessage): Operation | undefined {
  if (method !== 'POST') return;
  const path = url.split('?')[0]!;
  if (path === '/payments/card/encryption-keys') return 'keys';
  if (path === '/payments/card') return 'create';
  return /^\/payments\/card\/[^/]+\/authorize$/.test(path) ? 'authorize' : undefined;
}

function error(status: number, code: string): Answer {
  const message = 'The sandbox was told to answer with this error.';
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify({ error: { code, message } })),
  };
}

/** The header of a request that names its fault. */
export const FAULT_HEADER = 'sandbox-fault';

/** A fault that waits for requests. */
export interface Armed {
  fault: FaultName;
  /** How many requests go wrong before they pass again; `null`: all. */
  times: number | null;
  /** How long a slow fault waits, in milliseconds. */
  slow_ms: number;
}

export type ArmedFaults = Record<Operation, Armed | null>;

/** Takes the request to the service. The service does not see the way of the answer. */
export type Inject = (request: {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  payload?: Buffer;
  remoteAddress: string;
}) => Promise<{ statusCode: number; headers: OutgoingHttpHeaders; rawPayload: Buffer }>;

export interface Faults {
  armed(): ArmedFaults;
  /** `null`: these requests pass. */
  arm(operation: Operation, armed: Armed | null): void;
  clear(): void;
  /** In front of the listener that serves a request. */
  listen(listener: RequestListener, inject: Inject): RequestListener;
  /** Resolves when nothing is under way, what the merchant no longer waits for included. */
  idle(): Promise<void>;
}

export interface FaultsOptions {
  /** How long a slow fault waits if the request names it, in milliseconds. */
  slowMs: number;
  /** Is told of each request that goes wrong. */
  onFault: (operation: Operation, name: FaultName) => void;
}

export function createFaults({ slowMs, onFault }: FaultsOptions): Faults {
  let faults: ArmedFaults = { keys: null, create: null, authorize: null };
  const underWay = new Set<Promise<void>>();

  return {
    armed: () => faults,
    arm(operation, armed) {
      faults = { ...faults, [operation]: armed };
    },
    clear() {
      faults = { keys: null, create: null, authorize: null };
    },
    listen: (listener, inject) => (incoming, outgoing) => {
      const operation = operationOf(incoming);
      const isNamed = incoming.headers[FAULT_HEADER] !== undefined;
      const next = operation && (isNamed ? named(incoming, operation) : takeArmed(operation));
      if (!next) return listener(incoming, outgoing);
      onFault(operation, next.fault);
      // Whatever fails behind it, the merchant sees a connection that ends
      const spoilt = spoil(FAULTS[next.fault], incoming, outgoing, { inject, slowMs: next.slow_ms })
        .catch(() => void incoming.socket.destroy())
        .finally(() => underWay.delete(spoilt));
      underWay.add(spoilt);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };

  function named({ headers }: IncomingMessage, operation: Operation): Armed | undefined {
    const fault = headers[FAULT_HEADER];
    // The service refuses any other name
    if (typeof fault !== 'string' || !isFaultName(fault) || !isFaultOf(operation, fault)) return;
    return { fault, times: 1, slow_ms: slowMs };
  }

  function takeArmed(operation: Operation): Armed | null {
    const armed = faults[operation];
    if (armed?.times) {
      const times = armed.times - 1;
      faults = { ...faults, [operation]: times > 0 ? { ...armed, times } : null };
    }
    return armed;
  }
}

async function spoil(
  fault: Fault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { inject, slowMs }: { inject: Inject; slowMs: number },
) {
  const { method, url, socket } = incoming;
  const { remoteAddress = '' } = socket;
  const payload = await bytesOf(incoming);
  const way: Way = {
    async send({ withoutIdempotencyKey = false } = {}) {
      const headers = endToEnd(incoming.headers);
      if (withoutIdempotencyKey) delete headers['idempotency-key'];
      const request = { method: method!, url: url!, headers, remoteAddress };
      const answer = await inject(payload.length > 0 ? { ...request, payload } : request);
      const { statusCode, headers: answered, rawPayload } = answer;
      return { status: statusCode, headers: answered, body: rawPayload };
    },
    // Without keeping the process from ending
    wait: () => new Promise((resolve) => setTimeout(resolve, slowMs).unref()),
  };
  const answer = await fault.answer(way);
  if (!answer) return void socket.destroy();
  const { status, body } = answer;
  outgoing.writeHead(status, { ...endToEnd(answer.headers), 'content-length': body.length });
  if (!answer.isCutShort) return void outgoing.end(body);
  outgoing.write(body.subarray(0, body.length / 2), () => socket.destroy());
}

/** Without the headers that are about one connection (RFC 9110, 7.6.1), or name the fault. */
function endToEnd<T extends OutgoingHttpHeaders>(headers: T): T {
  const copy = { ...headers };
  for (const name of [...HOP_BY_HOP, FAULT_HEADER]) delete copy[name];
  return copy;
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect'];

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
