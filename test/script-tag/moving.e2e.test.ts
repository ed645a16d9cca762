/** G1. Real clicks in real pages: nothing moves while the shopper presses a button. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ENGINES } from '../../tools/prepare/browsers.ts';
import { openTab, type Tab } from '../shops/tabs.ts';
import { cardIn, openTagShop, type TagShop } from '../support/tag-shop.ts';

/** The card stands in the form, so that the first thing the shopper does is to press the button. */
const FORM = `<form method="post" action="/pay" data-cardseal data-cardseal-key-url="/card-key">
<p>Number <input autocomplete="cc-number" value="4929119283746509"></p>
<p>Name <input autocomplete="cc-name" value="Zoe Quillow"></p>
<p>Expiry <input autocomplete="cc-exp" value="11/49"></p>
<p>Code <input autocomplete="cc-csc" value="583"></p>
<button id="pay">Pay</button></form>`;

/** Boxes without contents take room here. */
const STYLE =
  '<style>p, div { margin: 20px 0; padding: 5px } form { display: grid; gap: 9px }</style>';

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>shop</title>
${STYLE}
<script src="/cardseal.js"></script><body>${body}</body></html>`;

describe.each(ENGINES)('%s', (engine) => {
  let tab: Tab;
  let shop: TagShop | undefined;
  beforeAll(async () => {
    tab = await openTab(engine);
  });
  afterAll(() => tab.close());

  async function open(body: string, keyDelay = 0): Promise<TagShop> {
    await shop?.close();
    shop = await openTagShop(page(body));
    shop.keyDelay = keyDelay;
    await tab.open(shop.address);
    return shop;
  }
  afterAll(() => shop?.close());

  const middleOfPay = () =>
    tab.evaluate<{ x: number; y: number }>(`(() => {
      const { x, y, width, height } = document.querySelector('#pay').getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);

  const insert = (html: string) =>
    tab.evaluate(`(document.querySelector('main').innerHTML = ${JSON.stringify(html)}, true)`);

  test('a form that comes later has its key before the shopper gets to it', async () => {
    const shop = await open('<main></main>');
    await insert(FORM);
    await vi.waitUntil(() => shop.keyRequests === 1);
  });

  test('the first click in a form that comes later pays', async () => {
    const shop = await open('<main></main>');
    await insert(FORM);
    const { x, y } = await middleOfPay();
    await tab.click(x, y, 100);
    await vi.waitUntil(() => shop.posts.length === 1);
    expect(cardIn(shop.posts[0]!)?.Pan).toBe('4929119283746509');
  });

  test.each(['', '<p data-cardseal-status hidden></p>'])(
    'a form that is bound while the button is down pays: %s',
    async (status) => {
      const shop = await open('<main></main>');
      // Nothing tells the library that the form has a card before it gets the focus.
      await tab.evaluate(`(document.querySelector('main').attachShadow({ mode: 'open' }).innerHTML =
        ${JSON.stringify(STYLE + FORM.replace('<button', `${status}<button`))}, true)`);
      await tab.evaluate(`(addEventListener('pointerdown', () => Cardseal.bindCardForm(
        document.querySelector('main').shadowRoot.querySelector('form'))), true)`);
      const { x, y } = await tab.evaluate<{ x: number; y: number }>(`(() => {
        const pay = document.querySelector('main').shadowRoot.querySelector('#pay');
        const box = pay.getBoundingClientRect();
        return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      })()`);
      await tab.click(x, y, 100);
      await vi.waitUntil(() => shop.posts.length === 1);
    },
  );

  test('a text that comes while the button is down waits until it is up', async () => {
    const pressTwice = async () => {
      const shop = await open(FORM, 4000); // after the second press
      await vi.waitUntil(() => shop.keyRequests === 1);
      await tab.evaluate(`(window.clicks = [], window.texts = [],
        addEventListener('click', ({ target }) => clicks.push(target.id), true),
        addEventListener('mousedown', () =>
          texts.push(document.querySelector('[role=alert]').textContent), true), true)`);
      const { x, y } = await middleOfPay();
      await tab.click(x, y);
      // "One moment, please." comes after a second, while the shopper presses again.
      await tab.click(x, y, 1300);
      return shop;
    };
    // On a busy machine, it may have come before, and even the next page may be there.
    const heard = () =>
      tab.evaluate<[string, string[]]>('window.texts && [texts[1], clicks]').catch(() => null);
    let shop = await pressTwice();
    let both = await heard();
    for (; both?.[0] !== ''; both = await heard()) shop = await pressTwice();
    expect(both[1]).toEqual(['pay', 'pay']);
    await vi.waitUntil(() => shop.posts.length === 1);
  });

  test('a text that goes by the change that a press causes goes after the click', async () => {
    const shop = await open(FORM.replace('value="583"', 'value="5"'));
    await vi.waitUntil(() => shop.keyRequests === 1);
    const first = await middleOfPay();
    await tab.click(first.x, first.y);
    await vi.waitUntil(() =>
      tab.evaluate(`Boolean(document.querySelector('[role=alert]').textContent)`),
    );
    // As a password manager fills it in, and as masks tell of it.
    await tab.evaluate(`((control) => {
      control.value = '583';
      control.focus();
      const change = new Event('change', { bubbles: true });
      control.addEventListener('blur', () => control.dispatchEvent(change));
      return true;
    })(document.querySelector('[autocomplete=cc-csc]'))`);
    const { x, y } = await middleOfPay();
    await tab.click(x, y, 100);
    await vi.waitUntil(() => shop.posts.length === 1);
    expect(cardIn(shop.posts[0]!)?.Cvc).toBe('583');
  });
});
