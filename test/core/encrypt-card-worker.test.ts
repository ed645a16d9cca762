import { expect, test } from 'vitest';
import { card, decrypt, freshKey } from '../tools/support/core.ts';

test('encryptCard works in a worker, where there is no window and no document', async () => {
  const source = `onmessage = async ({ data: { url, key, card } }) => {
    const { encryptCard } = await import(url);
    postMessage([typeof window, typeof document, await encryptCard(key, card)]);
  };`;
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })), {
    type: 'module',
  });
  const answer = new Promise<MessageEvent>((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = reject;
  });
  worker.postMessage({
    url: new URL('../../src/core/index.ts', import.meta.url).href,
    key: freshKey(),
    card: card(),
  });
  const [view, page, block] = (await answer).data;
  worker.terminate();
  expect([view, page]).toEqual(['undefined', 'undefined']);
  expect(await decrypt(block)).toEqual(card());
});
