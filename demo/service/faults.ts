/**
 * What goes wrong on the way to the service, on demand: a proxy in front of the service spoils the
 * requests to authorize. It is for tests of a merchant's server: whatever happens, an order is paid
 * at most once, and the shopper is told the truth.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorBody } from './errors.ts';

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
  /** The connection ends in the middle of the body. */
  isCutShort?: boolean;
}

/** What a fault can do with a request to authorize. */
interface Way {
  /** Sends it to the service, as often as it is called. */
  send(options?: { withoutIdempotencyKey?: boolean }): Promise<Answer>;
  /** Waits longer than merchants do. */
  wait(): Promise<void>;
}

interface Fault {
  /** In one line. */
  what: string;
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

/** The service has done its work, and an intent comes back that is not quite the one it sent. */
const answerOther = (changes: object): Fault['answer'] =>
  answerOnce((answer) => ({
    ...answer,
    body: JSON.stringify({ ...JSON.parse(answer.body), ...changes }),
  }));

/**
 * By name. `before-...`: when it happens, the service has not got the request. `after-...`: the
 * service has got it, and has charged the card if it approves it.
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
    answer: answerOnce(() => ({
      ...error(422, 'encryption_key_expired'),
      body: JSON.stringify(errorBody('encryption_key_expired')),
    })),
  },
  'after-html': {
    what: 'the answer is an HTML page with status 200',
    answer: answerOnce(() => ({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<!doctype html><title>Log in to this network</title>',
    })),
  },
  'after-other-status': {
    what: 'the answer has a status that the specification does not show',
    answer: answerOther({ status: 'processing' }),
  },
  'after-other-amount': {
    what: 'the answer has another amount',
    answer: answerOther({ amount: 1, amount_captured: 1 }),
  },
  'after-other-currency': {
    what: 'the answer has another currency',
    answer: answerOther({ currency: 'CHF' }),
  },
  'after-other-id': {
    what: 'the answer is about another intent',
    answer: answerOther({ id: `pi_card_${'0'.repeat(24)}` }),
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);

function error(status: number, code: string): Answer {
  const message = 'The sandbox was told to answer with this error.';
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: { code, message } }),
  };
}

export interface FaultProxyOptions {
  /** The address of the service. */
  target: string;
  /** On the loopback interface; 0, the default, takes one that is free. */
  port?: number;
  /** How long the slow faults wait, in milliseconds; a minute. */
  slowMs?: number;
  /** Is told of each request that goes wrong. */
  onFault?: (name: FaultName) => void;
}

export interface FaultProxy {
  address: string;
  /**
   * What goes wrong from now on; `undefined`: nothing.
   *
   * @param times - How many requests to authorize go wrong, before they pass again; by default all.
   */
  setFault(name: FaultName | undefined, times?: number): void;
  /** How many requests to authorize have come. */
  authorizations(): number;
  /** Resolves when nothing is under way, what the merchant no longer waits for included. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Forwards everything to the service and back, and spoils authorize requests on demand. */
export async function startFaultProxy({
  target,
  port = 0,
  slowMs = 60_000,
  onFault = () => {},
}: FaultProxyOptions): Promise<FaultProxy> {
  let fault: FaultName | undefined;
  let timesLeft = 0;
  let authorizations = 0;
  const underWay = new Set<Promise<void>>();

  const server = createServer((incoming, outgoing) => {
    const isAuthorization = incoming.method === 'POST' && incoming.url!.endsWith('/authorize');
    if (isAuthorization) authorizations += 1;
    if (!isAuthorization || !fault || timesLeft === 0) return passOn(incoming, outgoing, target);
    timesLeft -= 1;
    onFault(fault);
    // Whatever fails behind the proxy, the merchant sees a connection that ends
    const spoilt = spoil(FAULTS[fault], incoming, outgoing, { target, slowMs })
      .catch(() => void incoming.socket.destroy())
      .finally(() => underWay.delete(spoilt));
    underWay.add(spoilt);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFault(name, times = Number.POSITIVE_INFINITY) {
      fault = name;
      timesLeft = times;
    },
    authorizations: () => authorizations,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: string) {
  const cut = () => void incoming.socket.destroy();
  const sent = ask(target, incoming, (answer) => {
    outgoing.writeHead(answer.statusCode!, endToEnd(answer.headers));
    answer.on('error', cut).pipe(outgoing);
  });
  outgoing.on('close', () => sent.destroy()); // also if the merchant has given up
  incoming.pipe(sent.on('error', cut));
}

async function spoil(
  fault: Fault,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, slowMs }: { target: string; slowMs: number },
) {
  const body = await textOf(incoming);
  const way: Way = {
    async send({ withoutIdempotencyKey = false } = {}) {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = ask(target, incoming, resolve).on('error', reject);
        if (withoutIdempotencyKey) sent.removeHeader('idempotency-key');
        sent.end(body);
      });
      const { statusCode, headers } = answer;
      return { status: statusCode!, headers, body: await textOf(answer) };
    },
    // Without keeping the process from ending
    wait: () => new Promise((resolve) => setTimeout(resolve, slowMs).unref()),
  };
  const answer = await fault.answer(way);
  if (!answer) return void incoming.socket.destroy();
  const bytes = Buffer.from(answer.body);
  outgoing.writeHead(answer.status, {
    ...endToEnd(answer.headers),
    'content-length': bytes.length,
  });
  if (!answer.isCutShort) return void outgoing.end(bytes);
  outgoing.write(bytes.subarray(0, bytes.length / 2), () => incoming.socket.destroy());
}

/** The same request at the service, with its body still to be written. */
function ask(
  target: string,
  { method, url, headers }: IncomingMessage,
  onAnswer: (answer: IncomingMessage) => void,
) {
  const options = { method: method!, headers: endToEnd(headers), agent: false } as const;
  return request(`${target}${url}`, options, onAnswer);
}

/** Without the headers that are about one connection (RFC 9110, 7.6.1). */
function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
