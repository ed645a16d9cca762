import type { Plugin } from 'vite';

/** The policy under which the form must work, but for `frame-ancestors`: the test looks at the page in a frame. */
const POLICY =
  "default-src 'none'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'";

/** Serves `/strict-csp/<id>`: a page with a card form, its script, and the policy. The form posts to `/echo/<id>`. */
export function strictCspPage(): Plugin {
  return {
    name: 'strict CSP page',
    configureServer: ({ middlewares }) => {
      middlewares.use('/strict-csp', (request, response) => {
        response.setHeader('Content-Security-Policy', POLICY).setHeader('Content-Type', 'text/html');
        response.end(`<!doctype html><title>checkout</title><form method="post" action="/echo${request.url}">
          <input autocomplete="cc-number"><input autocomplete="cc-name"><input autocomplete="cc-exp"><input autocomplete="cc-csc">
          <button>Pay</button></form><script type="module" src="/browser/form/strict-csp-page.ts"></script>`);
      });
    },
  };
}
