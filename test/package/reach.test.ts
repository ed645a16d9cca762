/** What the built core touches while it runs, under a strict Content-Security-Policy: its own list, and nothing else. */
import { expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import type * as Cardseal from '../../src/core/index.ts';
import type { EncryptedCard } from '../../src/core/index.ts';
import type * as Form from '../../src/form/index.ts';
import { CORE, FORM } from '../support/allowed.ts';
import { BITS, byteCard, card, decrypt, freshKey } from '../support/core.ts';
import { PLANTED } from '../support/planted.ts';
import { watch } from '../support/watch.ts';

await commands.assertBuilt();

/** `prepare` runs before the watch does, and so does what it takes from the page. */
async function strictPage<T>(prepare: (page: Window & typeof globalThis) => T) {
  const frame = document.createElement('iframe');
  frame.src = '/strict/page';
  frame.style.height = '20px'; // a text has to be scrolled into view
  await new Promise((resolve) => {
    frame.onload = resolve;
    document.body.append(frame);
  });
  const page = frame.contentWindow as Window &
    typeof globalThis & { load<T>(url: string): Promise<T> };
  const prepared = prepare(page);
  return { page, prepared, watching: watch(page), remove: () => frame.remove() };
}

// Claim core-reach. Why: src/core/rsa-oaep.ts is the only file that calls WebCrypto. The other
// files take their arguments and return values.
test('the core touches what is on its list and nothing else, whatever comes of the call', async () => {
  const { page, watching, remove } = await strictPage(() => {});
  const { encryptCard, prepareKey, CardEncryptionError } = await page.load<typeof Cardseal>(
    '/strict/dist/core/index.js',
  );
  await watching.take(); // the files themselves
  const seen = new Set<string>();
  const run = async (what: () => Promise<unknown>) => {
    const [result] = await Promise.allSettled([what()]);
    for (const name of await watching.take()) seen.add(name);
    return result.status === 'fulfilled'
      ? 'ok'
      : result.reason instanceof CardEncryptionError
        ? result.reason.code
        : result.reason;
  };

  for (const bits of BITS) {
    expect(
      await run(async () => decrypt(await encryptCard(await prepareKey(freshKey(bits)), card()))),
    ).toBe('ok');
    expect(await run(async () => encryptCard(freshKey(bits), byteCard()))).toBe('ok');
  }
  const key = freshKey();
  expect(await run(async () => encryptCard(key, card({ number: '1' })))).toBe('invalid_card');
  expect(await run(async () => encryptCard(key, card({ name: 'x'.repeat(200) })))).toBe(
    'card_too_long',
  );
  expect(await run(async () => encryptCard(key, null as never))).toBe('invalid_card');
  expect(await run(async () => encryptCard(key, card()))).toBe('ok');
  expect(await run(async () => encryptCard(key, card()))).toBe('key_already_used');
  expect(await run(async () => prepareKey({ ...key, scheme: '' }))).toBe('unsupported_scheme');
  expect(await run(async () => prepareKey({ ...key, public_key: '-' }))).toBe('invalid_key');
  expect(await run(async () => prepareKey(null as never))).toBe('invalid_key');

  expect([...seen].filter((name) => ![...CORE.globals, ...CORE.apis].includes(name))).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining(CORE.apis)); // it looks
  remove();
});

// Claim form-reach. Why: The page gives it keys by a function: src/form/key-source.ts. The list
// in test/support/allowed.ts has the rest.
test('the form touches what is on its list and nothing else, from binding to unbinding', async () => {
  const { page, prepared, watching, remove } = await strictPage(cardForm);
  const { bindCardForm } = await page.load<typeof Form>('/strict/dist/form/index.js');
  const { form, fill, press, next, data } = prepared;
  await watching.take(); // the files themselves

  const encrypted: EncryptedCard[] = [];
  const binding = bindCardForm(form, {
    key: async () => freshKey(),
    onEncrypted: (block) => void encrypted.push(block),
  });
  await binding.ready;
  for (const number of ['', '4929 1192 8374 6505', '4929 1192 8374 6509']) {
    fill(number, 'Zoë Quillow', '11/49', '583');
    const done = next(number.endsWith('9') ? 'cardseal:encrypted' : 'cardseal:error');
    press();
    await done;
  }
  await expect.poll(() => encrypted.length).toBe(1);
  expect((await decrypt(encrypted[0]!)).number).toBe('4929119283746509');
  expect(Object.fromEntries(data()).encrypted_card).toBe(JSON.stringify(encrypted[0]));
  const [first] = form.elements;
  first!.setAttribute('name', 'number'); // by mistake
  // Changed: the block, which belongs to the press, stays. Nothing of the card goes with it.
  expect(Object.keys(Object.fromEntries(data()))).toEqual(['encrypted_card']);
  first!.removeAttribute('name');
  press(); // the same block again
  await binding.restart();
  binding.unbind();
  const failing = bindCardForm(form, { key: () => Promise.reject(new Error('no key')) });
  await expect(failing.ready).rejects.toMatchObject({ code: 'invalid_form' }); // GET, and no onEncrypted
  const status = form.appendChild(page.document.createElement('p'));
  status.setAttribute('data-cardseal-status', '');
  status.setAttribute('hidden', '');
  const keyless = bindCardForm(form, {
    key: () => Promise.reject(new Error('no key')),
    onEncrypted() {},
  });
  await expect(keyless.ready).rejects.toMatchObject({ code: 'key_unavailable' });
  keyless.unbind();

  // Chromium and WebKit have this interface under two names.
  const seen = (await watching.take()).map((name) => name.replace('WebKitMutation', 'Mutation'));
  const allowed = [...CORE.globals, ...CORE.apis, ...FORM.globals, ...FORM.apis];
  expect(seen.filter((name) => !allowed.includes(name))).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(FORM.apis));
  remove();
});

/** A card form, and what a shopper does with it, by means that the watch does not see. */
function cardForm(page: Window & typeof globalThis) {
  const { document } = page;
  const form = document.body.appendChild(document.createElement('form'));
  const inputs = ['cc-number', 'cc-name', 'cc-exp', 'cc-csc'].map((token) => {
    const input = form.appendChild(document.createElement('input'));
    input.setAttribute('autocomplete', token);
    return input;
  });
  const button = form.appendChild(document.createElement('button'));
  const { click } = page.HTMLElement.prototype;
  const { addEventListener } = page.EventTarget.prototype;
  const { set } = Object.getOwnPropertyDescriptor(page.HTMLInputElement.prototype, 'value')!;
  const OwnFormData = page.FormData;
  const { entries } = OwnFormData.prototype;
  return {
    form,
    fill: (...values: string[]) => inputs.forEach((input, i) => void set!.call(input, values[i])),
    press: () => click.call(button),
    next: (type: string) =>
      new Promise((resolve) => addEventListener.call(form, type, resolve, { once: true })),
    data: () => entries.call(new OwnFormData(form)),
  };
}

// Control core-reach
// Control form-reach
test('control: the watch sees each thing that is planted', async () => {
  const { page, watching, remove } = await strictPage(() => {});
  const names = Object.keys(PLANTED);
  const addresses = names.map((name) => `/strict/planted/${encodeURIComponent(name)}`);
  const modules = await Promise.all(
    addresses.map((address) => page.load<{ default(): void }>(address)),
  );
  await watching.take(); // the modules themselves
  const missed: string[] = [];
  for (const [i, name] of names.entries()) {
    modules[i]!.default();
    let tries = 100; // a request is seen when it has been answered
    while (tries-- && !(await watching.take()).includes(name))
      await new Promise((resolve) => setTimeout(resolve, 20));
    if (tries < 0) missed.push(name);
  }
  expect(missed).toEqual([]);
  remove();
});
