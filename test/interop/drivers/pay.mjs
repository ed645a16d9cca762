/**
 * Pays orders, and can kill itself at each step: after each call of the store, before and after
 * each request to the service, and before and after the delivery.
 *
 * `pay ORDER STEP`: pays one order, until the step with this number. Prints how many there were.
 * `sweep`: settles and delivers what is left.
 * `finish ORDERS`: pays each order that is still open.
 */
import { appendFileSync } from 'node:fs';
import { CardPayments, createCheckout } from '../../../dist/checkout/index.js';
import { encryptCard, prepareKey } from '../../../dist/core/index.js';
import { openStore } from './open-store.mjs';

const { SERVICE, SECRET_KEY, DELIVERIES } = process.env;
const [mode, ...args] = process.argv.slice(2);
const lastStep = mode === 'pay' ? Number(args[1]) : 0;
let step = 0;
function mayDie() {
  if (++step === lastStep) process.kill(process.pid, 'SIGKILL');
}

/** Steps after each call, and before it if `isBefore`. */
function withSteps(object, names, isBefore) {
  const wrap =
    (name) =>
    async (...given) => {
      if (isBefore) mayDie();
      const result = await object[name](...given);
      mayDie();
      return result;
    };
  return Object.fromEntries(names.map((name) => [name, wrap(name)]));
}

const store = await openStore();
const client = new CardPayments({ baseUrl: SERVICE, secretKey: SECRET_KEY, timeoutMs: 4000 });
const checkout = createCheckout({
  payments: withSteps(client, ['createEncryptionKey', 'createIntent', 'authorize'], true),
  timeoutMs: 4000,
  store: { ...store, ...withSteps(store, ['read', 'write'], false) },
  log: () => {},
  async onPaid({ id }) {
    mayDie();
    appendFileSync(DELIVERIES, `${id}\n`);
    mayDie();
  },
});

async function lookUp(intentId) {
  const headers = { authorization: `Bearer ${SECRET_KEY}` };
  const answer = await fetch(`${SERVICE}/payments/card/${intentId}`, { headers });
  return (await answer.json()).status;
}

async function pay(id) {
  const order = { id, amount: 1000, currency: 'USD', description: id };
  const key = await checkout.issueKey(order);
  if (key.status !== 200) return key.body.status;
  const block = await encryptCard(await prepareKey(key.body), {
    number: '4242424242424242',
    name: 'Ada Lovelace',
    exp_month: '12',
    exp_year: '2039',
    cvv: '835',
  });
  return (await checkout.pay(order, 'text/plain', JSON.stringify(block))).status;
}

const MODES = {
  async pay() {
    const status = await pay(args[0]);
    if (status !== 'committed') console.error(`pay ended with ${status}`);
    return step;
  },
  sweep: () => checkout.sweep({ lookUp }),
  async finish() {
    const statuses = {};
    for (const id of args) statuses[id] = await pay(id);
    return statuses;
  },
};

console.log(JSON.stringify(await MODES[mode]()));
process.exit(0);
