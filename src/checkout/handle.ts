import { type CheckoutCalls, type Order, readOrder } from './checkout.ts';
import type { Outcome } from './decide.ts';
import { describe, quoted } from './log.ts';
import { type Body, isForm, type Parts, partsOf, type ServerRequest } from './request-parts.ts';

/** Options for `checkout.handle`. */
export interface HandleOptions {
  /**
   * Where a browser goes that has submitted the form natively. Default: the page that it comes
   * from, or `/`.
   */
  page?: string | undefined;
  /**
   * The address of the client, as your own outermost proxy saw it. One sender cannot use up what
   * others need. Absent: there is no limit by sender.
   */
  sender?: string | undefined;
}

/** Options for `checkout.node`. */
export interface NodeOptions<Request> {
  /** As in {@link HandleOptions}. */
  page?: string | undefined;
  /** Reads the address of the client from a request. As `sender` in {@link HandleOptions}. */
  senderOf?: ((request: Request) => string | undefined) | undefined;
}

/** A response of `http` or Express. */
export interface NodeResponse {
  /** Whether something else has answered already, such as a time limit. Then nothing is sent. */
  readonly headersSent?: boolean;
  /** Called once. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Called once, after it. */
  end(body: string): unknown;
}

/** One address for everything that a page asks. */
export interface Handler {
  /**
   * Answers a request of a page: `GET` gets the outcome, `POST` without a body a key, and `POST`
   * with a block pays. Each answer is JSON with a `status` and `Cache-Control: no-store`. A form
   * that the browser has submitted natively is answered with 303, unless it is refused: 400 if its
   * body breaks off, 403, 413 or 500.
   *
   * @param request - A `Request`, or the request of `http`, Express or Fastify, or Koa's context.
   * No parser may have read its body, except as text, or the fields of a form.
   * @param order - The order in the shopper's session; `undefined` if there is none. Begin an order
   * only for a `GET`, or when the page is rendered: a payment of an order that is gone must not
   * become one of a new order.
   * @param options - Where a native submit leads, and who asks.
   * @returns A `Response`, whatever the browser sends.
   * @throws TypeError if `order` is not an order, or StoreContractError if a key is requested and
   * the store breaks its contract.
   */
  handle(
    request: ServerRequest,
    order: Order | undefined,
    options?: HandleOptions,
  ): Promise<Response>;

  /**
   * The same as a handler for `http` and Express, which do not send a `Response`.
   *
   * @param orderOf - Finds the order in the shopper's session, as {@link Handler.handle} needs it.
   * @param options - Where a native submit leads, and how to tell who asks.
   * @returns The handler. It never rejects. An error of `orderOf`, or of sending, goes to Express,
   * or else, by its name and code, into the log: its message may repeat what was posted. If
   * something else has answered already, nothing is sent.
   */
  node<Request extends ServerRequest>(
    orderOf: (request: Request) => Order | undefined | Promise<Order | undefined>,
    options?: NodeOptions<Request>,
  ): (request: Request, response: NodeResponse, next?: (error: unknown) => void) => Promise<void>;
}

/** @param log - Gets a line for each request that shows a fault of the server. */
export function handlerOf(checkout: CheckoutCalls, log: (line: string) => void): Handler {
  return { handle, node };

  async function handle(
    request: ServerRequest,
    orderOfSession: Order | undefined,
    options: HandleOptions = {},
  ): Promise<Response> {
    const parts = partsOf(request);
    const order = orderOfSession && readOrder(orderOfSession);
    switch (parts.method) {
      case 'GET':
      case 'HEAD':
        if (!order) return json(404, { status: 'no_order' });
        return json(200, await checkout.outcome(order.id));
      case 'POST':
        return onPost(parts, order, options);
      default:
        return json(405, { status: 'method' }, { allow: 'GET, HEAD, POST' });
    }
  }

  async function onPost(
    request: Parts,
    order: Order | undefined,
    options: HandleOptions,
  ): Promise<Response> {
    const { header } = request;
    // Cookies that are SameSite=Lax come from other ports and subdomains, too.
    const site = header('sec-fetch-site');
    if (site && site !== 'same-origin' && site !== 'none')
      return json(403, { status: 'cross_site' });

    const body = await request.body();
    switch (body.is) {
      case 'too_large':
        return json(413, { status: 'too_large' });
      case 'incomplete': // the client has gone
        return json(400, { status: 'invalid_encrypted_card' });
      case 'parsed':
        log(PARSED);
        return json(500, { status: 'misconfigured' });
    }

    const type = header('content-type');
    const isNative = isForm(type) && header('accept')?.includes('text/html') === true;
    // The page names the order that its key is for. The session may have another one by now.
    const meant = header('cardseal-order');
    const isMeant = order && (meant === undefined || meant === encodeURIComponent(order.id));

    if (!isForm(type) && body.is === 'text' && body.text === '') {
      return isMeant ? issueKey(order, options) : json(404, { status: 'no_order' });
    }
    if (!isMeant) log(`Block not sent: ${order ? otherOrder(order) : NO_ORDER}`);
    const outcome: Outcome = isMeant
      ? await checkout.pay(order, ...posted(body, type), options)
      : { status: 'no_order' };
    if (isNative) return seeOther(options.page ?? pageBefore(header('referer')), outcome);
    return json(STATUS[outcome.status] ?? 200, outcome);
  }

  async function issueKey(order: Order, options: HandleOptions): Promise<Response> {
    const issued = await checkout.issueKey(order, options);
    switch (issued.status) {
      case 200: {
        const { status: _, body: key, ...rest } = issued;
        return json(200, { status: 'open', ...rest, key });
      }
      case 409: // no error: the page shows the outcome
        return json(200, issued.body);
      case 429:
        return json(429, issued.body, { 'retry-after': String(issued.retryAfter) });
      case 502:
        return json(502, issued.body);
    }
  }

  function node<Request extends ServerRequest>(
    orderOf: (request: Request) => Order | undefined | Promise<Order | undefined>,
    { page, senderOf }: NodeOptions<Request> = {},
  ) {
    return async function onRequest(
      request: Request,
      response: NodeResponse,
      next?: (error: unknown) => void,
    ): Promise<void> {
      try {
        const options = { page, sender: senderOf?.(request) };
        await send(response, await handle(request, await orderOf(request), options));
      } catch (error) {
        if (next) return next(error);
        log(`checkout.node: ${describe(error)}`);
        // Node ends a process, with all its payments, if a promise rejects and nobody hears it.
        await send(response, json(500, { status: 'misconfigured' })).catch(() => {});
      }
    };
  }

  async function send(response: NodeResponse, answer: Response): Promise<void> {
    const body = await answer.text();
    if (response.headersSent) return log(ANSWERED);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(body);
  }
}

/** Content type and text, as `pay` takes them. */
function posted(body: ReadBody, type: string | undefined): [type: string, text: string] {
  switch (body.is) {
    case 'text':
      return [isForm(type) ? type! : 'application/json', body.text];
    case 'field':
      return ['application/json', body.text];
    case 'other_form': // its page's script did not run, perhaps; what is in it, `pay` need not know
      return ['application/x-www-form-urlencoded', 'other='];
  }
}

type ReadBody = Extract<Body, { is: 'text' | 'field' | 'other_form' }>;

const PARSED =
  'checkout.handle: a body parser has read the request before. Mount checkout.handle before the ' +
  'parser, because the error of a parser can hold a card';

const NO_ORDER = 'the session has no order. It has ended, or the request came without its cookie';

const otherOrder = ({ id }: Order) => `order ${quoted(id)}: the page is of another order`;

const ANSWERED =
  'checkout.node: something else has answered the request already, such as a time limit. Nothing ' +
  'was sent; the page gets the outcome when it asks again';

/** The outcomes that are faults of the page, or of something on the way. */
const STATUS: Partial<Record<Outcome['status'], number>> = {
  invalid_encrypted_card: 400,
  no_order: 404,
};

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  const all = { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers };
  return new Response(JSON.stringify(body), { status, headers: all });
}

/**
 * Back and Reload repeat nothing then. The page shows the order's outcome, which tells of the last
 * try. What no order tells goes along in the address.
 */
function seeOther(page: string, { status }: Outcome): Response {
  const [address, fragment] = splitAt(page, '#');
  const [path, query] = splitAt(address, '?');
  // What the page has in its query stays as it is: URLSearchParams would write it anew.
  const isOther = (parameter: string) => !new URLSearchParams(parameter).has('outcome');
  const parameters = query.split('&').filter((it) => it !== '' && isOther(it));
  if (status in STATUS) parameters.push(`outcome=${status}`);
  const search = parameters.length > 0 ? `?${parameters.join('&')}` : '';
  const all = path + search + (fragment && `#${fragment}`);
  const isAscii = (character: string) => character > ' ' && character < '\x7f';
  const location = Array.from(all, (it) => (isAscii(it) ? it : encodeURIComponent(it))).join('');
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

/** What stands before and after the first `mark`. */
function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Path and query, without the origin: behind a proxy that may be another one. */
function pageBefore(referer: string | undefined): string {
  try {
    const { pathname, search } = new URL(referer!);
    const isPath = pathname.startsWith('/') && !pathname.startsWith('//'); // `//`: another origin
    return isPath ? pathname + search : '/';
  } catch {
    return '/';
  }
}
