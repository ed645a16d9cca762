import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS, type ErrorCode, type ErrorDetails, errorBody, ServiceError } from './errors.ts';
import { TooManyWaiting } from './processor/index.ts';

/**
 * Whatever went wrong, the answer is one of the fixed texts: an error of the framework or of the
 * schema check could repeat the request.
 */
export function answerError(
  error: FastifyError | ServiceError | TooManyWaiting,
  request: FastifyRequest,
  reply: FastifyReply,
  { explain }: { explain: boolean },
) {
  // Fastify says `close`: the connection would be reset before a client that is still sending has
  // read this
  reply.removeHeader('connection');
  if (error instanceof ServiceError) {
    const { code, reason } = error;
    request.reason = reason ?? '';
    // It is about the request, and not about a block
    if (code === 'invalid_request' && reason) return answer(reply, code, { message: reason });
    return answer(reply, code, explain && reason ? { reason } : {});
  }
  if (error instanceof TooManyWaiting) {
    reply.header('retry-after', error.retryAfterS);
    return answer(reply, 'service_busy');
  }
  if (error.validation) {
    const details = fieldAtFault(error, request);
    request.reason = details.message;
    return answer(reply, 'invalid_request', details);
  }
  if (error.statusCode === 413) return answer(reply, 'request_too_large');
  if (error.statusCode === 415) return answer(reply, 'unsupported_media_type');
  if (error.statusCode && error.statusCode < 500) return answer(reply, 'invalid_request');
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '));
  request.log.error({ name: error.name, frames }, 'failed'); // without its message
  return answer(reply, 'internal_error');
}

export function answer(reply: FastifyReply, code: ErrorCode, details?: ErrorDetails) {
  const [status] = ERRORS[code];
  reply.request.errorCode = code;
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  return reply.code(status).send(errorBody(code, details));
}

/**
 * The field's name is taken from the schema, never from the request: a card can be posted in the
 * place of a name.
 */
function fieldAtFault({ validation, validationContext }: FastifyError, request: FastifyRequest) {
  const { keyword, instancePath, params, message } = validation![0]!;
  const schema = request.routeOptions.schema?.[validationContext as 'body'] as
    | { properties?: object }
    | undefined;
  const missing =
    keyword === 'required' && instancePath === ''
      ? (params.requiredProperties as string[])[0]
      : undefined;
  const name = missing ?? instancePath.split('/')[1];
  const param = Object.keys(schema?.properties ?? {}).find((property) => property === name);
  // The validator says "schema is false"
  const rule = keyword === 'boolean' ? 'has an unknown property' : message;
  // The first message consists of the schema alone. Only the keyword `propertyNames` quotes the
  // request, and it comes after what it sums up.
  return {
    message: `${param ?? validationContext}: ${missing ? 'is required' : rule}.`,
    ...(param && { param }),
  };
}

/** What is not even HTTP, or does not arrive in time. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket) {
  const codes: Record<string, ErrorCode> = {
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
    HPE_HEADER_OVERFLOW: 'headers_too_large',
  };
  const code = codes[error.code ?? ''] ?? 'invalid_request';
  const body = JSON.stringify(errorBody(code));
  const [status] = ERRORS[code];
  if (socket.writable && error.code !== 'ECONNRESET') {
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
    ];
    socket.write(
      [...head, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close', '', body].join(
        '\r\n',
      ),
    );
  }
  socket.destroySoon();
}
