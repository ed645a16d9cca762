import express, { type NextFunction, type Request, type Response } from 'express';
import { endOnSigterm } from './end.js';
import type { Answer } from './page.js';
import { orderOf, sendKey, showCheckout, startOrder, takePayment } from './shop.js';

const app = express();
app.use('/js', express.static('public'));
app.use('/checkout', express.text({ type: () => true, limit: '8kb' })); // before express.json()

app.get(
  '/checkout',
  route((request) => showCheckout(orderOf(request.get('cookie')))),
);
app.post(
  '/checkout/key',
  route((request) => sendKey(orderOf(request.get('cookie')), request.get('x-forwarded-for'))),
);
app.post(
  '/checkout/new',
  route((request) => startOrder(orderOf(request.get('cookie')))),
);
app.post(
  '/checkout/pay',
  route((request) => {
    const headers = {
      type: request.get('content-type'),
      accept: request.get('accept'),
      forwardedFor: request.get('x-forwarded-for'),
    };
    const body = typeof request.body === 'string' ? request.body : '';
    return takePayment(orderOf(request.get('cookie')), headers, body);
  }),
);

function route(answerTo: (request: Request) => Promise<Answer>) {
  return (request: Request, response: Response, next: NextFunction) => {
    answerTo(request)
      .then(({ status, headers, body }) => {
        response.status(status).set(headers).end(body); // throws if a time limit has answered
      })
      .catch(next);
  };
}

// Express's own answer would repeat the address, and that can hold a card.
app.use((_request, response) => {
  response.status(404).json({ error: 'not_found' });
});
app.use(
  (error: Error & { status?: number }, _request: Request, response: Response, _: NextFunction) => {
    const status = error.status ?? 500;
    if (status >= 500) console.error(error); // no parser has seen the body, so no error holds it
    if (!response.headersSent) response.status(status).json({ error: 'failed' });
  },
);

endOnSigterm(app.listen(Number(process.env.PORT ?? 3000)));
