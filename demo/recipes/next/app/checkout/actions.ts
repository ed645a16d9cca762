'use server';
import type { Outcome } from 'cardseal/checkout';
import { headers } from 'next/headers';
import { checkout, orderOf } from '../../../shop.js';

/** A server action: the form's field has the block. Actions and route handlers share the orders. */
export async function pay(_: Outcome | null, form: FormData): Promise<Outcome> {
  const order = orderOf((await headers()).get('cookie') ?? undefined);
  if (!order) return { status: 'not_certain' };
  return checkout.pay(order, 'application/json', String(form.get('encrypted_card')));
}
