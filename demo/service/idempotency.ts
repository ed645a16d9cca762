import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';
import type { Kept, Save, StateRecord } from './state.ts';

interface Entry {
  fingerprint: string;
  since: number;
  /** Absent while the first request is being processed. */
  response?: Kept;
}

const RETENTION_MS = 24 * 60 * 60 * 1000;

/**
 * Hooks for routes whose requests may carry an Idempotency-Key, after the IETF's
 * draft-ietf-httpapi-idempotency-key-header. A repeated request is answered with the first one's
 * response and `Idempotent-Replayed: true`; `idempotency_key_in_use` while the first is being
 * processed; `idempotency_key_reused` if the request is another. Of a request only a keyed hash is
 * kept, so that no encrypted block outlives its processing. Conflicts and failures of the service
 * (409, 5xx) are not kept: the same request can be made again.
 */
export function createIdempotency(clock: () => number, save: Save) {
  let secret = randomBytes(32);
  const entries = new Map<string, Entry>(); // in the order of `since`, if nobody sets the clock
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
      const { url } = request.routeOptions;
      const fingerprint = hash(request.method, url, request.params, inOrder(request.body));
      const entry = entries.get(id);
      if (!entry || isOld(entry)) {
        entries.delete(id);
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
      if (!entry) return; // the sandbox was reset meanwhile
      if (status === 409 || status >= 500) {
        entries.delete(id);
        return;
      }
      entry.response = { status, body: String(body) };
      save(recordOf(id, entry as Required<Entry>));
    },

    restore(record: StateRecord) {
      if (record.type === 'idempotency_secret') secret = Buffer.from(record.secret, 'base64');
      if (record.type !== 'idempotency') return;
      const { id, fingerprint, since, response } = record;
      entries.set(id, { fingerprint, since, response });
    },

    *records(): Iterable<StateRecord> {
      yield { type: 'idempotency_secret', secret: secret.toString('base64') };
      for (const [id, entry] of entries) {
        if (entry.response && !isOld(entry)) yield recordOf(id, entry as Required<Entry>);
      }
    },

    reset() {
      entries.clear();
    },
  };

  function isOld({ since }: Entry): boolean {
    return clock() > since + RETENTION_MS;
  }

  function forgetOld() {
    for (const [id, entry] of entries) {
      if (!isOld(entry)) break;
      entries.delete(id);
    }
  }
}

function recordOf(id: string, { fingerprint, since, response }: Required<Entry>): StateRecord {
  return { type: 'idempotency', id, fingerprint, since, response };
}

/** The same for two bodies that differ in the order of members only. Bodies are not nested deep. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  return Object.entries(value)
    .map(([name, member]) => [name, inOrder(member)] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
