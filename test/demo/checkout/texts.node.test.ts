import { expect, test } from 'vitest';
import { languageOf } from '../../../demo/checkout/texts.ts';

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr,de;q=0.5,en;q=0.4', 'de'],
  ['fr', 'en'],
  ['de;q=0', 'en'],
  ['fr, de; q=0.9', 'de'],
  ['en ;Q=0.8 , de ; q=0.9', 'de'],
  [undefined, 'en'],
])('who asks for %s reads %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(languageOf(language));
});
