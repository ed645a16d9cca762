import { describe, expect, test } from 'vitest';
import { languageOf, noticeText } from '../../../demo/checkout/texts.ts';
import { FAILURE_REASONS } from '../../../demo/service/schemas.ts';

describe.each(['en', 'de'])('what a shopper reads about a decline in %s', (language) => {
  const texts = languageOf(language);
  const read = (reason: string | null) => noticeText(texts, { why: 'declined', reason });

  test.each([...FAILURE_REASONS, 'no_such_reason', 'constructor', null])(
    'for %s there are words and no code',
    (reason) => {
      const text = read(reason);
      expect(text.startsWith(`${texts.declined} `)).toBe(true);
      expect(text.endsWith(` ${texts.tryAnother}`)).toBe(true);
      expect(text).not.toMatch(/_|undefined|null|function/);
    },
  );

  test('a reason is told if the shopper can do something about it, and a stolen card is not', () => {
    const bare = read(null);
    expect(read('insufficient_funds')).not.toBe(bare);
    for (const reason of ['card_declined', 'lost_card', 'stolen_card'])
      expect(read(reason)).toBe(bare);
  });
});

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', 'en'],
  ['fr,de;q=0.5,en;q=0.4', 'de'],
  ['fr', 'en'],
  ['de;q=0', 'en'],
  [undefined, 'en'],
])('who asks for %s reads %s', (wanted, language) => {
  expect(languageOf(wanted)).toBe(languageOf(language));
});
