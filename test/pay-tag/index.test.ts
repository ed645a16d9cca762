/** The second script file: a page without a script of its own pays by `data-cardseal-url`. */
import { expect, test, vi } from 'vitest';
import { DECLINED, DECLINED_NUMBER, PAID, readIn, typeCard } from '../pay/shop.ts';
import { html } from '../support/form.ts';
import type { Fault, Kind, Seen } from '../support/servers/checkout.ts';
import { keyAttribute, prototypeScript, visit } from '../support/tag-page.ts';

const TAG = '<script src="/dist/cardseal.pay.js"></script>';

interface Options {
  head?: string;
  attributes?: string;
  around?: (form: string) => string;
}

async function openPage({ head = TAG, attributes = '', around = (it) => it }: Options = {}) {
  const shop = `/shop/${crypto.randomUUID()}`;
  const button = '<button disabled autocomplete="off" data-cardseal-enable>Pay</button>';
  const fields = html().replace('<button>Pay</button>', button);
  const form = `<form data-cardseal-url="${shop}/checkout" ${attributes}>${fields}</form>`;
  const page = await visit({ head, body: around(form) });
  const tell = async (path: string): Promise<Seen> => (await fetch(`${shop}/${path}`)).json();
  const first = () => page.document.querySelector('form')!;
  return {
    ...page,
    document: page.document,
    window: page.window,
    url: `${shop}/checkout`,
    formHtml: form,
    seen: () => tell('seen'),
    next: (kind: Kind, fault: Fault) => tell(`fault/${kind}/${fault}`),
    type: (card = {}) => typeCard(first(), card),
    press: () => first().querySelector('button')!.click(),
    waitFor: (text: string) =>
      vi.waitFor(() => expect(readIn(page.document.body)).toBe(text), { timeout: 20_000 }),
  };
}

test('pays, and the button is enabled only when the form is bound', async () => {
  const page = await openPage();
  expect(page.document.querySelector('button')!.disabled).toBe(false);
  page.type({ number: DECLINED_NUMBER });
  page.press();
  await page.waitFor(DECLINED);
  page.type();
  page.press();
  await page.waitFor(PAID);
  expect(await page.seen()).toMatchObject({ charges: 1 });
});

test('pays where arrays and elements have functions of Prototype 1.6', async () => {
  const prototype = prototypeScript();
  const page = await openPage({ head: `<script src="${prototype.path}"></script>${TAG}` });
  page.type();
  page.press();
  await page.waitFor(PAID);
});

test('has all of Cardseal, and binds the forms of cardseal.js, too', async () => {
  const page = await openPage();
  const names = [
    'CardEncryptionError',
    'bindCardForm',
    'bindCheckout',
    'encryptCard',
    'prepareKey',
  ];
  expect(Object.keys(page.window.Cardseal).sort()).toEqual(names);
  const native = await visit({ head: TAG, attributes: keyAttribute() });
  native.fill();
  const answered = native.loaded();
  native.press();
  await answered;
  expect((await native.posted()).map(([name]) => name)).toEqual(['encrypted_card']);
});

test.each(['deferred', 'a module', 'twice', 'after cardseal.js'])(
  'one binding, however the file is loaded: %s',
  async (how) => {
    const heads: Record<string, string> = {
      deferred: TAG.replace('<script', '<script defer'),
      'a module': TAG.replace('<script', '<script type="module"'),
      twice: TAG + TAG,
      'after cardseal.js': `<script src="/dist/cardseal.js"></script>${TAG}`,
    };
    const page = await openPage({ head: heads[how]! });
    page.type();
    await vi.waitFor(() => expect(page.document.querySelector('button')!.disabled).toBe(false));
    page.press();
    await page.waitFor(PAID);
    expect((await page.seen()).requests).toEqual(['GET', 'key', 'pay']);
  },
);

test('a page that has the file twice is observed once', async () => {
  const count = `<script>
    window.observers = new Set();
    const { observe } = MutationObserver.prototype;
    MutationObserver.prototype.observe = function (target, options) {
      if (String(options.attributeFilter) === 'data-cardseal-url') observers.add(this);
      return observe.call(this, target, options);
    };
  </script>`;
  const page = await openPage({ head: count + TAG + TAG });
  expect(Reflect.get(page.window, 'observers')).toHaveProperty('size', 1);
});

test('a form that Turbo or htmx brings is bound when it comes, and let go of when it leaves', async () => {
  const page = await openPage({ around: (form) => `<main>${form}</main>` });
  const main = page.document.querySelector('main')!;
  page.type({ number: DECLINED_NUMBER });
  page.press();
  await page.waitFor(DECLINED);
  const requests = async () => (await page.seen()).requests;
  const declined = ['GET', 'key', 'pay', 'key']; // the last key is for the next card
  await vi.waitFor(async () => expect(await requests()).toEqual(declined));
  page.document.querySelector('form')!.remove();
  await page.waitFor(''); // the text about its card goes with it
  main.innerHTML = page.formHtml;
  await vi.waitFor(async () => expect(await requests()).toEqual([...declined, 'GET', 'key']));
  page.type();
  page.press();
  await page.waitFor(PAID);
});

test('a form that the page takes away when it is paid leaves its text', async () => {
  const page = await openPage();
  page.document.addEventListener('cardseal:outcome', (event) => {
    if ((event as CustomEvent).detail.isClosed) (event.target as Element).remove();
  });
  page.type();
  page.press();
  await page.waitFor(PAID);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await page.waitFor(PAID);
});

test.each([
  ['after the form', ''],
  ['in the place of the page', '<p data-cardseal-outcome></p>'],
])('a form that takes the place of a paid one also takes its text away: %s', async (_, place) => {
  const page = await openPage({ around: (form) => form + place });
  const next = await openPage();
  page.type();
  page.press();
  await page.waitFor(PAID);
  page.document.querySelector('form')!.outerHTML = next.formHtml;
  await page.waitFor('');
  page.type();
  page.press();
  await page.waitFor(PAID);
  expect(await next.seen()).toMatchObject({ charges: 1 });
});

test('a form that morphing shows again after its payment is bound for the next order', async () => {
  const page = await openPage();
  const form = page.document.querySelector('form')!;
  const next = await openPage();
  page.type();
  page.press();
  await page.waitFor(PAID);
  // Morphing keeps the elements, and gives them the attributes of the next page.
  for (const name of form.getAttributeNames()) form.removeAttribute(name);
  form.setAttribute('data-cardseal-url', next.url);
  form.querySelector('button')!.disabled = true;
  form.nextElementSibling!.remove();
  await vi.waitFor(() => expect(form.querySelector('button')!.disabled).toBe(false));
  page.type();
  page.press();
  await page.waitFor(PAID);
  expect(await next.seen()).toMatchObject({ charges: 1 });
});

test('an address that changes is that of the next request, and what is typed stays', async () => {
  const page = await openPage();
  const next = await openPage();
  await vi.waitFor(async () => expect((await page.seen()).requests).toContain('key'));
  page.type();
  page.document.querySelector('form')!.setAttribute('data-cardseal-url', next.url);
  await vi.waitFor(async () => expect((await next.seen()).requests).toContain('key'));
  page.press();
  await page.waitFor(PAID);
  expect((await page.seen()).blocks).toEqual([]);
});

test('a form that the page moves stays bound', async () => {
  const page = await openPage({ around: (form) => `${form}<main></main>` });
  await vi.waitFor(async () => expect((await page.seen()).requests).toContain('key'));
  page.document.querySelector('main')!.append(page.document.querySelector('form')!);
  page.type();
  page.press();
  await page.waitFor(PAID);
  expect((await page.seen()).requests).toEqual(['GET', 'key', 'pay']);
});

test('the attributes of cardseal.js hold here, too', async () => {
  const messages = { failed: 'Abgelehnt.', committed: 'Bezahlt.' };
  const attributes = `data-cardseal-messages='${JSON.stringify(messages)}' data-cardseal-luhn="off"`;
  const page = await openPage({ attributes });
  page.type({ number: '4242424242424241' }); // the sandbox declines what has no check digit
  page.press();
  await page.waitFor('Abgelehnt.');
});

test('an attribute that is wrong blocks the form: each press ends in a message', async () => {
  const page = await openPage({ attributes: 'data-cardseal-messages="{"' });
  page.type();
  page.press();
  await page.waitFor('Card payment is not available at the moment.');
  expect((await page.seen()).requests).toEqual([]);
});
