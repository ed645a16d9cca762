/** One address for several processes of a shop: each request goes to the next of them. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../support/loopback.ts';

export async function startBalancer(addresses: readonly string[]) {
  /** What each request was for, and which process has got it. */
  const taken: { path: string; by: number }[] = [];
  const choice = {
    /** All requests go to this one. */
    only: undefined as number | undefined,
  };
  let turn = 0;

  const server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const first = choice.only ?? turn++ % addresses.length;
    pass(incoming, body, outgoing, first, addresses.length - 1);
  });
  const { host, close } = await listenOnLoopback(server);
  return {
    address: `http://${host}`,
    taken,
    choice,
    close,
  };

  function pass(
    incoming: IncomingMessage,
    body: string,
    outgoing: ServerResponse,
    by: number,
    others: number,
  ) {
    const { method, url, headers } = incoming;
    const options = { method: method!, headers, agent: false as const };
    const passed = request(`${addresses[by]}${url}`, options, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('socket', (socket) => {
      socket.once('connect', () => taken.push({ path: url!, by }));
    });
    passed.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Nothing was sent: another process may have it. Otherwise nobody knows what happened.
      if (code === 'ECONNREFUSED' && others > 0)
        pass(incoming, body, outgoing, (by + 1) % addresses.length, others - 1);
      else outgoing.writeHead(502).end('Bad gateway');
    });
    passed.end(body);
  }
}
