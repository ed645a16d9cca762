/** The sandbox in one command: `npx cardseal-sandbox`. `build.ts` makes a package of it. */
import { parseArgs } from 'node:util';
import { ACCOUNTS, createService } from './app.ts';
import { advise, endWithParent, wholeNumber } from './command-line.ts';
import { FAULTS, type FaultName, isFaultName, startFaultProxy } from './faults.ts';
import { DECLINED_NUMBERS } from './processor/index.ts';

const USAGE = `Usage: npx cardseal-sandbox [options]
  --port <n>             the port on 127.0.0.1 (3001); 0 takes a free one
  --key-lifetime-ms <n>  how long an encryption key is good, in milliseconds (900000)
  --fault <name>         lets something go wrong whenever a card is authorized: see below
  --fault-times <n>      only the first n times (every time)
  --help                 prints this text
All data is in memory and gone when the sandbox ends. \
No money moves: never use the number of a real card.

Faults, to test your server. Whatever happens, an order is charged at most once, and the shopper
reads the truth. "before": the service has not got the request; "after": it has done its work.
${Object.entries(FAULTS)
  .map(([name, { what }]) => `  ${name.padEnd(21)}  ${what}`)
  .join('\n')}`;

const APPROVED_NUMBERS: Record<string, string> = {
  '4242424242424242': 'visa',
  '5555555555554444': 'mastercard',
  '378282246310005': 'amex',
  '6011111111111117': 'discover',
};

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3001' },
      'key-lifetime-ms': { type: 'string', default: '900000' },
      fault: { type: 'string' },
      'fault-times': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const port = wholeNumber(values.port, 'port', 0, 65535);
  const keyLifetimeMs = wholeNumber(values['key-lifetime-ms'], 'key-lifetime-ms', 1, 2 ** 31 - 1);
  const fault = values.fault === undefined ? undefined : faultNamed(values.fault);
  const faultTimes =
    values['fault-times'] === undefined
      ? undefined
      : wholeNumber(values['fault-times'], 'fault-times', 1, 2 ** 31 - 1);
  const service = createService({ keyLifetimeMs, logger: { stream: { write: logAnswer } } });
  const { address, close } = fault
    ? await listenWithFault(service, port, fault, faultTimes)
    : await listen(service, port);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, close);
  endWithParent(close);
  console.log(describe(address, fault));
}

type Service = ReturnType<typeof createService>;

async function listen(service: Service, port: number) {
  const address = await service.listen({ host: '127.0.0.1', port });
  return { address, close: async () => void (await service.close()) };
}

/** The service is behind a proxy, at a port that nobody needs to know. */
async function listenWithFault(service: Service, port: number, fault: FaultName, times?: number) {
  const { address: target, close: closeService } = await listen(service, 0);
  const onFault = (name: FaultName) => console.log(`Goes wrong: ${name}`);
  try {
    const proxy = await startFaultProxy({ target, port, onFault });
    proxy.setFault(fault, times);
    const close = async () => {
      await proxy.close();
      await closeService();
    };
    return { address: proxy.address, close };
  } catch (error) {
    await closeService();
    throw error;
  }
}

function faultNamed(name: string): FaultName {
  if (isFaultName(name)) return name;
  throw new RangeError('--fault must be one of the faults below');
}

/**
 * Prints method, route and status of each request: never a body, a header or an address as it was
 * sent.
 */
function logAnswer(json: string) {
  const { method, route, status, level, msg } = JSON.parse(json);
  if (method) console.log(`${method} ${route} ${status}`);
  else if (level >= 40) console.error(msg);
}

function describe(address: string, fault: FaultName | undefined): string {
  const keys = ACCOUNTS.map(({ secretKey }) => secretKey);
  const approved = Object.entries(APPROVED_NUMBERS).map(
    ([number, brand]) => `${number}  approved, ${brand}`,
  );
  const declined = Object.entries(DECLINED_NUMBERS).map(
    ([number, why]) => `${number}  declined, ${why}`,
  );
  const trouble = fault ? `Goes wrong:       ${fault}: ${FAULTS[fault].what}\n` : '';
  return `Card Payment Service (sandbox)

${trouble}Address:          ${address}
Description:      ${address}/openapi.json
Test secret keys: ${keys.join('\n                  ')}

Test cards, with any security code of 3 or 4 digits, any name, and any date that is not past:
  ${[...approved, ...declined].join('\n  ')}

It listens on this machine only, and all its data is gone when it ends. Ctrl-C stops it.`;
}

main().catch((error) => {
  const otherPort = 'Choose another: npx cardseal-sandbox --port 4001';
  console.error(advise(error, { usage: USAGE, otherPort }));
  process.exitCode = 1;
});
