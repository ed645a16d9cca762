import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from './errors.ts';
import { parseJson } from './json.ts';

/**
 * JSON is the only body that is read. An empty one is no body, whatever its type, because many
 * clients send a Content-Type with every POST.
 */
export function acceptJsonOnly(app: FastifyInstance) {
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    if (!announcesBody(headers)) delete headers['content-type'];
    else if (headers['content-encoding']) throw new ServiceError('unsupported_media_type');
  });
  const parseAs = { parseAs: 'buffer' } as const;
  app.addContentTypeParser('application/json', parseAs, async (_: FastifyRequest, body: Buffer) =>
    body.length > 0 ? parseJson(body) : undefined,
  );
  app.addContentTypeParser('*', parseAs, async (_: FastifyRequest, body: Buffer) => {
    if (body.length > 0) throw new ServiceError('unsupported_media_type');
  });
}

function announcesBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** For an operation whose request body is "none". */
export async function refuseBody(request: FastifyRequest) {
  if (request.body !== undefined) throw new ServiceError('invalid_request', NO_BODY);
}

/** The same for GET and HEAD, whose bodies the framework leaves unread. */
export async function refuseUnreadBody({ method, raw }: FastifyRequest) {
  if (!['GET', 'HEAD'].includes(method) || !announcesBody(raw.headers)) return;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    raw.resume(); // what follows is not read
    if (chunk.length > 0) throw new ServiceError('invalid_request', NO_BODY);
  }
}

const NO_BODY = 'This operation has no request body.';

/** For an operation whose body may be missing. */
export async function bodyIsOptional(request: FastifyRequest) {
  if (request.body === undefined) request.body = {};
}
