// server.mjs
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createCheckout } from 'cardseal/checkout';

const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

/** The order of this shopper. Its price comes from your database, never from the page. */
function orderOf({ headers }) {
  const id = /(?:^|; )order=([\w-]{36})/.exec(headers.cookie)?.[1];
  return id && { id, amount: 1000, currency: 'USD' };
}

const pay = checkout.node(orderOf);
const script = readFileSync('node_modules/cardseal/dist/cardseal.pay.js');
const secure = process.env.NODE_ENV === 'production' ? '; Secure' : '';
const newOrder = () => `order=${randomUUID()}; HttpOnly; SameSite=Lax; Path=/${secure}`;

createServer((request, response) => {
  if (request.url === '/checkout') return pay(request, response);
  if (request.url === '/cardseal.pay.js')
    return response.setHeader('content-type', 'text/javascript').end(script);
  if (request.url !== '/') return response.writeHead(404).end();
  if (!orderOf(request)) response.setHeader('set-cookie', newOrder());
  response.setHeader('content-type', 'text/html').end(readFileSync('form.html'));
}).listen(3000, () => console.log('Your shop: http://localhost:3000'));
