/** A server for whole pages with the built script tag, which browsers visit from outside. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DIST } from './built.ts';
import { openBlock } from './open-block.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

export interface TagShop {
  address: string;
  /** What was posted, oldest first. */
  posts: URLSearchParams[];
  keyRequests: number;
  /** How long the answer to a request for a key takes, in milliseconds. */
  keyDelay: number;
  close(): Promise<void>;
}

/** Serves the page at `/`, and at its other paths what the script tag needs. */
export async function openTagShop(html: string): Promise<TagShop> {
  const server = createServer((request, response) => {
    const answer = (type: string, body: string | Buffer) =>
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    if (request.url === '/cardseal.js') {
      answer('text/javascript', readFileSync(join(DIST, 'cardseal.js')));
    } else if (request.url === '/card-key') {
      shop.keyRequests += 1;
      const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
      const scheme = 'RSA_OAEP_SHA256_V1';
      const body = { id: `cek_${shop.keyRequests}`, scheme, public_key: key };
      setTimeout(() => answer('application/json', JSON.stringify(body)), shop.keyDelay);
    } else if (request.url === '/pay') {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        shop.posts.push(new URLSearchParams(Buffer.concat(chunks).toString()));
        answer('text/html', '<!doctype html><title>paid</title>');
      });
    } else {
      answer('text/html', request.url === '/' ? html : '');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const shop: TagShop = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    posts: [],
    keyRequests: 0,
    keyDelay: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return shop;
}

/** The card in a post; `undefined` if it has no block. */
export function cardIn(post: URLSearchParams): Partial<Record<string, string>> | undefined {
  const block = post.get('encrypted_card');
  return block === null ? undefined : openBlock(block, privateKey);
}
