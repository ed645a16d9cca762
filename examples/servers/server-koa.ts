import Koa, { type Context } from 'koa';
import readBody from 'raw-body';
import { endOnSigterm } from './end.js';
import type { Answer } from './page.js';
import { orderOf, sendKey, showCheckout, startOrder, takePayment } from './shop.js';

const app = new Koa();

// Before a body parser of other routes
app.use(async (context, next) => {
  const answer = await answerTo(context);
  if (!answer) return next();
  context.status = answer.status;
  context.set(answer.headers);
  context.body = answer.body;
});

async function answerTo(context: Context): Promise<Answer | undefined> {
  const order = orderOf(context.get('cookie'));
  switch (`${context.method} ${context.path}`) {
    case 'GET /checkout':
      return showCheckout(order);
    case 'POST /checkout/key':
      return sendKey(order, context.get('x-forwarded-for'));
    case 'POST /checkout/new':
      return startOrder(order);
    case 'POST /checkout/pay': {
      const body = await readBody(context.req, { encoding: 'utf8', limit: '8kb' });
      const headers = {
        type: context.get('content-type'),
        accept: context.get('accept'),
        forwardedFor: context.get('x-forwarded-for'),
      };
      return takePayment(order, headers, body);
    }
    default:
      return undefined;
  }
}

app.on('error', (error: Error) => console.error(error));

endOnSigterm(app.listen(Number(process.env.PORT ?? 3000)));
