import IMask from 'imask';
import { createElement, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { describe, expect, test, vi } from 'vitest';
import { createApp, nextTick } from 'vue';
import type { EncryptedCard } from '../../src/core/index.ts';
import { decrypt } from '../support/core.ts';
import {
  bind,
  CARD,
  FIELDS,
  fill,
  html,
  later,
  OTHER,
  OTHER_CARD,
  open,
  type Page,
  TYPED,
  testRealInput,
  textRead,
  user,
  values,
} from '../support/form.ts';
import { ControlledCard } from './controlled-react.tsx';
import ControlledCardInVue from './controlled-vue.vue';
import { CardOfOneObject } from './vue-of-one-object.ts';

const { expiry: _, ...STATE } = TYPED;

/** An empty place on the page. */
function place(): HTMLElement {
  const element = document.body.appendChild(document.createElement('main'));
  later(() => element.remove());
  return element;
}

/** Fills in the card as a shopper does, and chooses the month. */
async function type(host: HTMLElement) {
  const control = (token: string) =>
    host.querySelector<HTMLInputElement>(`[autocomplete=${token}]`)!;
  await user.type(control('cc-number'), TYPED.number);
  await user.type(control('cc-name'), TYPED.name);
  // Firefox raises it when the field loses the focus, but not in a window in the background.
  control('cc-name').dispatchEvent(new Event('change', { bubbles: true }));
  await user.selectOptions(host.querySelector<HTMLSelectElement>('select')!, '11');
  await user.type(control('cc-exp-year'), TYPED.exp_year);
  await user.type(control('cc-csc'), TYPED.cvv);
}

/**
 * What of the card is anywhere in the controls, their attributes and the page's markup. The block is
 * left out: three digits occur in it by chance.
 */
function remains(host: HTMLElement): string[] {
  const texts = [...host.querySelectorAll('input:not([name=encrypted_card]), select')].map(
    (control) => (control as HTMLInputElement).value,
  );
  const markup = host.cloneNode(true) as HTMLElement;
  markup.querySelector('[name=encrypted_card]')?.remove();
  const all = [...texts, markup.innerHTML].join('\n');
  return [TYPED.number, TYPED.name, TYPED.exp_year, TYPED.cvv].filter((value) =>
    all.includes(value),
  );
}

function payIn(host: HTMLElement): Promise<EncryptedCard> {
  const form = host.querySelector('form')!;
  return new Promise<EncryptedCard>((resolve) => {
    bind(form, { onEncrypted: resolve });
    form.querySelector('button')!.click();
  });
}

// Claim nothing-left
test('controlled React inputs: DOM and state are empty after success, and after a re-render', async () => {
  const host = place();
  const seen: object[] = [];
  const root = createRoot(host);
  later(() => root.unmount());
  root.render(
    createElement(
      StrictMode,
      {},
      createElement(ControlledCard, { seen: (state) => seen.push(state) }),
    ),
  );
  await vi.waitUntil(() => host.querySelector('form'));
  await type(host);
  expect([seen.at(-1), remains(host).length]).toEqual([STATE, 4]);
  expect(await decrypt(await payIn(host))).toEqual(CARD);
  await vi.waitUntil(() => !remains(host)[0]);
  host.querySelector<HTMLElement>('[type=button]')!.click();
  await vi.waitUntil(() => host.textContent?.includes('Rendered 1 times'));
  expect(remains(host)).toEqual([]);
  expect(Object.values(seen.at(-1)!).filter(Boolean)).toEqual([]);
});

test.each([
  ['an element for the status: the form stays, with what was typed', true],
  ['none: React finds a line that it does not know, and renders the form anew', false],
])('React hydrates a bound form that has %s', async (_, hasStatus) => {
  const status = '<p data-cardseal-status=""></p>';
  const host = place();
  host.innerHTML = `<form><div>${FIELDS}</div>${hasStatus ? status : ''}<button type="submit">Pay</button></form>`;
  const form = host.querySelector('form')!;
  bind(form);
  form.querySelector('input')!.value = TYPED.number;

  const onRecoverableError = vi.fn();
  const committed = vi.fn();
  const content = createElement(
    'form',
    { ref: committed },
    createElement('div', { dangerouslySetInnerHTML: { __html: FIELDS } }),
    hasStatus && createElement('p', { 'data-cardseal-status': '', role: 'alert' }),
    createElement('button', { type: 'submit' }, 'Pay'),
  );
  const root = hydrateRoot(host, content, { onRecoverableError });
  later(() => root.unmount());
  await vi.waitFor(() => expect(committed).toHaveBeenCalled());
  expect(host.querySelector('form') === form).toBe(hasStatus);
  expect(host.querySelector('input')!.value).toBe(hasStatus ? TYPED.number : '');
  expect(onRecoverableError).toHaveBeenCalledTimes(hasStatus ? 0 : 1);
});

// Claim emptied-when-left
test('React: restart() in a handler empties DOM and state, although each change replaces the state of the last render', async () => {
  const host = place();
  const seen: object[] = [];
  const root = createRoot(host);
  later(() => root.unmount());
  const act = () => void binding.restart();
  const see = (state: object) => void seen.push(state);
  root.render(createElement(ControlledCard, { seen: see, act }));
  const form = await vi.waitUntil(() => host.querySelector('form'));
  const binding = bind(form);
  await type(host);
  expect(remains(host)).toHaveLength(4);
  host.querySelector<HTMLElement>('[type=button]')!.click();
  await vi.waitUntil(() => host.textContent?.includes('Rendered 1 times'));
  await vi.waitUntil(() => Object.values(seen.at(-1)!).join('') === '');
  expect(remains(host)).toEqual([]);
});

describe('Vue with one object for the card, which each change replaces by a copy', () => {
  function openCard() {
    const host = place();
    const app = createApp(CardOfOneObject);
    later(() => app.unmount());
    const mounted = app.mount(host) as unknown as { card: typeof STATE };
    return { host, form: host.querySelector('form')!, state: () => Object.values(mounted.card) };
  }

  async function typeInto(form: HTMLFormElement) {
    const { number, name, expiry, cvv } = TYPED;
    for (const [i, value] of [number, name, expiry, cvv].entries()) {
      const input = form.querySelectorAll('input')[i]!;
      input.value = value;
      input.dispatchEvent(new Event('input'));
      await nextTick();
    }
  }

  const EMPTY_STATE = ['', '', '', ''];
  const contents = (form: HTMLFormElement) =>
    [...form.querySelectorAll<HTMLInputElement>('[autocomplete]')].map(({ value }) => value);

  // Claim emptied-before-code
  test('the fields are empty when encrypt() gives the block, and stay so; a retry has it again', async () => {
    const { form, state } = openCard();
    const binding = bind(form);
    await typeInto(form);
    const block = await binding.encrypt();
    expect(contents(form)).toEqual(EMPTY_STATE);
    await vi.waitUntil(() => state().join('') === '');
    expect(contents(form)).toEqual(EMPTY_STATE);
    expect(await decrypt(block!)).toEqual(CARD);
    expect(await binding.encrypt()).toEqual(block);
  });

  // Claim emptied-before-code
  test('the handler of a card button finds them empty, at once and after it has waited', async () => {
    const { form } = openCard();
    const button = form.querySelector('button')!;
    button.type = 'button';
    button.setAttribute('data-cardseal-button', '');
    const found = new Promise<unknown[]>((resolve) => {
      button.addEventListener('click', async () => {
        const seen = [contents(form)];
        for (let turn = 0; turn < 9; turn++) {
          await null;
          seen.push(contents(form));
        }
        resolve(seen);
      });
    });
    bind(form);
    await typeInto(form);
    button.click();
    expect(await found).toEqual(Array(10).fill(EMPTY_STATE));
  });

  // Claim emptied-when-left
  test('a reset empties them', async () => {
    const { form, state } = openCard();
    bind(form);
    await typeInto(form);
    form.reset();
    await vi.waitUntil(() => state().join('') === '');
    expect(contents(form)).toEqual(EMPTY_STATE);
  });
});

// Claim emptied-before-code
describe('a page that renders what it knew, in a microtask of each of its nested components', () => {
  /** Binds it and presses, and gives what `onEncrypted` finds in each of many microtasks. */
  async function findsIn(page: Page, components: number, isDateApart = false): Promise<string[][]> {
    const fields = ['number', 'name', isDateApart ? 'exp_year' : 'expiry', 'cvv'];
    let shown: Record<string, string> = { ...TYPED, exp_month: '11', exp_year: '2049' };
    fill(page, shown as typeof TYPED);
    const render = async (next: typeof shown) => {
      for (let i = 0; i < components; i++) await null;
      shown = next;
      for (const field of fields) page.control(field).value = next[field]!;
    };
    for (const field of fields) {
      const control = page.control(field);
      control.addEventListener('input', () => render({ ...shown, [field]: control.value }));
    }
    return new Promise((resolve) => {
      const onEncrypted = async () => {
        const found = [];
        for (let turn = 0; turn < 50; turn++) {
          found.push(values(page));
          await new Promise((ends) => setTimeout(ends));
        }
        resolve(found);
      };
      bind(page.form, { onEncrypted });
      page.button().click();
    });
  }

  test.each([1, 2, 5])('%i of them', async (components) => {
    const found = await findsIn(open(html()), components);
    expect(found.filter((some) => some.join('') !== '')).toEqual([]);
  });

  test('although a listener fills another control at once', async () => {
    const expiry = `<select autocomplete="cc-exp-month"><option>11</select>
      <input autocomplete="cc-exp-year">`;
    const page = open(html({ expiry }));
    const month = page.form.querySelector('select')!;
    month.addEventListener('change', () => {
      month.selectedIndex = 0; // there is no other one
    });
    const found = await findsIn(page, 1, true);
    expect(found.filter((some) => some.join('') !== '11')).toEqual([]);
  });
});

test('a page that fills a field again with the same name, and says so by an event, keeps it', async () => {
  const page = open(html());
  fill(page);
  const name = page.control('name');
  const fillAgain = async () => {
    await null; // what a listener fills at once is left alone anyway
    name.value = TYPED.name;
    name.dispatchEvent(new Event('change', { bubbles: true }));
  };
  name.addEventListener('input', fillAgain, { once: true });
  const encrypted = new Promise((resolve) => bind(page.form, { onEncrypted: resolve }));
  page.button().click();
  await encrypted;
  await new Promise((ends) => setTimeout(ends));
  expect(values(page)).toEqual(['', TYPED.name, '', '']);
});

testRealInput(
  'where React puts a list of months back to its first one, a retry sends the same block until the shopper chooses a month',
  async () => {
    const host = place();
    const root = createRoot(host);
    later(() => root.unmount());
    root.render(createElement(ControlledCard, { seen: () => {}, hasEmptyMonth: false }));
    const form = await vi.waitUntil(() => host.querySelector('form'));
    const month = form.querySelector('select')!;
    const pay = () => user.click(form.querySelector('button')!);
    const codes: string[] = [];
    form.addEventListener('cardseal:error', ({ detail }) => codes.push(detail.code));
    const blocks: EncryptedCard[] = [];
    bind(form, { onEncrypted: (block) => void blocks.push(block) });
    await type(host);
    await pay();
    await vi.waitUntil(() => month.value === '10'); // and not empty
    await pay();
    await vi.waitUntil(() => blocks.length === 2 || codes.length > 0);
    expect([codes, blocks[1]]).toEqual([[], blocks[0]]);
    await user.selectOptions(month, '11');
    await pay();
    await vi.waitUntil(() => codes.length > 0);
    expect([codes, blocks.length]).toEqual([['invalid_card'], 2]);
  },
);

// Claim nothing-left
test('Vue v-model: DOM and state are empty after success, and after a re-render', async () => {
  const host = place();
  const app = createApp(ControlledCardInVue);
  later(() => app.unmount());
  const { card } = app.mount(host) as unknown as { card: typeof STATE };
  await type(host);
  expect([card, remains(host).length]).toEqual([STATE, 4]);
  expect(await decrypt(await payIn(host))).toEqual(CARD);
  expect(Object.values(card).filter(Boolean)).toEqual([]);
  host.querySelector<HTMLElement>('[type=button]')!.click();
  await nextTick();
  expect(host.textContent).toContain('Rendered 1 times');
  expect(remains(host)).toEqual([]);
});

test('input masks: DOM and state are empty after success, also when the mask writes again', async () => {
  const page = open(html());
  const options = { number: '0000 0000 0000 0000', expiry: '00/00', cvv: '000[0]' };
  const masks = Object.entries(options).map(([field, mask]) =>
    IMask(page.control(field) as HTMLInputElement, { mask }),
  );
  later(() => {
    for (const mask of masks) mask.destroy();
  });
  const encrypted = new Promise<EncryptedCard>((resolve) =>
    bind(page.form, { onEncrypted: resolve }),
  );
  await user.type(page.control('number'), '4929119283746509');
  await user.type(page.control('name'), TYPED.name);
  await user.type(page.control('expiry'), '1149');
  await user.type(page.control('cvv'), '583');
  expect(masks.map(({ value }) => value)).toEqual(['4929 1192 8374 6509', '11/49', '583']);
  page.control('cvv').focus();
  page.button().click();
  expect(await decrypt(await encrypted)).toEqual(CARD);
  const state = () =>
    masks.flatMap((mask) => [mask.value, mask.unmaskedValue, mask.typedValue, mask.el.value]);
  expect(state().filter(Boolean)).toEqual([]);
  for (const mask of masks) mask.updateControl();
  expect(state().filter(Boolean)).toEqual([]);
});

// G2. Changed: `32/03` was read as March 2032.
test('a date of which a mask has dropped the end is refused', async () => {
  const page = open();
  const mask = IMask(page.control('expiry') as HTMLInputElement, { mask: '00/00' });
  later(() => mask.destroy());
  const blocks: EncryptedCard[] = [];
  bind(page.form, { onEncrypted: (block) => void blocks.push(block) });
  fill(page, { number: TYPED.number, name: TYPED.name, cvv: TYPED.cvv });
  await user.type(page.control('expiry'), '3/2031');
  expect(mask.value).toBe('32/03');
  page.button().click();
  await vi.waitUntil(() => textRead(page) || blocks.length > 0);
  expect([textRead(page), blocks]).toEqual(['Check the expiry date', []]);
});

async function render(action: (data: FormData) => void | Promise<void>) {
  const host = document.body.appendChild(document.createElement('main'));
  const root = createRoot(host);
  later(() => {
    root.unmount();
    host.remove();
  });
  const inner = {
    __html: `${FIELDS}<input name="email" value="z@example.com"><button name="how" value="card">Pay</button>`,
  };
  root.render(
    createElement('form', { action }, createElement('div', { dangerouslySetInnerHTML: inner })),
  );
  const form = await vi.waitUntil(() => host.querySelector('form'));
  const fill = ({ number, name, expiry, cvv }: typeof TYPED) =>
    [number, name, expiry, cvv].forEach((value, i) => {
      form.querySelectorAll('input')[i]!.value = value;
    });
  return { form, fill, press: () => form.querySelector('button')!.click() };
}

test('the function gets the block with the other fields once; React resets the form, and the next card has a block of its own', async () => {
  const got: FormData[] = [];
  const { form, fill, press } = await render((data) => void got.push(data));
  bind(form);
  fill(TYPED);
  press();
  await vi.waitUntil(() => got.length === 1);
  const number = form.querySelector('input')!;
  await vi.waitUntil(() => number.value === '' && !form.querySelector('[name=encrypted_card]'));
  await new Promise((resolve) => setTimeout(resolve)); // no shopper types before the reset is over
  fill(OTHER);
  press();
  await vi.waitUntil(() => got.length === 2);
  const all = got.map((data) => Object.fromEntries(data));
  const others = { email: 'z@example.com', how: 'card', encrypted_card: expect.any(String) };
  expect(all[0]).toEqual(others);
  const blocks = all.map(({ encrypted_card }) => JSON.parse(encrypted_card as string));
  expect(await Promise.all(blocks.map(decrypt))).toEqual([CARD, OTHER_CARD]);
});
