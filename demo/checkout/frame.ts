import { type Html, html } from './html.ts';

interface Page {
  title: string;
  /** The element that loads the page's script. */
  script?: Html;
  body: Html;
  /** A BCP 47 language tag. Default: `en`. */
  language?: string;
}

/** A whole page. */
export function frame({ title, script, body, language = 'en' }: Page): string {
  return html`<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · The Bookshop</title>
    <link rel="stylesheet" href="/assets/checkout.css">
    ${script}
  </head>
  <body>
    <header>The Bookshop</header>
    <main>
      ${body}
    </main>
  </body>
</html>
`.markup;
}
