/** The events of a form, as exactly as other scripts may rely on them: one row each. */
import { expect, test } from 'vitest';
import type { CardFormOptions } from '../../src/form/index.ts';
import { bind, fill, next, open, type Page, TYPED } from '../tools/support/form.ts';

interface Row {
  type: string;
  when: string;
  options?: Partial<CardFormOptions>;
  /** Makes the bound form raise the event. Without it, binding does. */
  act?: (page: Page) => void;
  cancelable?: boolean;
  /** The keys of `detail` in the alphabet's order; of an error, those beyond what any error has. */
  keys: string[] | null;
}

function press(page: Page, card: Record<string, string> = TYPED) {
  fill(page, card);
  page.button().click();
}

const EVENTS: Row[] = [
  { type: 'cardseal:ready', when: 'the key is there', keys: null },
  {
    type: 'cardseal:submit',
    when: 'a button is pressed',
    act: press,
    cancelable: true,
    keys: ['submitter'],
  },
  { type: 'cardseal:encrypted', when: 'the card is encrypted', act: press, keys: ['key_id'] },
  {
    type: 'cardseal:error',
    when: 'a field is wrong',
    act: (page) => press(page, { ...TYPED, number: '1' }),
    keys: ['code', 'field', 'name'],
  },
  {
    type: 'cardseal:error',
    when: 'the name is too long for the key',
    act: (page) => press(page, { ...TYPED, name: 'x'.repeat(300) }),
    keys: ['code', 'field', 'limit', 'name'],
  },
  {
    type: 'cardseal:error',
    when: 'no key comes',
    options: { key: () => Promise.reject(new Error('planted')) },
    keys: ['code', 'name'],
  },
];

/** What of a `detail` is its own. What every error of this engine has is left out. */
function keysOf(detail: object | null) {
  if (detail === null) return null;
  const ofAnyError = detail instanceof Error ? Reflect.ownKeys(new Error('message')) : [];
  const keys = Reflect.ownKeys(detail).filter((key) => !ofAnyError.includes(key));
  return keys.map(String).sort();
}

test.each(EVENTS)('$type, when $when, is exactly as documented', async (row) => {
  const page = open();
  const raised = next<CustomEvent>(page.form, row.type);
  const binding = bind(page.form, row.options);
  if (row.act) {
    await binding.ready;
    row.act(page);
  }
  const event = await raised;
  const { bubbles, composed, cancelable } = event;
  expect(event).toBeInstanceOf(CustomEvent);
  expect({ bubbles, composed, cancelable, keys: keysOf(event.detail) }).toEqual({
    bubbles: true,
    composed: true,
    cancelable: row.cancelable ?? false,
    keys: row.keys,
  });
});
