/** The examples of docs/api/ that need a page. */
import { expect, test, vi } from 'vitest';
import { later } from '../support/form.ts';
import { visit } from '../support/tag-page.ts';
import checkPage from './snippets/check-report.html?raw';
import plainPage from './snippets/checkout.html?raw';

function place(content: string): HTMLElement {
  const main = document.body.appendChild(document.createElement('main'));
  later(() => main.remove());
  main.innerHTML = content;
  return main;
}

const valuesOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll('input')].slice(0, 4).map(({ value }) => value);

/**
 * Tells whether the library stops a press. Nothing is ever sent: Firefox would, for an event by
 * script.
 */
function watchPresses(form: HTMLFormElement): () => boolean {
  const passed = vi.fn((event: Event) => event.preventDefault());
  form.addEventListener('submit', passed);
  return () => {
    passed.mockClear();
    form.dispatchEvent(new Event('submit', { cancelable: true, bubbles: true }));
    return passed.mock.calls.length === 0;
  };
}

test('CardFormBinding: a declined card, another one that pays, and a removed component', async () => {
  const main = place(
    `${plainPage}<button type="button" id="place-order">Place order</button><output></output>`,
  );
  const form = main.querySelector('form')!;
  const stopsPresses = watchPresses(form);
  const onReady = vi.fn();
  form.addEventListener('cardseal:ready', onReady);
  const statuses = ['failed', 'committed'];
  const request = vi.fn(async () => Response.json({ status: statuses.shift() }));
  vi.stubGlobal('fetch', request);
  later(() => void vi.unstubAllGlobals());
  const { onRemove } = await import('./snippets/card-form-binding.ts');
  expect(stopsPresses()).toBe(true);
  for (const count of [1, 2]) {
    const { typeCard } = await import('../../src/testing/index.ts');
    typeCard(form);
    main.querySelector<HTMLElement>('#place-order')!.click();
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(count));
    await vi.waitFor(() => expect(valuesOf(form)).toEqual(['', '', '', '']));
    if (count === 1) await vi.waitFor(() => expect(onReady).toHaveBeenCalledTimes(2)); // open again
  }
  await vi.waitFor(() => expect(stopsPresses()).toBe(false)); // closed
  expect(main.querySelector('output')!.textContent).toBe('Thank you. You have paid.');
  onRemove();
  expect(statuses).toEqual([]);
});

test('CheckoutBinding: a removed component lets the form go', async () => {
  const form = place(plainPage).querySelector('form')!;
  const stopsPresses = watchPresses(form);
  const { onRemove } = await import('./snippets/checkout-binding.ts');
  expect(stopsPresses()).toBe(true);
  onRemove();
  expect(stopsPresses()).toBe(false);
});

test('typeCard: the fields are filled, and the button is pressed', async () => {
  const form = place(plainPage).querySelector('form')!;
  const pressed: string[][] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    pressed.push(valuesOf(form));
  });
  await import('./snippets/type-card.ts');
  const { TEST_CARD } = await import('../../src/testing/index.ts');
  const { number, name, expiry } = TEST_CARD;
  expect(pressed).toEqual([[number, name, expiry, '835']]);
});

test('the report of the check names what a page stores in clear text', async () => {
  later(() => localStorage.removeItem('draft'));
  const page = await visit({ head: '', body: checkPage });
  await vi.waitFor(() => expect(page.document.title).toBe('clear text'));
});
