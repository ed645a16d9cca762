// src/routes/+page.server.ts
import { randomUUID } from 'node:crypto';
import { checkout, orderOf } from '$lib/server/shop';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ cookies, setHeaders }) => {
  setHeaders({ 'cache-control': 'no-store' });
  if (!orderOf(cookies)) cookies.set('order', randomUUID(), { path: '/' });
  const { id } = orderOf(cookies)!;
  return { outcome: { ...(await checkout.outcome(id)), order: id } };
};
