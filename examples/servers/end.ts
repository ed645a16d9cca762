import type { Server } from 'node:http';
import { checkout } from './shop.js';
import { closeStore } from './store.js';

/** A deploy sends SIGTERM: the process ends when the last payment has its outcome. */
export function endOnSigterm(server: Server): void {
  process.once('SIGTERM', () => {
    // A proxy that keeps its connections open would go on sending requests.
    server.keepAliveTimeout = 1;
    server.prependListener('request', (_request, response) => {
      response.setHeader('connection', 'close');
    });
    server.close(end);
  });
}

async function end(): Promise<void> {
  await checkout.idle(); // also payments whose shopper has left
  await closeStore();
}
