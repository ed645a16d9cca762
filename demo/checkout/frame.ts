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

/**
 * Why the shopper sees the form again: it is read out, and has the focus. Empty, it is the place
 * where a script of the page writes it.
 */
export function noticeLine(reason = ''): Html {
  const focus = reason && html` autofocus`;
  return html`<p id="notice" class="notice" role="alert" tabindex="-1"${focus}>${reason}</p>`;
}

/** `amount`: minor units. */
export function money(price: { amount: number; currency: string }, language = 'en'): string {
  const { amount, currency } = price;
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits!);
}
