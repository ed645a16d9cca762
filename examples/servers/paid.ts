import type { CheckoutOptions } from 'cardseal/checkout';
import { recordSent, sendMail, wasSent } from './mail.js';

export const onPaid: CheckoutOptions['onPaid'] = async ({ id }, { reference }) => {
  if (await wasSent(reference)) return;
  await sendMail(id, { idempotencyKey: reference });
  await recordSent(reference); // not before: if sending fails, the next call sends
};
