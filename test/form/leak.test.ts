/** What the form leaves behind: in the page after success, and in errors after each failure. */
import { expect, test, vi } from 'vitest';
import { CardEncryptionError, type CardEncryptionKey } from '../../src/core/index.ts';
import type { CardFormOptions } from '../../src/form/index.ts';
import { freshKey } from '../support/core.ts';
import { findCard, withoutAddresses } from '../support/find-card.ts';
import {
  bind,
  CARD,
  CONTROLS,
  deferred,
  fill,
  html,
  idle,
  open,
  type Page,
  pay,
  posted,
  refused,
  TYPED,
} from '../support/form.ts';
import { holdings } from '../support/holdings.ts';

const { number, name } = CARD;

// Claim nothing-left. Why: Emptied fields raise `input` and `change`, so that state follows:
// src/form/card/empty.ts.
test('after success nothing of the card is in the document, address, history or storage, where the same search found it before', async () => {
  const page = open();
  const handed = deferred<void>();
  bind(page.form, { onEncrypted: () => handed.resolve() });
  fill(page);
  expect(findCard(holdings(), { number, name })).toEqual(
    expect.arrayContaining([
      'number, with spaces in it.controls.0',
      'name, plain in it.controls.1',
    ]),
  );
  page.button().click();
  await handed.promise; // changed: `cardseal:encrypted` is raised before the fields are emptied
  expect(findCard(holdings(), { number, name })).toEqual([]);
});

// Control nothing-left
// Control form-texts
test('control: the search finds a card that a page puts away', async () => {
  const page = open();
  await pay(page);
  for (const plant of [
    () => sessionStorage.setItem('x', number),
    () => history.replaceState({ name }, ''),
    () => page.host.setAttribute('data-x', TYPED.number),
    () => Object.assign(window, { planted: name }),
  ]) {
    plant();
    expect(findCard(holdings(), { number, name })).not.toEqual([]);
    sessionStorage.clear();
    history.replaceState(null, '');
    page.host.removeAttribute('data-x');
    Reflect.deleteProperty(window, 'planted');
    expect(findCard(holdings(), { number, name })).toEqual([]);
  }
});

const told = (): never => {
  throw new Error(number, { cause: name });
};
const withKey = (key: () => CardEncryptionKey | Promise<CardEncryptionKey>) => ({
  content: html(),
  options: { key, onEncrypted: () => {} },
});
const named = CONTROLS.number.replace('<input', `<input name="${number}"`);

interface Failure {
  content: string;
  options: Partial<CardFormOptions>;
  press?: string;
  /** A script of the page, after the card is typed. */
  script?: (page: Page) => unknown;
}

// Claim form-texts. Why: Errors of page code are replaced, not repeated, but those of `key` and
// `onEncrypted` go to `reportError` as they are, and a `CardEncryptionError` goes on as one of the
// library: src/form/feedback/notices.ts and src/form/key-source.ts.
// src/form/card/read.ts reads digits one by one.
test.each<[code: string, Failure]>([
  ['invalid_form', { content: html({ number: named }), options: {} }],
  [
    'invalid_form',
    {
      content: `${html()}<button formaction="https://example.com/${number}">Elsewhere</button>`,
      options: {},
      press: 'Elsewhere',
    },
  ],
  [
    'invalid_form',
    {
      content: html(),
      options: {},
      // As mask libraries do. This one fails.
      script: (page) => Object.defineProperty(page.control('number'), 'value', { get: told }),
    },
  ],
  ['key_unavailable', withKey(() => Promise.reject(new Error(number)))],
  ['invalid_key', withKey(() => ({ ...freshKey(), public_key: btoa(number) }))],
  ['unsupported_scheme', withKey(() => ({ ...freshKey(), scheme: number }))],
])('no %s error holds anything of the card', async (code, failure) => {
  const { content, options, press, script } = failure;
  const page = open(content);
  bind(page.form, options).ready.catch(() => {});
  fill(page);
  script?.(page);
  const error = await refused(page, page.button(press));
  expect(error).toBeInstanceOf(CardEncryptionError);
  expect([error.code, error.message]).toEqual([code, expect.stringMatching(/.{20}/)]);
  expect(findCard([page.errors, JSON.stringify(error)], CARD)).toEqual([]);
});

// Claim form-texts
test('nothing of the card is in the text of any event, error or line of the console', async () => {
  const page = open();
  const told: string[] = [];
  for (const name of ['ready', 'submit', 'encrypted', 'error', 'problems', 'settled']) {
    const type = `cardseal:${name}`;
    page.form.addEventListener(type, (event) => {
      const { detail } = event as CustomEvent;
      told.push(
        `${type} ${JSON.stringify(detail)} ${detail?.message} ${detail?.stack} ${Object.values(detail ?? {})}`,
      );
    });
  }
  const log = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.mocked(console.error)];
  const ask = vi
    .fn()
    .mockRejectedValueOnce(0)
    .mockRejectedValueOnce(0)
    .mockImplementation(() => freshKey());
  await bind(page.form, { key: ask }).ready.catch(() => {});
  for (const wrong of [
    { number: '4929 1192 8374 6505' },
    { cvv: '58' },
    {},
    { name: 'Zoë Quillow'.repeat(20) },
  ]) {
    fill(page, { ...TYPED, ...wrong });
    await refused(page);
    await idle(page);
  }
  fill(page);
  await posted(page);
  const codes = page.errors.map(({ code }) => code);
  expect(codes).toEqual([
    'key_unavailable',
    'invalid_card',
    'invalid_card',
    'key_unavailable',
    'card_too_long',
  ]);
  const texts = [
    ...told,
    ...log.flatMap(({ mock }) =>
      mock.calls.map((args) => args.map((arg) => `${arg} ${arg?.stack}`).join()),
    ),
  ];
  // Digits occur in ids by chance.
  const all = withoutAddresses(texts.join('\n')).replaceAll(/cek_test_[0-9a-f-]+/g, '');
  expect(all).toContain('cardseal:encrypted');
  for (const part of ['4929', '6505', '6509', 'Zoë', 'Quillow', '2049', '583'])
    expect(all).not.toContain(part);
});
