/** The sandbox in one command: `npx cardseal-sandbox`. `build.ts` makes a package of it. */
import { type AddressInfo, isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { ACCOUNTS, createService } from './app.ts';
import { advise, endWithParent, oneOf, wholeNumber } from './command-line.ts';
import { type Armed, FAULTS, isFaultName, isFaultOf, OPERATIONS } from './faults.ts';
import { DECLINED_NUMBERS } from './processor/index.ts';

const USAGE = `Usage: npx cardseal-sandbox [options]
  --port <n>             the port (3001); 0 takes a free one
  --host <address>       the address to listen at (127.0.0.1); 0.0.0.0 is all of this machine's
  --allow-host <name>    another name under which the page and the controls answer; repeatable
  --state <file>         keeps everything in this file, also after a crash (in memory only)
  --explain              adds a reason to the errors of authorize (the page has it anyway)
  --fresh-keys           a key pair of its own for each encryption key (pairs are used again)
  --key-lifetime-ms <n>  how long an encryption key is good, in milliseconds (900000)
  --fault <name>         lets requests go wrong: see below
  --fault-on <requests>  which: ${OPERATIONS.join(', ')} (authorize)
  --fault-times <n>      only the first n times (every time)
  --slow-ms <n>          how long a slow fault waits, in milliseconds (60000)
  --help                 prints this text
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

const MOST_MS = 2 ** 31 - 1;

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '3001' },
      host: { type: 'string', default: '127.0.0.1' },
      'allow-host': { type: 'string', multiple: true, default: [] },
      state: { type: 'string' },
      explain: { type: 'boolean', default: false },
      'fresh-keys': { type: 'boolean', default: false },
      'key-lifetime-ms': { type: 'string', default: '900000' },
      fault: { type: 'string' },
      'fault-on': { type: 'string', default: 'authorize' },
      'fault-times': { type: 'string' },
      'slow-ms': { type: 'string', default: '60000' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const { host, state: stateFile } = values;
  if (!isIP(host) && host !== 'localhost') throw new RangeError('--host must be an IP address');
  const port = wholeNumber(values.port, 'port', 0, 65535);
  const slowMs = wholeNumber(values['slow-ms'], 'slow-ms', 0, MOST_MS);
  const operation = oneOf(OPERATIONS, values['fault-on'], 'fault-on');
  const armed = armedFault(values, slowMs);
  const service = createService({
    keyLifetimeMs: wholeNumber(values['key-lifetime-ms'], 'key-lifetime-ms', 1, MOST_MS),
    freshKeys: values['fresh-keys'],
    explain: values.explain,
    allowedHosts: values['allow-host'].map((name) => name.toLowerCase()),
    allowAddresses: !isLoopback(host),
    slowMs,
    logger: { stream: { write: logAnswer } },
    ...(stateFile !== undefined && { stateFile }),
  });
  if (armed) service.sandbox.faults.arm(operation, armed);
  const close = () => service.close();
  try {
    await service.sandbox.prepare();
    await service.listen({ host, port });
  } catch (error) {
    await close();
    throw error;
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, close);
  endWithParent(close);
  const { port: taken } = service.server.address() as AddressInfo;
  console.log(describe({ host, port: taken, armed, operation, stateFile }));
}

function armedFault(
  values: { fault?: string; 'fault-on': string; 'fault-times'?: string },
  slow_ms: number,
): Armed | undefined {
  const { fault, 'fault-on': on, 'fault-times': text } = values;
  if (fault === undefined) return;
  const operation = oneOf(OPERATIONS, on, 'fault-on');
  if (!isFaultName(fault) || !isFaultOf(operation, fault)) {
    throw new RangeError(`--fault must be one of the faults below that is for ${operation}`);
  }
  const times = text === undefined ? null : wholeNumber(text, 'fault-times', 1, MOST_MS);
  return { fault, times, slow_ms };
}

const isLoopback = (host: string) => host.startsWith('127.') || ['::1', 'localhost'].includes(host);

/**
 * Prints method, route and status of each request, and why it was refused: never a body, a header
 * or an address as it was sent.
 */
function logAnswer(json: string) {
  const { method, route, status, code, reason, operation, fault, level, msg } = JSON.parse(json);
  if (method) console.log([method, route, status, code, reason].filter(Boolean).join(' '));
  else if (fault) console.log(`Goes wrong: ${fault} (${operation})`);
  else if (level >= 40) console.error(msg);
}

interface Started {
  host: string;
  port: number;
  armed: Armed | undefined;
  operation: string;
  stateFile: string | undefined;
}

function describe({ host, port, armed, operation, stateFile }: Started): string {
  const address = `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const keys = ACCOUNTS.map(({ secretKey }) => secretKey);
  const approved = Object.entries(APPROVED_NUMBERS).map(
    ([number, brand]) => `${number}  approved, ${brand}`,
  );
  const declined = Object.entries(DECLINED_NUMBERS).map(
    ([number, why]) => `${number}  declined, ${why}`,
  );
  const trouble = armed
    ? `Goes wrong:       ${operation}: ${armed.fault}: ${FAULTS[armed.fault].what}\n`
    : '';
  return `Card Payment Service (sandbox)

${trouble}Page:             ${address}/
Address:          ${address}
Description:      ${address}/openapi.json
Test secret keys: ${keys.join('\n                  ')}

Test cards, with any security code of 3 or 4 digits, any name, and any date that is not past:
  ${[...approved, ...declined].join('\n  ')}

${isLoopback(host) ? 'It listens on this machine only.' : OPEN}
${stateFile ? `Its data is kept in ${stateFile}.` : 'All its data is gone when it ends.'}
Ctrl-C stops it.`;
}

const OPEN = `WARNING: anyone who can reach this machine can use the sandbox. Its secret keys are
published, it speaks plain HTTP, and its page and switches need no key. Never use a real card.`;

main().catch((error) => {
  const otherPort = 'Choose another: npx cardseal-sandbox --port 4001';
  console.error(advise(error, { usage: USAGE, otherPort }));
  process.exitCode = 1;
});
