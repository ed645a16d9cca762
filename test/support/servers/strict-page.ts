/**
 * Vite plugin: serves below /strict/ an empty page under the policy that SECURITY.md promises to work with, but for `frame-ancestors`, since
 * the tests hold it in a frame; and the built files as they are published, past Vite's transformations.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { PLANTED } from '../planted.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'";

const EMPTY =
  '<!doctype html><title>strict</title><script type="module" src="/strict/load"></script>';

export const strictPage = (): Plugin => ({
  name: 'strict page',
  configureServer(server) {
    server.middlewares.use('/strict', (request, response) => {
      const [, folder, ...path] = decodeURIComponent(
        new URL(request.url!, 'http://localhost').pathname,
      ).split('/');
      const name = path.join('/');
      const send = (type: string, body: string | Buffer) =>
        response.setHeader('content-type', `${type}; charset=utf-8`).end(body);
      response.setHeader('cache-control', 'no-store');
      if (folder === 'page') {
        response.setHeader('content-security-policy', POLICY);
        return send('text/html', EMPTY);
      }
      if (folder === 'load') return send('text/javascript', 'window.load = (url) => import(url);');
      if (folder === 'planted')
        return send(
          'text/javascript',
          `export default () => { ${PLANTED[name as keyof typeof PLANTED]} };`,
        );
      if (folder === 'dist')
        return send(
          'text/javascript',
          readFileSync(join(import.meta.dirname, '../../../dist', name)),
        );
      response.statusCode = 404;
      return response.end();
    });
  },
});
