import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { browserKey, parseEncryptedCard } from '../../../src/server/index.ts';

const { public_key } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/keys.json'), 'utf8'),
).rsa[0];

/**
 * Gives the test pages the server that the pages in the documents expect: `/card-key`, and `/pay`, which accepts nothing but a block. It cannot
 * read one, so it declines every security code of four digits.
 */
export function merchant(): Plugin {
  const pay = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const type = request.headers['content-type']!;
    const form = { headers: { 'content-type': type } };
    const posted =
      type === 'application/json'
        ? body
        : (await new Response(body, form).formData()).get('encrypted_card');
    const keyId = JSON.parse(String(posted))?.key_id; // it has no sessions that could remember it
    const { layout } = parseEncryptedCard(posted, { keyId, expiresAt: Number.POSITIVE_INFINITY });
    const status = layout[4]!.len === 4 ? 'failed' : 'committed';
    const isPage = request.headers.accept?.includes('text/html');
    response
      .setHeader('Content-Type', isPage ? 'text/html' : 'application/json')
      .end(isPage ? status : JSON.stringify({ status }));
  };
  return {
    name: 'merchant',
    configureServer: ({ middlewares }) => {
      middlewares.use('/card-key', (_, response) => {
        const key = browserKey({
          id: `cek_test_${randomUUID()}`,
          scheme: 'RSA_OAEP_SHA256_V1',
          public_key,
        });
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(key));
      });
      middlewares.use('/pay', (request, response, next) => {
        if (request.url !== '/') return next(); // a file of test/pay
        pay(request, response).catch(next);
      });
    },
  };
}
