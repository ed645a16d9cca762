import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';

/** What a form really sent. */
export interface Sent {
  method: string;
  contentType: string;
  query: [string, string][];
  body: [string, string][];
}

/** Gives the test pages a place to post to: `/echo/<id>` takes a form and answers with an empty page, `/sent/<id>` tells what has come so far. */
export function echo(): Plugin {
  const sent = new Map<string, Sent[]>();
  const handle = async (request: IncomingMessage, response: ServerResponse, next: () => void) => {
    const url = new URL(request.url!, 'http://localhost');
    const [, route, id] = url.pathname.split('/');
    const soFar = sent.get(id!) ?? [];
    if (route === 'sent')
      return void response.setHeader('Content-Type', 'application/json').end(JSON.stringify(soFar));
    if (route !== 'echo') return next();
    const contentType = request.headers['content-type'] ?? '';
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = new Response(chunks.length ? Buffer.concat(chunks) : '', {
      headers: { 'Content-Type': contentType },
    });
    const entries = contentType
      ? [...(await body.formData())].map(
          ([name, value]) => [name, String(value)] as [string, string],
        )
      : [];
    sent.set(id!, [
      ...soFar,
      { method: request.method!, contentType, query: [...url.searchParams], body: entries },
    ]);
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>received</title>');
  };
  return {
    name: 'echo',
    configureServer: ({ middlewares }) => {
      middlewares.use(handle);
    },
  };
}
