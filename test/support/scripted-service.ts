/** A service that answers as a test tells it, and remembers what it was asked. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

export type ScriptedService = Awaited<ReturnType<typeof serviceThat>>;

/** Runs until the test is over, or until `close()`. */
export async function serviceThat(answers: RequestListener, tls?: { key: Buffer; cert: Buffer }) {
  const requests: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    answers(request, response);
  };
  const server = tls ? createHttpsServer(tls, listener) : createServer(listener);
  const { host, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return { baseUrl: `${tls ? 'https' : 'http'}://${host}/base/`, requests, close };
}
