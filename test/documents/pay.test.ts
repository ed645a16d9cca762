/** docs/pay.md: its pages pay. docs/next-order.md: the line beside a form that is hidden. */
import { expect, test, vi } from 'vitest';
import nextOrderPage from '../../docs/next-order.md?raw';
import { openShop, readIn, typeCard } from '../pay/shop.ts';
import { html, later, next } from '../support/form.ts';
import { visit } from '../support/tag-page.ts';
import page from './snippets/pay.html?raw';

const PAID = 'Thank you. You have paid.';

/** The pages have the same order: a later one may find it paid. */
async function payIn(document: Document): Promise<void> {
  const form = document.querySelector('form')!;
  typeCard(form);
  await vi.waitFor(() => {
    if (readIn(document.body) === PAID) return;
    expect(form.querySelector('button')!.disabled).toBe(false);
  });
  form.querySelector('button')!.click();
  await vi.waitFor(() => expect(readIn(document.body)).toBe(PAID), { timeout: 20_000 });
}

test('the page with a module', async () => {
  const host = document.body.appendChild(window.document.createElement('main'));
  later(() => host.remove());
  host.innerHTML = `<form>${html()}</form>`;
  await import('./snippets/pay.ts');
  await payIn(document);
});

test.each(['cardseal.pay.js', 'cardseal.pay.readable.js'])('the page with %s', async (file) => {
  const { document } = await visit({
    head: '',
    body: page.replace('/js/cardseal.pay.js', `/dist/${file}`),
  });
  await payIn(document);
});

test('the line beside a hidden form stays until the form appears, also if no key comes', async () => {
  const [style] = /form:not.* \{ display: none \}/.exec(nextOrderPage)!;
  const shop = openShop();
  shop.form.hidden = true;
  const waiting = `<p class="waiting">Please wait.</p><style>${style}</style>`;
  shop.form.insertAdjacentHTML('afterend', waiting);
  const line = shop.host.querySelector<HTMLElement>('.waiting')!;
  const seen = () => [shop.form, line].map((element) => element.getClientRects().length > 0);
  await shop.next('GET', 'wait');
  shop.bind({ keyTimeoutMs: 1 });
  await next(shop.form, 'cardseal:error');
  expect(seen()).toEqual([false, true]);
  await shop.go();
  await vi.waitFor(() => expect(seen()).toEqual([true, false]));
});
