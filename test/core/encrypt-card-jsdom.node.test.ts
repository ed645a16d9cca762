// @vitest-environment jsdom
/** In a page that jsdom plays, where Node's typed arrays and those of the page are not the same. */
import { afterEach, expect, test, vi } from 'vitest';
import { builtUrl } from '../tools/support/built.ts';
import { byteCard, card, decrypt, freshKey, isEmpty } from '../tools/support/core.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The built package. */
const cardseal = (): Promise<typeof import('../../src/core/index.ts')> =>
  import(builtUrl('core/index.js'));

test('encryptCard works in a jsdom environment that has crypto.subtle', async () => {
  expect(navigator.userAgent).toContain('jsdom');
  const { encryptCard } = await cardseal();
  for (const given of [card(), byteCard()]) {
    const block = await encryptCard(freshKey(), given);
    expect(isEmpty(given)).toBe(true);
    expect(await decrypt(block)).toEqual(card());
  }
});

test("with jsdom's own crypto it is insecure_context, and the message names test environments", async () => {
  const key = freshKey();
  const { contentWindow } = document.body.appendChild(document.createElement('iframe')); // Vitest leaves Node's in the page itself
  expect(contentWindow!.crypto.getRandomValues).toBeTypeOf('function');
  expect(contentWindow!.crypto.subtle).toBeUndefined();
  vi.stubGlobal('crypto', contentWindow!.crypto);
  const { encryptCard, prepareKey } = await cardseal();
  for (const result of [prepareKey(key), encryptCard(key, card())]) {
    await expect(result).rejects.toMatchObject({
      code: 'insecure_context',
      message: expect.stringContaining('test environments'),
    });
  }
});
