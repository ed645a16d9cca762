import type { CheckoutOptions } from 'cardseal/checkout';
import { isNew, sendMail } from './mail.js';

export const onPaid: CheckoutOptions['onPaid'] = async ({ id }, { reference }) => {
  // In one step: INSERT INTO mails (reference) ... ON CONFLICT DO NOTHING
  if (await isNew(reference)) await sendMail(id);
};
