/** Stands between a shop and the service: passes everything on, and can hold answers back. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { listenOnLoopback } from '../support/loopback.ts';

export async function startProxy(serviceAddress: string) {
  const faults = {
    /** Answers to authorize wait for this. */
    hold: undefined as Promise<void> | undefined,
    /** After so many answers to authorize, the connection is cut in the place of the next. */
    cutAfter: undefined as number | undefined,
    /** Nothing is passed on. */
    isDown: false,
  };
  /** The bodies of all requests to authorize. */
  const authorizations: string[] = [];
  /** What the service has answered to them, also where the answer was held back. */
  const answers: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    if (faults.isDown) return void incoming.socket.destroy();
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const isAuthorization = incoming.url!.endsWith('/authorize');
    if (isAuthorization) authorizations.push(body);
    const { method, url, headers } = incoming;
    const passed = request(`${serviceAddress}${url}`, { method: method!, headers });
    passed.end(body);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += chunk;
    if (isAuthorization) answers.push(text);
    if (isAuthorization) await faults.hold;
    const isCut = isAuthorization && faults.cutAfter && authorizations.length > faults.cutAfter;
    if (isCut) return void incoming.socket.destroy();
    outgoing.writeHead(answer.statusCode!, { 'content-type': 'application/json' }).end(text);
  });
  const { host, close } = await listenOnLoopback(server);
  return {
    address: `http://${host}`,
    faults,
    authorizations,
    answers,
    close,
  };
}
