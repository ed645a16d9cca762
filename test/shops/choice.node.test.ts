import { expect, test } from 'vitest';
import { ENGINES } from '../../tools/prepare/browsers.ts';
import { SHOPS } from './catalogue.ts';
import { engineOf } from './choice.ts';

test('each engine has a fair share of the shops, and a shop keeps its engine', () => {
  for (const engine of ENGINES) {
    const share = SHOPS.filter((shop) => engineOf(shop) === engine).length / SHOPS.length;
    expect(share).toBeGreaterThan(0.25);
  }
  expect(engineOf({ name: 'plain' })).toBe(engineOf({ name: 'plain' }));
  expect(engineOf({ name: 'plain', engine: 'webkit' })).toBe('webkit');
});
