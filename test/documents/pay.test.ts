/** docs/pay.md: its two pages pay. */
import { expect, test, vi } from 'vitest';
import { readIn, typeCard } from '../pay/shop.ts';
import { html, later } from '../support/form.ts';
import { visit } from '../support/tag-page.ts';
import page from './snippets/pay.html?raw';

const PAID = 'Thank you. You have paid.';

/** Both pages have the same order: the second one may find it paid. */
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

test('the page without a build', async () => {
  const { document } = await visit({ head: '', body: page.replace('/js/', '/dist/') });
  await payIn(document);
});
