// server.js
import { randomUUID } from 'node:crypto';
import { createCheckout } from 'cardseal/checkout';
import express from 'express';
import session from 'express-session';

const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

const app = express();
const cookie = { sameSite: 'lax', secure: 'auto' }; // with Secure, if the request came by HTTPS
app.use(session({ secret: 'for development', cookie, resave: false, saveUninitialized: false }));

/** The order of this session. Its price comes from your database, never from the page. */
function orderOf({ method, session }) {
  if (method === 'GET') session.orderId ??= randomUUID();
  return session.orderId && { id: session.orderId, amount: 1000, currency: 'USD' };
}

app.all('/api/checkout', checkout.node(orderOf));

app.listen(3000, () => console.log('Your server: http://localhost:3000'));
