import { type Html, html } from './html.ts';

/** A whole page. `script`: the element that loads its script. */
export function frame({ title, script, body }: { title: string; script?: Html; body: Html }): string {
  return html`<!doctype html>
<html lang="en">
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

/** `amount`: minor units. */
export function money({ amount, currency }: { amount: number; currency: string }): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(amount / 10 ** format.resolvedOptions().maximumFractionDigits!);
}
