// server.js
import { randomUUID } from 'node:crypto';
import { createCheckout } from 'cardseal/checkout';
import express from 'express';
import session from 'express-session';

const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

const app = express();
app.set('view engine', 'ejs');
app.use('/js', express.static('node_modules/cardseal/dist'));
const cookie = { sameSite: 'lax', secure: 'auto' }; // with Secure, if the request came by HTTPS
app.use(session({ secret: 'for development', cookie, resave: false, saveUninitialized: false }));
app.use(express.json()); // for other routes of the shop

/** The order of this session. Its price comes from your database, never from the page. */
function orderOf({ session }) {
  return session.orderId && { id: session.orderId, amount: 1000, currency: 'USD' };
}

app.all('/checkout', checkout.node(orderOf));

app.get('/', (request, response) => {
  request.session.orderId ??= randomUUID();
  response.set('cache-control', 'no-store').render('checkout', { price: '$10.00' });
});

app.listen(3000, () => console.log('Your shop: http://localhost:3000'));
