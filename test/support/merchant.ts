import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { browserKey, parseEncryptedCard } from '../../src/server.ts';

const { public_key } = JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/keys.json'), 'utf8')).rsa[0];

/**
 * Gives the test pages the server that README's pages expect: `/card-key`, and `/pay`, which takes nothing but a block and, since it cannot read
 * one, declines every security code of four digits.
 */
export function merchant(): Plugin {
  const pay = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const isJson = request.headers['content-type'] === 'application/json';
    const { layout } = parseEncryptedCard(isJson ? body : new URLSearchParams(body).get('encrypted_card'));
    const status = layout[4]!.len === 4 ? 'failed' : 'committed';
    response.setHeader('Content-Type', isJson ? 'application/json' : 'text/html').end(isJson ? JSON.stringify({ status }) : status);
  };
  return {
    name: 'merchant',
    configureServer: ({ middlewares }) => {
      middlewares.use('/card-key', (_, response) => {
        const key = browserKey({ id: `cek_test_${randomUUID()}`, scheme: 'RSA_OAEP_SHA256_V1', public_key });
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(key));
      });
      middlewares.use('/pay', (request, response, next) => {
        pay(request, response).catch(next);
      });
    },
  };
}
