import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';

interface Entry {
  fingerprint: string;
  since: number;
  /** Absent while the first request is being processed. */
  response?: { status: number; body: string };
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * Hooks for a route whose requests may carry an Idempotency-Key, after the IETF's
 * draft-ietf-httpapi-idempotency-key-header. A repeated request is answered with the first one's
 * response and `Idempotent-Replayed: true`; `idempotency_key_in_use` while the first is being
 * processed; `idempotency_key_reused` if the request is another. Of a request only a keyed hash is
 * kept, so that no encrypted block outlives its processing. Conflicts and failures of the service
 * (409, 5xx) are not kept: the same request can be made again.
 */
export function createIdempotency(clock: () => number) {
  const secret = randomBytes(32);
  const entries = new Map<string, Entry>(); // in the order of `since`
  const first = new WeakMap<FastifyRequest, string>();
  const hash = (...parts: unknown[]) =>
    createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64');

  return {
    /** After authentication and validation: a request that fails these leaves the key free. */
    async preHandler(request: FastifyRequest, reply: FastifyReply) {
      const key = request.headers['idempotency-key'];
      if (key === undefined) return;
      forgetOld();
      const id = hash(request.account, key);
      const fingerprint = hash(request.method, request.url, request.body);
      const entry = entries.get(id);
      if (!entry) {
        entries.set(id, { fingerprint, since: clock() });
        first.set(request, id);
        return;
      }
      if (entry.fingerprint !== fingerprint) throw new ServiceError('idempotency_key_reused');
      if (!entry.response) throw new ServiceError('idempotency_key_in_use');
      const { status, body } = entry.response;
      return reply
        .code(status)
        .header('idempotent-replayed', 'true')
        .type('application/json; charset=utf-8')
        .send(body);
    },

    async onSend(request: FastifyRequest, reply: FastifyReply, body: unknown) {
      const id = first.get(request);
      if (id === undefined) return;
      const { statusCode: status } = reply;
      const entry = entries.get(id);
      if (status === 409 || status >= 500) entries.delete(id);
      else if (entry) entry.response = { status, body: String(body) };
    },
  };

  function forgetOld() {
    const now = clock();
    for (const [id, { since }] of entries) {
      if (now <= since + RETENTION_MS) break;
      entries.delete(id);
    }
  }
}
