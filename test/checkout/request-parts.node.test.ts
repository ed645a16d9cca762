/** What a request has, whatever the framework: `partsOf`, at the limits of what it reads. */
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  type NodeRequest,
  partsOf,
  type ServerRequest,
  type WebRequest,
} from '../../src/checkout/request-parts.ts';

const MOST = 8 * 1024;
const NO_BODY = { is: 'text', text: '' };
const bodyOf = (request: ServerRequest) => partsOf(request).body();

function nodeRequest(chunks: (string | Uint8Array)[], more: Partial<NodeRequest> = {}) {
  const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
  for (const [name, value] of Object.entries({ headers: {}, ...more }))
    Object.defineProperty(stream, name, { value });
  return stream as Readable & NodeRequest;
}

function webRequest(chunks: (string | Uint8Array)[], headers: Record<string, string> = {}) {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(Buffer.from(chunk));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const request: WebRequest = {
    method: 'POST',
    headers: new Headers(headers),
    body,
    bodyUsed: false,
    text: () => Promise.reject(new Error('not asked')),
  };
  return { request, isCancelled: () => isCancelled };
}

describe('a request of http', () => {
  test('has its method, and the values of a header in one', () => {
    expect(partsOf(nodeRequest([], { method: 'POST' })).method).toBe('POST');
    expect(partsOf(nodeRequest([])).method).toBe('');
    const headers = { accept: 'text/html', via: ['a', 'b'] };
    const { header } = partsOf(nodeRequest([], { headers }));
    expect([header('accept'), header('via'), header('cookie')]).toEqual([
      'text/html',
      'a, b',
      undefined,
    ]);
  });

  test('may have a field of the name `text`', async () => {
    const request = Object.assign(nodeRequest(['{}']), { text: '{}' });
    expect(await bodyOf(request)).toEqual({ is: 'text', text: '{}' });
  });

  test.each<[is: string, request: Partial<NodeRequest>]>([
    ['text', { readableDidRead: true }],
    ['text', { readableDidRead: true, headers: { 'content-length': '0' } }],
    ['parsed', { readableDidRead: true, headers: { 'content-length': '2' } }],
    ['parsed', { readableDidRead: true, headers: { 'transfer-encoding': 'chunked' } }],
    ['parsed', { readableEnded: true, headers: { 'content-length': '2' } }],
  ])('that has been read is %s: %o', async (is, more) => {
    const request = nodeRequest([], { readableDidRead: false, readableEnded: false, ...more });
    expect(await bodyOf(request)).toEqual(is === 'text' ? NO_BODY : { is });
  });

  test('is not destroyed where its body is too large', async () => {
    const request = nodeRequest(['x'.repeat(MOST), 'x', 'x']);
    expect(await bodyOf(request)).toEqual({ is: 'too_large' });
    expect(request.destroyed).toBe(false);
  });

  test('whose text a parser has read may be as long as one that is read here', async () => {
    const text = 'x'.repeat(MOST);
    expect(await bodyOf(nodeRequest([], { body: text }))).toEqual({ is: 'text', text });
    expect(await bodyOf(nodeRequest([], { body: `${text}x` }))).toEqual({ is: 'too_large' });
  });
});

describe.each<[string, (chunks: (string | Uint8Array)[], length?: string) => ServerRequest]>([
  [
    'a request of http',
    (chunks, length) => nodeRequest(chunks, { headers: { 'content-length': length } }),
  ],
  [
    'a Request',
    (chunks, length) => webRequest(chunks, length ? { 'content-length': length } : {}).request,
  ],
])('%s', (_, make) => {
  test.each<[size: number, isRead: boolean]>([
    [MOST, true],
    [MOST + 1, false],
  ])('with %i bytes is read: %s', async (size, isRead) => {
    const text = 'x'.repeat(size);
    const expected = isRead ? { is: 'text', text } : { is: 'too_large' };
    expect(await bodyOf(make([text.slice(0, 9), text.slice(9)]))).toEqual(expected);
    const said = isRead ? { is: 'text', text: '{}' } : { is: 'too_large' };
    expect(await bodyOf(make(['{}'], `${size}`))).toEqual(said); // by its header alone
  });

  test('may have a character in two chunks', async () => {
    const bytes = new TextEncoder().encode('\u20ac');
    const body = await bodyOf(make([bytes.slice(0, 1), bytes.slice(1)]));
    expect(body).toEqual({ is: 'text', text: '\u20ac' });
  });
});

test('the stream of a Request is cancelled where its body is too large', async () => {
  const { request, isCancelled } = webRequest(['x'.repeat(MOST), 'x', 'x', 'x']);
  expect(await bodyOf(request)).toEqual({ is: 'too_large' });
  expect(isCancelled()).toBe(true);
});

test('a Request without a body has an empty one', async () => {
  expect(await bodyOf(new Request('http://shop.test/', { method: 'POST' }))).toEqual(NO_BODY);
});
