import { afterEach, beforeEach, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { card, freshKey } from '../support/core.ts';

let port: number;
beforeEach(async () => {
  port = await commands.servePlainHttp();
});
afterEach(() => commands.stopPlainHttp(port));

/** What a page from there reports. */
async function report(host: string) {
  const frame = document.createElement('iframe');
  const next = () =>
    new Promise<unknown>((resolve) => {
      const listen = ({ source, data }: MessageEvent) => {
        if (source !== frame.contentWindow) return;
        removeEventListener('message', listen);
        resolve(data);
      };
      addEventListener('message', listen);
    });
  const ready = next();
  frame.src = `http://${host}:${port}/`;
  document.body.append(frame);
  expect(await ready).toBe('ready');
  const answer = next();
  frame.contentWindow!.postMessage({ key: freshKey(), card: card() }, '*');
  const data = await answer;
  frame.remove();
  return data;
}

const EMPTY = { number: '', name: '', exp_month: '', exp_year: '', cvv: '' };

// Claim plain-http. Why: There is no `crypto.subtle` then: `importRsaOaepSha256` in
// src/core/rsa-oaep.ts looks for it first. The card is empty by then: `takeOver` in
// src/core/card.ts.
test('on plain http there is no crypto.subtle: insecure_context, and the card is emptied', async () => {
  // 127.0.0.1 by another name, which leads there but does not count as loopback (W3C Secure Contexts, 3.1).
  expect(await report('[::ffff:127.0.0.1]')).toEqual({
    isSecureContext: false,
    crypto: 'object',
    subtle: 'undefined',
    outcomes: ['insecure_context', 'insecure_context'],
    card: EMPTY,
  });
});

// Control plain-http
test('the same page from 127.0.0.1 is a secure context and encrypts', async () => {
  expect(await report('127.0.0.1')).toEqual({
    isSecureContext: true,
    crypto: 'object',
    subtle: 'object',
    outcomes: ['ok', 'ok'],
    card: EMPTY,
  });
});
