/** Where the shopper reads what is wrong, in small windows: beside the first wrong control. */
import { describe, expect, test, vi } from 'vitest';
import { CONTROLS, TYPED } from '../support/form.ts';
import { keyAttribute, type TagPage, visit } from '../support/tag-page.ts';

const FAR = '<div style="height: 1500px">Order summary, terms of sale</div>';
const STICKY =
  '<div style="position: fixed; inset: auto 0 0; height: 90px; background: #fff"></div>';

/** The first text about a field, and whether the shopper sees all of it. */
function textInView({ document, window, form }: TagPage) {
  const control = document.activeElement!;
  const ids = control.getAttribute('aria-describedby')?.split(' ') ?? [];
  const place = ids.map((id) => document.getElementById(id)).find(Boolean);
  const { left, top, bottom, height } = place!.getBoundingClientRect();
  const isOnTop = (y: number) => place!.contains(document.elementFromPoint(left + 2, y));
  expect(height).toBeGreaterThan(5);
  const isInView = top >= 0 && bottom <= window.innerHeight && isOnTop(top + 2);
  return [form.contains(place!), isInView && isOnTop(bottom - 2), place!.textContent];
}

describe.each([
  [375, 667],
  [320, 256],
])('%i x %i', (width, height) => {
  test.each([
    ['the button is far below', Object.values(CONTROLS).join('') + FAR, ''],
    ['the fields are far down', FAR + Object.values(CONTROLS).join('') + FAR, ''],
    ['a bar covers the bottom', FAR + Object.values(CONTROLS).join('') + FAR, STICKY],
    [
      'each field fills a box that cuts off what is below',
      Object.values(CONTROLS)
        .map((it) => `<div style="height: 20px; overflow: hidden">${it}</div>`)
        .join('') + FAR,
      '',
    ],
  ])('%s', async (_, controls, tail) => {
    const page = await visit({ controls, tail });
    const frame = page.window.frameElement as HTMLElement;
    frame.style.cssText = `width: ${width}px; height: ${height}px; border: 0`;
    expect(await page.refused({ cvv: '1' })).toBe('invalid_card');
    expect(textInView(page)).toEqual([true, true, 'Check the security code']);
  });
});

test('a text that concerns no field is brought into view, too', async () => {
  const page = await visit({
    attributes: keyAttribute({ id: 'x', scheme: 'RSA_OAEP_SHA256_V1', public_key: '' } as never),
    controls: Object.values(CONTROLS).join('') + FAR,
  });
  const frame = page.window.frameElement as HTMLElement;
  frame.style.cssText = 'width: 375px; height: 667px';
  expect(await page.refused()).toBe('invalid_key');
  const line = page.document.querySelector('[data-cardseal-line]')!;
  await vi.waitUntil(() => line.textContent);
  const { top, bottom } = line.getBoundingClientRect();
  expect([top > 0, bottom <= page.window.innerHeight]).toEqual([true, true]);
  expect(page.control('number').value).toBe(TYPED.number);
});
