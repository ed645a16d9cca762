import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

const HERE = import.meta.dirname;

/**
 * A shop that sends the card in clear text, under the check. Its server does not read what it gets.
 * Only the demo has it.
 */
export function mountLeakingShop(app: FastifyInstance): void {
  const check = readFileSync(join(HERE, '../../dist/cardseal.check.js'), 'utf8');
  const shop = readFileSync(join(HERE, 'shop.js'), 'utf8');
  app.get('/leaking-shop', async (_request, reply) => reply.type('text/html').send(PAGE));
  app.get('/leaking-shop/cardseal.check.js', async (_request, reply) =>
    reply.type('text/javascript').send(check),
  );
  app.get('/leaking-shop/shop.js', async (_request, reply) =>
    reply.type('text/javascript').send(shop),
  );
  app.register(async (scope) => {
    // Whatever the page sends is dropped unread: the merchant's parsers would read it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume();
      done(null);
    });
    for (const path of ['totals', 'order']) {
      scope.post(`/leaking-shop/${path}`, async (_request, reply) => reply.code(204).send());
    }
  });
}

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>A shop that leaks · The Bookshop</title>
    <script src="/leaking-shop/cardseal.check.js"></script>
    <link rel="stylesheet" href="/assets/checkout.css">
    <script src="/leaking-shop/shop.js" defer></script>
  </head>
  <body>
    <header>The Bookshop</header>
    <main>
      <h1>A shop that leaks</h1>
      <p>Type the test card 4242 4242 4242 4242 with any name, date and code, and press Pay. The
        list shows what the scripts of this page do with it. Never type a real card here.</p>
      <form id="checkout" method="post" action="/leaking-shop/order">
        <p><label>Card number
          <input id="number" name="cc_number" autocomplete="cc-number" inputmode="numeric">
        </label></p>
        <p><label>Name on card <input id="name" name="cc_name" autocomplete="cc-name"></label></p>
        <p><label>Expiry date
          <input id="expiry" name="cc_exp" autocomplete="cc-exp" placeholder="MM/YY">
        </label></p>
        <p><label>Security code
          <input id="code" name="cc_cvv" autocomplete="cc-csc" inputmode="numeric">
        </label></p>
        <p><button id="pay">Pay</button></p>
        <p id="outcome" role="status"></p>
      </form>
    </main>
  </body>
</html>
`;
