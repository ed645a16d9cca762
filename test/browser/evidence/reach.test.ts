/** What the built core touches while it runs, under a strict Content-Security-Policy: its own list, and nothing else. */
import { expect, test } from 'vitest';
import type * as Cardseal from '../../../src/index.ts';
import { CORE } from '../../support/allowed.ts';
import { BITS, byteCard, card, decrypt, freshKey } from '../../support/core.ts';
import { PLANTED } from '../../support/planted.ts';
import { watch } from '../../support/watch.ts';

async function strictPage() {
  const frame = document.createElement('iframe');
  frame.src = '/strict/page';
  await new Promise((resolve) => {
    frame.onload = resolve;
    document.body.append(frame);
  });
  const page = frame.contentWindow as Window & typeof globalThis & { load<T>(url: string): Promise<T> };
  return { page, watching: watch(page), remove: () => frame.remove() };
}

test('the core touches what is on its list and nothing else, whatever comes of the call', async () => {
  const { page, watching, remove } = await strictPage();
  const { encryptCard, prepareKey, CardEncryptionError } = await page.load<typeof Cardseal>('/strict/dist/index.js');
  await watching.take(); // the files themselves
  const seen = new Set<string>();
  const run = async (what: () => Promise<unknown>) => {
    const [result] = await Promise.allSettled([what()]);
    for (const name of await watching.take()) seen.add(name);
    return result.status === 'fulfilled' ? 'ok' : result.reason instanceof CardEncryptionError ? result.reason.code : result.reason;
  };

  for (const bits of BITS) {
    expect(await run(async () => decrypt(await encryptCard(await prepareKey(freshKey(bits)), card())))).toBe('ok');
    expect(await run(async () => encryptCard(freshKey(bits), byteCard()))).toBe('ok');
  }
  const key = freshKey();
  expect(await run(async () => encryptCard(key, card({ number: '1' })))).toBe('invalid_card');
  expect(await run(async () => encryptCard(key, card({ name: 'x'.repeat(200) })))).toBe('card_too_long');
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

test('control: the watch sees each thing that is planted', async () => {
  const { page, watching, remove } = await strictPage();
  const missed: string[] = [];
  for (const name of Object.keys(PLANTED)) {
    const { default: act } = await page.load<{ default(): void }>(`/strict/planted/${encodeURIComponent(name)}`);
    await watching.take();
    act();
    if (!(await watching.take()).includes(name)) missed.push(name);
  }
  expect(missed).toEqual([]);
  remove();
});
