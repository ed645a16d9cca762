import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { createApp } from 'vue';
import readme from '../../../README.md?raw';
import { later, next, TYPED } from '../../support/form.ts';
import { Checkout as ReactCheckout } from './readme/Checkout.tsx';
import reactSource from './readme/Checkout.tsx?raw';
import VueCheckout from './readme/Checkout.vue';
import vueSource from './readme/Checkout.vue?raw';
import plainPage from './readme/checkout.html?raw';
import plainSource from './readme/checkout.ts?raw';

test.each([
  ['html', plainPage],
  ['ts', plainSource],
  ['tsx', reactSource],
  ['vue', vueSource],
])('README shows the page that is tested here: %s', (language, source) => {
  expect(readme).toContain(`\`\`\`${language}\n${source}\`\`\``);
});

/** An empty place on the page, and beside it a frame for what is posted. */
function place() {
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = '<main></main><iframe name="answer"></iframe>';
  later(() => host.remove());
  return { main: host.querySelector('main')!, frame: host.querySelector('iframe')! };
}

/** Fills the form as a shopper does, as far as frameworks can tell, and presses the button. */
function pay(form: HTMLFormElement, cvv = TYPED.cvv) {
  form.target = 'answer';
  [TYPED.number, TYPED.name, TYPED.expiry, cvv].forEach((value, i) => {
    const input = form.querySelectorAll('input')[i]!;
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  form.querySelector('button')!.click();
}

async function answer(frame: HTMLIFrameElement): Promise<string> {
  for (;;) {
    await next(frame, 'load');
    const text = frame.contentDocument?.body.textContent?.trim();
    if (text) return text;
  }
}

test('a plain page pays', async () => {
  const { main, frame } = place();
  main.innerHTML = plainPage;
  await import('./readme/checkout.ts');
  const answered = answer(frame);
  pay(main.querySelector('form')!);
  expect(await answered).toBe('committed');
});

test('the React page pays, in StrictMode', async () => {
  const { main, frame } = place();
  const root = createRoot(main);
  later(() => root.unmount());
  root.render(createElement(StrictMode, {}, createElement(ReactCheckout)));
  const form = await vi.waitUntil(() => main.querySelector('form'));
  await vi.waitUntil(() => form.noValidate);
  const answered = answer(frame);
  pay(form);
  expect(await answered).toBe('committed');
  root.unmount();
  expect(form.noValidate).toBe(false);
});

test('the Vue page pays, with another card after a decline', async () => {
  const { main } = place();
  const app = createApp(VueCheckout);
  app.mount(main);
  later(() => app.unmount());
  const form = main.querySelector('form')!;
  const ready = next(form, 'cardseal:ready').then(() => next(form, 'cardseal:ready'));
  pay(form, '0000');
  await vi.waitUntil(() => main.textContent?.includes('failed'));
  await ready;
  pay(form);
  await vi.waitUntil(() => main.textContent?.includes('committed'));
});
