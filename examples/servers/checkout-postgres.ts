import { createCheckout, postgresStore } from 'cardseal/checkout';
import pg from 'pg';

const pool = new pg.Pool();
// Without a listener, a restart of the database would end this process.
pool.on('error', ({ message }) => console.error(message));

export const checkout = createCheckout({
  payments: {
    baseUrl: process.env.CARD_PAYMENTS_URL!,
    secretKey: process.env.CARD_PAYMENTS_SECRET_KEY!,
  },
  store: postgresStore(pool),
});
