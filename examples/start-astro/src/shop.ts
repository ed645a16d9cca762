// src/shop.ts
import type { AstroCookies } from 'astro';
import { createCheckout } from 'cardseal/checkout';

export const checkout = createCheckout({
  payments: { baseUrl: 'http://127.0.0.1:3001', secretKey: 'sk_test_bookshop_published_key' },
});

/** The order of this shopper. Its price comes from your database, never from the page. */
export function orderOf(cookies: AstroCookies) {
  const id = cookies.get('order')?.value;
  return id ? { id, amount: 1000, currency: 'USD' } : undefined;
}
