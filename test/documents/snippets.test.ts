/**
 * The snippets of README and docs/ for browsers, each run. snippets.node.test.ts compares their
 * texts.
 */
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import referencePage from '../../docs/api/form.md?raw';
import textsPage from '../../docs/messages.md?raw';
import { ENGLISH } from '../../src/form/feedback/texts.ts';
import { bindCardForm } from '../../src/form/index.ts';
import { freshKey } from '../support/core.ts';
import { CARD, hasRealInput, isBound, later, next, TYPED, user } from '../support/form.ts';
import { integrity, visit } from '../support/tag-page.ts';
import { Checkout as ReactCheckout } from './snippets/Checkout.tsx';
import cardButtonPage from './snippets/card-button.html?raw';
import plainPage from './snippets/checkout.html?raw';
import importMapPage from './snippets/import-map.html?raw';
import messagesPage from './snippets/messages.html?raw';
import otherWaysPage from './snippets/other-ways.html?raw';
import bindingPage from './snippets/script-tag-binding.html?raw';
import tagExample from './snippets/tag.html?raw';
import withoutScriptPage from './snippets/without-script.html?raw';

/** An empty place on the page, and beside it a frame for what is posted. */
function place(content = '') {
  const host = document.body.appendChild(document.createElement('div'));
  host.innerHTML = `<main>${content}</main><iframe name="answer"></iframe>`;
  later(() => host.remove());
  return { main: host.querySelector('main')!, frame: host.querySelector('iframe')! };
}

/** Fills the form as a shopper does, as far as frameworks can tell. */
function fill(form: HTMLFormElement, cvv = TYPED.cvv) {
  [TYPED.number, TYPED.name, TYPED.expiry, cvv].forEach((value, i) => {
    const input = form.querySelectorAll('input')[i]!;
    input.value = value;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** Fills the form and presses its button. */
function pay(form: HTMLFormElement, cvv = TYPED.cvv) {
  form.target = 'answer';
  fill(form, cvv);
  form.querySelector('button')!.click();
}

const valuesOf = (form: HTMLFormElement) =>
  [...form.querySelectorAll('input')].slice(0, 4).map(({ value }) => value);

async function answer(frame: HTMLIFrameElement): Promise<string> {
  for (;;) {
    await next(frame, 'load');
    const text = frame.contentDocument?.body.textContent?.trim();
    if (text) return text;
  }
}

test('the core pays, with another card after a decline', async () => {
  const core = await import('./snippets/core.ts');
  const card = { ...CARD };
  const declined = await core.pay({ ...CARD, cvv: '0000' });
  expect(await declined.json()).toEqual({ status: 'failed' });
  const response = await core.pay(card);
  expect(await response.json()).toEqual({ status: 'committed' });
  expect(card.number).toBe('');
});

test('a plain page pays', async () => {
  const { main, frame } = place(plainPage);
  await import('./snippets/checkout.ts');
  const answered = answer(frame);
  pay(main.querySelector('form')!);
  expect(await answered).toBe('committed');
});

/**
 * What the server of docs/server-routes.md can answer while the form stays: the text that the
 * shopper reads, and whether the next press sends the same block.
 */
const ANSWERS: [answer: () => Response, text: string, keepsBlock: boolean][] = [
  [() => Response.json({ status: 'failed' }), 'Your card was declined', false],
  [() => Response.json({ status: 'retry_is_safe' }), 'You will not pay twice', false],
  [() => Response.json({ status: 'not_paid' }), 'The payment could not be made', false],
  [
    () => Response.json({ status: 'invalid_encrypted_card' }, { status: 400 }),
    'The shop did not accept what was sent',
    false,
  ],
  [() => Response.json({ error: 'failed' }, { status: 500 }), 'you will not pay twice', true],
  [() => new Response('<!doctype html>', { status: 502 }), 'you will not pay twice', true],
  [() => Response.error(), 'you will not pay twice', true],
  [() => Response.json({ status: 'another' }), 'you will not pay twice', true],
];
const THANKS = 'Thank you. You have paid.';
const NOT_CERTAIN = 'Please do not pay again';

/** Replaces what the server answers to `/pay`. Gives the blocks that were posted. */
function answerPayments(answers: (() => Response)[], onPost: () => void): string[] {
  const posted: string[] = [];
  const request = window.fetch;
  vi.stubGlobal('fetch', async (input: RequestInfo, init: RequestInit) => {
    if (input !== '/pay') return request(input, init);
    onPost();
    const { body } = init;
    posted.push(String(body instanceof FormData ? body.get('encrypted_card') : body));
    return answers.shift()!();
  });
  later(() => void vi.unstubAllGlobals());
  return posted;
}

/** The last answer ends the form. */
type OwnWay = [way: string, button: string, status: string, text: string, run: () => unknown];
const [PAY, PLACE_ORDER] = ['#checkout button', '#place-order'];
const runOwnListener = () => import('./snippets/own-listener.ts');
const runEncrypt = () => import('./snippets/encrypt.ts');
const runOnEncrypted = () => import('./snippets/on-encrypted.ts');
const OWN_WAYS: OwnWay[] = [
  ['its own submit listener', PAY, 'committed', THANKS, runOwnListener],
  ['encrypt()', PLACE_ORDER, 'not_certain', NOT_CERTAIN, runEncrypt],
];
// Once `onEncrypted` has the block, a submit that no real click has caused counts as the script's.
if (hasRealInput) {
  OWN_WAYS.push(['onEncrypted', PAY, 'committed', THANKS, runOnEncrypted]);
}

test.each(OWN_WAYS)(
  'a page with %s thanks only a shopper who has paid, and sends a block again until it knows',
  async (_, button, lastStatus, lastText, run) => {
    const placeOrder = '<button type="button" id="place-order">Place order</button>';
    const { main } = place(`<output></output>${plainPage}${placeOrder}`);
    const form = main.querySelector('form')!;
    const output = main.querySelector('output')!;
    const last = () => Response.json({ status: lastStatus });
    const shownMeanwhile: unknown[] = [];
    const posted = answerPayments([...ANSWERS.map(([answer]) => answer), last], () => {
      shownMeanwhile.push(output.textContent);
    });
    const press = () => {
      const element = main.querySelector<HTMLElement>(button)!;
      return hasRealInput ? user.click(element) : element.click();
    };
    let ready = next(form, 'cardseal:ready');
    await run();
    await ready;
    let isOpen = true;
    for (const [i, [, text, keepsBlock]] of ANSWERS.entries()) {
      if (isOpen) fill(form);
      ready = next(form, 'cardseal:ready');
      await press();
      await vi.waitUntil(() => posted.length > i && output.textContent);
      expect(output.textContent).toContain(text);
      expect(output.textContent).not.toContain('Thank you');
      if (!keepsBlock) {
        await ready;
        expect(valuesOf(form)).toEqual(['', '', '', '']);
      }
      isOpen = !keepsBlock;
    }
    await press();
    await vi.waitUntil(() => output.textContent?.includes(lastText));
    expect(form.isConnected).toBe(false);
    expect(shownMeanwhile).toEqual(posted.map(() => '')); // nothing about an earlier card
    expect(posted).toHaveLength(ANSWERS.length + 1);
    expect(new Set(posted).size).toBe(5);
    expect(new Set(posted.slice(4)).size).toBe(1);
  },
);

/** The page with the hash that a release fills in. */
async function withHash(page: string): Promise<string> {
  const hash = (await integrity())['cardseal.js']!;
  return page.replace(/(?<=integrity=")[^"]+/, () => hash);
}

/** Opens a page whose form the browser submits, and pays. */
async function expectPayment(body: string) {
  const page = await visit({ head: '', body });
  await vi.waitUntil(() => isBound(page.form));
  page.fill();
  page.press();
  await page.loaded();
  expect(page.document.body.textContent).toBe('committed');
}

const moduleScript = `<script type="module">
  import { bindCardForm } from 'cardseal/form';
  import { prepareKey } from 'cardseal';
  const key = async () => prepareKey(await (await fetch('/card-key', { method: 'POST' })).json());
  bindCardForm(document.forms[0], { key });
</script>`;

test('ES modules work without a build, also with the hashes of integrity.json', async () => {
  await expectPayment(`${importMapPage}${plainPage}${moduleScript}`);
  const hashes = Object.entries(await integrity());
  const byAddress = hashes.map(([path, hash]) => [`/js/cardseal/${path}`, hash]);
  const addition = `, "integrity": ${JSON.stringify(Object.fromEntries(byAddress))} }`;
  const withHashes = importMapPage.replace(/ \}(?=\n)/, addition);
  await expectPayment(`${withHashes}${plainPage}${moduleScript}`);
});

test('a button that does not submit: its click handler finds the block and empty fields', async () => {
  const { main } = place(cardButtonPage);
  const form = main.querySelector('form')!;
  const binding = bindCardForm(form, { key: () => freshKey() });
  later(binding.unbind);
  const found: [FormDataEntryValue | null, string[]][] = [];
  const button = main.querySelector('button')!;
  button.addEventListener('click', () => {
    found.push([new FormData(form).get('encrypted_card'), valuesOf(form)]);
  });
  fill(form);
  button.click();
  await vi.waitUntil(() => found.length);
  expect(found).toEqual([[expect.stringContaining('"payload"'), ['', '', '', '']]]);
});

test('messages stand beside the fields and in the status', async () => {
  const { main } = place(messagesPage);
  const form = main.querySelector('form')!;
  const binding = bindCardForm(form, { key: () => Promise.reject() });
  later(binding.unbind);
  const press = () => form.querySelector('button')!.click();
  const shown = () => [...form.querySelectorAll('p')].map((p) => (p.hidden ? '' : p.textContent));
  press();
  await vi.waitUntil(() => shown()[0]);
  const { number_required, name_required, expiry_required, cvv_required } = ENGLISH;
  expect(shown()).toEqual([number_required, name_required, expiry_required, cvv_required, '']);
  fill(form);
  press();
  await vi.waitUntil(() => shown()[4]);
  expect(shown()).toEqual(['', '', '', '', ENGLISH.press_again]);
});

test('the React page pays, in StrictMode, with another card after a decline', async () => {
  const { main } = place();
  let keys = 0;
  main.addEventListener('cardseal:ready', () => {
    keys += 1;
  });
  const root = createRoot(main);
  later(() => root.unmount());
  root.render(createElement(StrictMode, {}, createElement(ReactCheckout)));
  await vi.waitUntil(() => keys === 1);
  const form = main.querySelector('form')!;
  pay(form, '0000');
  await vi.waitUntil(() => main.textContent?.includes('Your card was declined'));
  await vi.waitUntil(() => keys === 2);
  const stopsPresses = () => !form.dispatchEvent(new Event('submit', { cancelable: true }));
  fill(form);
  expect(stopsPresses()).toBe(true); // the control, and the press that pays
  await vi.waitUntil(() => main.textContent?.includes('Thank you. You have paid.'));
  expect(form.isConnected).toBe(false);
  document.body.append(form); // else no press would reach the document
  later(() => form.remove());
  await vi.waitUntil(() => !stopsPresses()); // React cleans up soon after it has taken the form out
  fill(form);
  expect(stopsPresses()).toBe(false);
});

test.each([
  ['the smallest', tagExample],
  ['one that keeps its button disabled until the script is there', withoutScriptPage],
  ['one that binds its form itself', bindingPage],
])('a page with the script tag pays: %s', async (_, body) => {
  await expectPayment(await withHash(body));
});

test('a page with other ways to pay sends a block only with a card payment', async () => {
  const page = await visit({ body: otherWaysPage });
  const { form } = page;
  const sent: boolean[] = [];
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sent.push(new page.window.FormData(form).has('encrypted_card'));
  });
  const press = (selector: string) => page.document.querySelector<HTMLElement>(selector)!.click();
  page.fill();
  press('[data-cardseal-skip]');
  press('[value=invoice]');
  press('[type=submit]');
  expect(sent).toEqual([false, false]);
  press('[value=card]');
  press('[type=submit]');
  await vi.waitUntil(() => sent.length === 3);
  expect(sent).toEqual([false, false, true]);
});

test('docs/api/form.md has each English text once', () => {
  const rows = [...referencePage.matchAll(/^\| `(\w+)` \| .+ \| (.+) \|$/gm)];
  const found = rows.map(([, name, text]) => [name, text]).filter(([name]) => name! in ENGLISH);
  expect(found).toHaveLength(16);
  expect(Object.fromEntries(found)).toEqual(ENGLISH);
});

const languages = Object.entries(
  import.meta.glob<string>('../../src/messages/*.json', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

test('each file of src/messages has every text, to paste between single quotes', () => {
  expect(languages).toHaveLength(11);
  const names = Object.keys(ENGLISH).sort();
  for (const [path, text] of languages) {
    const translated: Record<string, string> = JSON.parse(text);
    expect({ path, names: Object.keys(translated).sort() }).toEqual({ path, names });
    expect(Object.values(translated).every((it) => it.trim() !== '')).toBe(true);
    expect(text).not.toMatch(/['&<]/);
    expect(textsPage).toContain(path.replace('../../', '](../'));
  }
});

test('a form shows the texts of its attribute, in each language', async () => {
  const form = (text: string) =>
    tagExample
      .replace(/<script.*?<\/script>/, '')
      .replace('data-cardseal ', `data-cardseal data-cardseal-messages='${text}' `);
  const tag = '<script src="/js/cardseal.js" defer></script>';
  const page = await visit({ body: tag + languages.map(([, text]) => form(text)).join('') });
  const forms = [...page.document.forms];
  expect(forms).toHaveLength(11);
  for (const [i, [, text]] of languages.entries()) {
    forms[i]!.querySelector('button')!.click();
    const control = forms[i]!.querySelector('input')!;
    await vi.waitUntil(() => control.matches('[aria-invalid=true]'));
    // The text stands beside its field.
    const place = () => page.document.getElementById(control.getAttribute('aria-describedby')!);
    await expect.poll(() => place()?.textContent).toBe(JSON.parse(text!).number_required);
  }
});
