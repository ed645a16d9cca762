// app/routes/checkout.ts
import { randomUUID } from 'node:crypto';
import { createCheckout } from 'cardseal/checkout';
import { createCookie } from 'react-router';

const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

const secure = process.env.NODE_ENV === 'production';
const cookie = createCookie('order', { httpOnly: true, sameSite: 'lax', path: '/', secure });

/** The order of this shopper. Its price comes from your database, never from the page. */
async function answer({ request }: { request: Request }) {
  const known: string | null = await cookie.parse(request.headers.get('cookie'));
  const id = known ?? (request.method === 'GET' ? randomUUID() : undefined);
  const order = id ? { id, amount: 1000, currency: 'USD' } : undefined;
  const response = await checkout.handle(request, order);
  if (id && !known) response.headers.append('set-cookie', await cookie.serialize(id));
  return response;
}

export { answer as loader, answer as action };
