import type { Answer } from './page.js';
import { orderOf, sendKey, showCheckout, startOrder, takePayment } from './shop.js';

/** For every framework that hands over a `Request` and takes a `Response`. */
export async function handle(request: Request): Promise<Response> {
  const { status, headers, body } = await answerTo(request);
  return new Response(status === 303 ? null : body, { status, headers });
}

async function answerTo(request: Request): Promise<Answer> {
  const order = orderOf(request.headers.get('cookie') ?? undefined);
  const forwardedFor = request.headers.get('x-forwarded-for') ?? undefined;
  switch (`${request.method} ${new URL(request.url).pathname}`) {
    case 'GET /checkout':
      return showCheckout(order);
    case 'POST /checkout/key':
      return sendKey(order, forwardedFor);
    case 'POST /checkout/new':
      return startOrder(order);
    case 'POST /checkout/pay': {
      const length = request.headers.get('content-length'); // no browser leaves it out here
      if (length === null || !(Number(length) <= 8 * 1024)) return problem(413);
      const type = request.headers.get('content-type') ?? undefined;
      const accept = request.headers.get('accept') ?? undefined;
      return takePayment(order, { type, accept, forwardedFor }, await request.text());
    }
    default:
      return problem(404);
  }
}

const problem = (status: number): Answer => ({ status, headers: {}, body: '' });
