/**
 * What servers hand over: a `Request`, a request of `http` or Express, a Fastify request, a Koa
 * context. Described by what is used of them, so that no framework and no Node is needed.
 */
export type ServerRequest =
  | WebRequest
  | NodeRequest
  | { raw: NodeRequest; body?: unknown }
  | { req: NodeRequest; request: object };

/** The part of a `Request` that is used. */
export interface WebRequest {
  /** `GET`, `HEAD` or `POST`. Any other one is answered with 405. */
  readonly method: string;
  /** Names are in any case. */
  readonly headers: { get(name: string): string | null };
  /** Nobody may have read it. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** If it is `true`, the answer is `misconfigured`. */
  readonly bodyUsed: boolean;
  /** Tells a `Request` from the others. */
  text(): Promise<string>;
}

/** The part of an `IncomingMessage` that is used. */
export interface NodeRequest {
  /** `GET`, `HEAD` or `POST`. Any other one is answered with 405. */
  method?: string | undefined;
  /** Names are in lower case. */
  headers: Record<string, string | string[] | undefined>;
  /** What a parser has made of the body, if one has run. */
  body?: unknown;
  /** Whether somebody has read from it. */
  readableDidRead?: boolean;
  /** Whether somebody has read it to its end. */
  readableEnded?: boolean;
  /** Reads the body and leaves the connection open for the answer. */
  iterator?(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
  /** Reads the body where there is no `iterator`. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>;
}

/** A request, whatever the framework. */
export interface Parts {
  method: string;
  /** Names are in lower case. */
  header(name: string): string | undefined;
  body(): Promise<Body>;
}

export type Body =
  | { is: 'text'; text: string }
  /** The field `encrypted_card` of a form that a parser has read. */
  | { is: 'field'; text: string }
  /** A parser has read a form without that field. */
  | { is: 'other_form' }
  | { is: 'too_large' }
  | { is: 'parsed' }
  /** The client is gone before its end. */
  | { is: 'incomplete' };

/** A block takes less than 2 KiB, and a form has other fields, too. */
const MOST_BYTES = 8 * 1024;

export function partsOf(request: ServerRequest): Parts {
  if (isWebRequest(request)) return ofWeb(request);
  if ('raw' in request) return ofNode(request.raw, request.body);
  if ('req' in request) return ofNode(request.req, (request.request as { body?: unknown }).body);
  return ofNode(request, request.body);
}

/** Not `instanceof`: some runtimes have several classes of this name. */
function isWebRequest(request: ServerRequest): request is WebRequest {
  return 'text' in request && typeof request.text === 'function';
}

function ofWeb(request: WebRequest): Parts {
  const header = (name: string) => request.headers.get(name) ?? undefined;
  return {
    method: request.method,
    header,
    async body() {
      if (request.bodyUsed || request.body?.locked) return { is: 'parsed' };
      if (isTooLong(header('content-length'))) return { is: 'too_large' };
      return request.body ? read(chunksOf(request.body)) : { is: 'text', text: '' };
    },
  };
}

function ofNode(request: NodeRequest, parsed: unknown): Parts {
  const header = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    method: request.method ?? '',
    header,
    async body() {
      if (isTooLong(header('content-length'))) return { is: 'too_large' };
      if (typeof parsed === 'string') return limited(parsed);
      if (parsed instanceof Uint8Array) return limited(new TextDecoder().decode(parsed));
      // The error of a parser of forms holds no body. That of a JSON parser does.
      const field = (parsed as { encrypted_card?: unknown } | undefined)?.encrypted_card;
      if (typeof field === 'string') return { is: 'field', text: field };
      // Breaking off must not destroy the request: the connection would go with it.
      const isUnread = !request.readableDidRead && !request.readableEnded;
      if (isUnread) return read(request.iterator?.({ destroyOnReturn: false }) ?? request);
      if (isForm(header('content-type')) && Object.keys(Object(parsed)).length > 0)
        return { is: 'other_form' };
      // A parser that finds nothing to parse may have said that it has read it.
      return hasBody(header) ? { is: 'parsed' } : { is: 'text', text: '' };
    },
  };
}

/** Whether a browser sends such a body for a form by itself. */
export const isForm = (contentType: string | undefined): boolean =>
  FORM_TYPES.some((it) => contentType?.trim().toLowerCase().startsWith(it));
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data'];

function hasBody(header: Parts['header']): boolean {
  return (header('content-length') ?? '0') !== '0' || header('transfer-encoding') !== undefined;
}

const isTooLong = (contentLength: string | undefined) => Number(contentLength ?? 0) > MOST_BYTES;

function limited(text: string): Body {
  return text.length > MOST_BYTES ? { is: 'too_large' } : { is: 'text', text };
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Body> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) return { is: 'too_large' };
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    return { is: 'incomplete' };
  }
  return { is: 'text', text: text + decoder.decode() };
}

/** Not every runtime lets a stream be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // does nothing at the end of the stream
  }
}
