// app/api/checkout/route.ts
import { randomUUID } from 'node:crypto';
import { createCheckout } from 'cardseal/checkout';
import { cookies } from 'next/headers';

const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

const secure = process.env.NODE_ENV === 'production';

/** The order of this shopper. Its price comes from your database, never from the page. */
async function orderOf({ method }: Request) {
  const jar = await cookies();
  if (method === 'GET' && !jar.has('order'))
    jar.set('order', randomUUID(), { httpOnly: true, sameSite: 'lax', secure });
  const id = jar.get('order')?.value;
  return id ? { id, amount: 1000, currency: 'USD' } : undefined;
}

const answer = async (request: Request) => checkout.handle(request, await orderOf(request));
export { answer as GET, answer as POST };
