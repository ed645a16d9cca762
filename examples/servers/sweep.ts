// For cron, every minute: settles and delivers what crashes and lost answers have left open.
import { checkout } from './shop.js';
import { closeStore } from './store.js';

const DAY = 86_400_000;

interface Intent {
  id: string;
  status: string;
  created: number;
}

/** The sandbox has these operations. The specification shows none: ask your service. */
async function lookUp(intentId: string): Promise<string> {
  const { status, created } = await ask(intentId, '');
  if (status !== 'created' || Date.now() - created < DAY) return status;
  // The intent is older than a day. If it cannot be cancelled, the next sweep asks again.
  const cancelled = await ask(intentId, '/cancel', { method: 'POST', body: '{}' }).catch(() => null);
  return cancelled?.status === 'cancelled' ? 'cancelled' : status;
}

/** Only the service's own word about this intent counts, and no page of a proxy. */
async function ask(intentId: string, operation: string, init: RequestInit = {}): Promise<Intent> {
  const url = `${process.env.CARD_PAYMENTS_URL}/payments/card/${intentId}${operation}`;
  const headers = {
    authorization: `Bearer ${process.env.CARD_PAYMENTS_SECRET_KEY}`,
    ...(init.body && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(url, { ...init, headers, redirect: 'error' });
  if (!answer.ok) throw new Error(`The service answered ${answer.status}`);
  const intent = (await answer.json()) as Intent;
  if (intent.id !== intentId) throw new Error('The service answered for another intent');
  return intent;
}

const swept = await checkout.sweep({ lookUp });
for (const { order, intent, status, left } of swept)
  console.log(`Order ${order}, intent ${intent}: ${status}, left to do: ${left}`);
const isForStaff = swept.some(({ left }) => left !== 'nothing' && left !== 'wait');
process.exitCode = isForStaff ? 1 : 0; // cron mails the lines
await closeStore();
