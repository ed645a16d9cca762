/** The whole system on one machine: `npm start`. */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CardPayments } from 'cardseal/checkout';
import { slowClock } from './explained/faults.ts';
import { createExplanation } from './explained/onlooker.ts';
import { mountLeakingShop } from './leaking-shop/shop.ts';
import { createMerchant } from './merchant/app.ts';
import { ACCOUNTS, createService } from './service/app.ts';
import { advise, endWithParent, wholeNumber } from './service/command-line.ts';

export interface DemoOptions {
  /** Of the merchant's server; 0 takes one that is free. */
  port: number;
  /** Of the Card Payment Service; 0 takes one that is free. */
  servicePort: number;
  /** Milliseconds from issuing an encryption key to its `expires_at`; 15 minutes. */
  keyLifetimeMs?: number;
  /**
   * Gets what the servers have to say, line by line: never anything of a card, nor the secret key.
   */
  log: (line: string) => void;
}

/**
 * Starts both servers on the loopback interface.
 *
 * @throws the listen error, such as `EADDRINUSE`, with nothing left running.
 */
export async function startDemo({
  port,
  servicePort,
  keyLifetimeMs = 15 * 60 * 1000,
  log,
}: DemoOptions) {
  const slow = slowClock(keyLifetimeMs);
  const service = createService({
    keyLifetimeMs,
    clock: slow.clock,
    logger: { stream: { write: (json) => tell(json, log) } },
  });
  const closing: (() => Promise<void>)[] = [() => service.close()];
  const close = async () => {
    for (const part of closing.splice(0)) await part();
  };
  try {
    const serviceAddress = await listen(service, servicePort);
    const late = await slow.open(service);
    closing.unshift(late.close);
    const { secretKey } = ACCOUNTS[0];
    const payments = new CardPayments({ baseUrl: serviceAddress, secretKey });
    const shop = { payments, log: (line: string) => log(`merchant: ${line}`) };
    const merchant = createMerchant(shop);
    createExplanation({ ...shop, slowAddress: late.address, secretKey }).mount(merchant);
    mountLeakingShop(merchant);
    closing.unshift(() => merchant.close()); // the merchant first: it uses the service
    const merchantAddress = await listen(merchant, port);
    return {
      explained: `${merchantAddress}/explained`,
      checkout: `${merchantAddress}/checkout`,
      leakingShop: `${merchantAddress}/leaking-shop`,
      service: serviceAddress,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(
  server: { listen(options: { host: string; port: number }): Promise<string> },
  port: number,
): Promise<string> {
  return server.listen({ host: '127.0.0.1', port });
}

/** What the service logs as JSON, for people: its answers and its failures. */
function tell(json: string, log: (line: string) => void) {
  const { method, route, status, code, reason, level, msg } = JSON.parse(json);
  const line = [method, route, status, code, reason].filter(Boolean).join(' ');
  if (method) log(`service:  ${line}`);
  else if (level >= 40) log(`service:  ${msg}`);
}

const USAGE = `Usage: npm start -- [options]
  --port <n>             of the checkout page, or PORT in the environment (3000)
  --service-port <n>     of the Card Payment Service (3001)
  --key-lifetime-ms <n>  milliseconds for which an encryption key is good (900000)
  --help
0 as a port takes one that is free.`;

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: process.env.PORT || '3000' },
      'service-port': { type: 'string', default: '3001' },
      'key-lifetime-ms': { type: 'string', default: '900000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  process.env.NODE_ENV ||= 'development'; // the orders are in memory on purpose: no warning
  const demo = await startDemo({
    port: wholeNumber(values.port, 'port', 0, 65535),
    servicePort: wholeNumber(values['service-port'], 'service-port', 0, 65535),
    keyLifetimeMs: wholeNumber(values['key-lifetime-ms'], 'key-lifetime-ms', 1, 2 ** 31 - 1),
    log: console.log,
  });
  // On: tsx may pass on what the terminal sent, too
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, demo.close);
  endWithParent(demo.close);
  console.log(`See it explained:     ${demo.explained}`);
  console.log(`Checkout page:        ${demo.checkout}`);
  console.log(`With a script tag:    ${demo.checkout}/plain`);
  console.log(`A shop that leaks:    ${demo.leakingShop} (docs/check.md)`);
  console.log(`Payments, requests:   ${demo.service}/ (the page of the sandbox)`);
  console.log(`Card Payment Service: ${demo.service} (described at /openapi.json)`);
  console.log('Cards to try are in demo/README.md. Ctrl-C stops both servers.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    const otherPort = 'Choose others: npm start -- --port 4000 --service-port 4001';
    console.error(advise(error, { usage: USAGE, otherPort }));
    process.exitCode = 1;
  });
}
