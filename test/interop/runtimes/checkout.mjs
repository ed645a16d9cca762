/** The merchant's half and a shopper in one runtime. Only what every runtime has: no Node. */
import { createCheckout, memoryStore } from '../../../dist/checkout/index.js';
import { encryptCard, prepareKey } from '../../../dist/core/index.js';

const CARD = { name: 'Ada Lovelace', exp_month: '12', exp_year: '2039', cvv: '835' };
const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

/** What became of some payments, and what the log says. */
export async function runShop({ baseUrl, secretKey }) {
  const lines = [];
  const checkout = createCheckout({
    payments: { baseUrl, secretKey, timeoutMs: 5000 },
    store: memoryStore(),
    log: (line) => lines.push(line),
  });
  const order = (id) => ({ id, amount: 1000, currency: 'USD' });
  const press = async (id, number, type = 'application/json') => {
    const { body } = await checkout.issueKey(order(id));
    const block = await encryptCard(await prepareKey(body), { ...CARD, number });
    const text = JSON.stringify(block);
    const isForm = type !== 'application/json';
    const posted = isForm ? String(new URLSearchParams({ encrypted_card: text })) : text;
    return (await checkout.pay(order(id), type, posted)).status;
  };
  const outcomes = {
    declined: await press('runtime-1', DECLINED),
    thenPaid: await press('runtime-1', APPROVED),
    asForm: await press('runtime-2', APPROVED, 'application/x-www-form-urlencoded'),
    reload: (await checkout.outcome('runtime-2')).status,
    // The connection of this one is cut when the service has it: see runtimes.test.ts.
    lost: await press('runtime-cut', APPROVED),
  };
  return { outcomes, lines };
}
