import { beforeEach, expect, test, vi } from 'vitest';
import type { Control } from '../../src/form/fields.ts';
import { findProblems, readCard } from '../../src/form/read.ts';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  fill,
  html,
  next,
  open,
  pay,
  refused,
  settled,
  TYPED,
} from '../tools/support/form.ts';
import { watchMemory } from '../tools/support/watch-memory.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-06-15') });
});

/** What is read of values, straight from controls that no form needs. */
function read(
  values: { number?: string; name?: string[]; expiry?: string[]; cvv?: string },
  luhn = true,
) {
  const controls = (texts: string[]) =>
    texts.map((value) => Object.assign(document.createElement('input'), { value }) as Control);
  const { number = CARD.number, name = ['A'], expiry = ['11/49'], cvv = '583' } = values;
  const all = {
    number: controls([number]),
    name: controls(name),
    expiry: controls(expiry),
    cvv: controls([cvv]),
  };
  const card = readCard(all);
  const problems = findProblems(card, all, luhn);
  const text = Object.fromEntries(
    Object.entries(card).map(([field, bytes]) => [field, new TextDecoder().decode(bytes)]),
  );
  const found = problems.map(({ problem, field, controls }) => {
    const at = Object.values(all).find((group) => group.includes(controls[0]!))!;
    return [problem, field, ...controls.map((control) => at.indexOf(control))].join(' ');
  });
  return { ...text, problems: found } as typeof CARD & { problems: string[] };
}

const matching = (property: RegExp) => {
  const found: string[] = [];
  for (let point = 0; point < 0x110000; point++) {
    const char = String.fromCodePoint(point);
    if (property.test(char)) found.push(char);
  }
  return found;
};

test('takes nothing else for a digit', () => {
  for (const char of [
    'a',
    'o',
    'O',
    'l',
    '½',
    '²',
    '①',
    '⅓',
    'Ⅷ',
    '〇',
    '一',
    '+',
    ',',
    '.',
    '/',
    '\0',
    '\ud800',
    '😀',
    '_',
    '"',
  ]) {
    expect(
      read({ number: CARD.number.slice(0, 15) + char, cvv: `12${char}` }).problems,
      char,
    ).toEqual(['number_invalid number 0', 'cvv_invalid cvv 0']);
  }
});

/** The zeros of the decimal digits (Nd) of Unicode 14, which the oldest engines that are supported have; nine digits follow each. */
const ZEROS = `30 660 6f0 7c0 966 9e6 a66 ae6 b66 be6 c66 ce6 d66 de6 e50 ed0 f20 1040 1090 17e0 1810 1946 19d0 1a80 1a90 1b50 1bb0 1c40 1c50
  a620 a8d0 a900 a9d0 a9f0 aa50 abf0 ff10 104a0 10d30 11066 110f0 11136 111d0 112f0 11450 114d0 11650 116c0 11730 118e0 11950 11c50
  11d50 11da0 16a60 16ac0 16b50 1d7ce 1d7d8 1d7e2 1d7ec 1d7f6 1e140 1e2f0 1e950 1fbf0`;

test('reads the decimal digits of every script of Unicode', () => {
  const zeros = ZEROS.split(/\s+/).map((hex) => Number.parseInt(hex, 16));
  expect(zeros.length).toBe(66);
  for (const zero of zeros) {
    const inScript = (text: string) =>
      [...text].map((digit) => String.fromCodePoint(zero + Number(digit))).join('');
    const { number, exp_month, exp_year, cvv, problems } = read({
      number: inScript(CARD.number),
      expiry: [`${inScript('09')}/${inScript('49')}`],
      cvv: inScript('0123'),
    });
    expect([number, exp_month, exp_year, cvv, problems], zero.toString(16)).toEqual([
      CARD.number,
      '09',
      '2049',
      '0123',
      [],
    ]);
  }
});

test('drops every space and dash of Unicode, and the marks that pasting brings, from the number', () => {
  const dashes = matching(/\p{Dash}/u);
  expect(dashes.length).toBeGreaterThanOrEqual(29);
  const spaces = matching(/\p{White_Space}/u).filter((char) => char !== '\u0085'); // a C1 control character
  expect(spaces.length).toBe(24);
  const marks = [
    ...'\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff',
  ];
  for (const char of [...dashes, ...spaces, ...marks]) {
    const pasted = char + [...'4929119283746509'].join(char) + char;
    // An input drops line breaks itself, so what it drops is not the point here: the rest has to be.
    const { number, problems } = read({ number: pasted });
    expect([number, problems], `U+${char.codePointAt(0)!.toString(16)}`).toEqual([CARD.number, []]);
  }
});

test.each([
  ['with spaces', '4111 1111 1111 1111'],
  ['with no-break spaces', '4111\u00a01111\u00a01111\u00a01111'],
  ['with narrow no-break spaces', '4111\u202f1111\u202f1111\u202f1111'],
  ['with en dashes', '4111–1111–1111–1111'],
  ['in full-width digits', '４１１１　１１１１　１１１１　１１１１'],
  ['in Arabic-Indic digits with an RTL mark', '\u200f٤١١١ ١١١١ ١١١١ ١١١١\u200f'],
  ['isolated by its sender', '\u20684111-1111-1111-1111\u2069'],
])('reads a number pasted %s', async (_, number) => {
  expect(await decrypt(await pay(open(), { ...TYPED, number }))).toEqual({
    ...CARD,
    number: '4111111111111111',
  });
});

test.each([
  ['1/27', '01', '2027'],
  ['01/27', '01', '2027'],
  ['12/27', '12', '2027'],
  ['01 / 2027', '01', '2027'],
  ['01-27', '01', '2027'],
  ['01-2027', '01', '2027'],
  ['1.27', '01', '2027'],
  ['01.2027', '01', '2027'],
  ['0127', '01', '2027'],
  ['012027', '01', '2027'],
  ['2027-01', '01', '2027'],
  ['2027/1', '01', '2027'],
  [' 01 27 ', '01', '2027'],
  ['０１／２７', '01', '2027'],
  ['٠١/٢٧', '01', '2027'],
  ['\u200e01\u200e/\u200e27\u200e', '01', '2027'],
  ['01–27', '01', '2027'],
  ['12/9999', '12', '9999'],
  // What cameras and password managers write: the year first, where only that is a date.
  ['202711', '11', '2027'],
  ['202701', '01', '2027'],
  ['2027/11', '11', '2027'],
  ['27/01', '01', '2027'],
  ['27-01', '01', '2027'],
])('reads the expiry %s', (expiry, month, year) => {
  const { exp_month, exp_year, problems } = read({ expiry: [expiry] });
  expect([exp_month, exp_year, problems]).toEqual([month, year, []]);
});

test.each([
  '1',
  '127',
  '13/27',
  '00/27',
  '0/27',
  '1/2',
  '01/027',
  '012/27',
  '01/20277',
  '01/27/28',
  '27/13',
  '27/00',
  '202713',
  '202700',
  '1 2 7',
  'x',
  '1x/27',
  '01/27x',
  'MM/YY',
  '__/__',
  '2027',
  '20270',
  '2027011',
  '01,27',
])('calls the expiry %s invalid', (expiry) => {
  expect(read({ expiry: [expiry] }).problems).toEqual(['expiry_invalid exp_month 0']);
});

test('reads the expiry of a control of type month', async () => {
  const page = open(html({ expiry: '<input type="month" autocomplete="cc-exp">' }));
  expect(await decrypt(await pay(page, { ...TYPED, expiry: '2049-11' }))).toEqual(CARD);
  expect(page.control('expiry').value).toBe('');
});

test.each([
  [['1', '27'], '01', '2027'],
  [['01', '2027'], '01', '2027'],
  [[' 12 ', '٢٧'], '12', '2027'],
])('reads month and year apart: %j', (expiry, month, year) => {
  const { exp_month, exp_year, problems } = read({ expiry });
  expect([exp_month, exp_year, problems]).toEqual([month, year, []]);
});

test.each([
  [['', '27'], 'expiry_required exp_month 0'],
  [['1', ''], 'expiry_required exp_year 1'],
  [[' ', '\u200b'], 'expiry_required exp_month 0 1'],
  [['13', '27'], 'expiry_invalid exp_month 0'],
  [['012', '27'], 'expiry_invalid exp_month 0'],
  [['1', '2'], 'expiry_invalid exp_year 1'],
  [['0', '202'], 'expiry_invalid exp_month 0 1'],
  [['1/27', '27'], 'expiry_invalid exp_month 0'],
  [['01', '20-27'], 'expiry_invalid exp_year 1'],
  [['Jan', '27'], 'expiry_invalid exp_month 0'],
  [['05', '26'], 'expiry_past exp_month 0 1'],
])('finds fault with month and year apart: %j', (expiry, problem) => {
  expect(read({ expiry }).problems).toEqual([problem]);
});

test.each([
  // June 2026 ends last at UTC-12.
  ['2026-06-30T23:59:59.999Z', []],
  ['2026-07-01T11:59:59.999Z', []],
  ['2026-07-01T12:00:00.000Z', ['expiry_past exp_month 0']],
  ['2026-05-31T10:00:00.000Z', []],
])('at %s, a card that expires in June 2026 has the problems %j', (now, expected) => {
  vi.setSystemTime(new Date(now));
  expect(read({ expiry: ['06/26'] }).problems).toEqual(expected);
  expect(read({ expiry: ['12/26'] }).problems).toEqual([]);
});

test('a year of four digits is that year', () => {
  expect(read({ expiry: ['01/0049'] }).problems).toEqual(['expiry_past exp_month 0']);
});

test.each([
  ['Zoë Quillow', 'Zoë Quillow'],
  ['  Zoë \u00a0\t Quillow\u3000', 'Zoë Quillow'],
  ["Siobhán O'Connor-Müller", "Siobhán O'Connor-Müller"],
  ['D’Arcy', 'D’Arcy'],
  ['Zoe\u0308', 'Zoe\u0308'], // nothing is normalised
  ['\u200fדנה\u200f \u2068כהן\u2069', 'דנה כהן'],
  ['\u202aAda\u202c \ufeffLove\u200blace\u2060', 'Ada Lovelace'],
  ['\u061cعلي', 'علي'],
  ['می\u200cخواهم', 'می\u200cخواهم'], // a zero width non-joiner is spelling
  ['Zoë 🦊👩\u200d💻', 'Zoë 🦊👩\u200d💻'],
  ['王\u2003小明', '王 小明'],
  ['A', 'A'],
])('reads the name %j', async (typed, name) => {
  expect((await decrypt(await pay(open(), { ...TYPED, name: typed }))).name).toBe(name);
});

test.each([
  [['Ada', 'Lovelace'], 'Ada Lovelace'],
  [[' Ada ', ' King  Lovelace '], 'Ada King Lovelace'],
  [['Ada', ''], 'Ada'],
  [['', 'Lovelace'], 'Lovelace'],
  [['\u200b', ' Lovelace'], 'Lovelace'],
])('joins given and family name: %j', (parts, name) => {
  const { name: bytes, problems } = read({ name: parts });
  expect([bytes, problems]).toEqual([name, []]);
});

test.each([
  [{ number: '' }, ['number_required number 0']],
  [{ number: ' -\u200b' }, ['number_required number 0']],
  [{ number: '4929119283746505' }, ['number_invalid number 0']], // the check digit
  [{ number: '42000000000' }, ['number_invalid number 0']],
  [{ number: '420000000000' }, []],
  [{ number: '4200000000000000002' }, []],
  [{ number: '42000000000000000000' }, ['number_invalid number 0']],
  [{ number: '٤x' }, ['number_invalid number 0']],
  [{ name: [' \u200f'] }, ['name_required name 0']],
  [{ name: ['', ''] }, ['name_required name 0 1']],
  [{ expiry: [''] }, ['expiry_required exp_month 0']],
  [{ expiry: [' / '] }, ['expiry_required exp_month 0']],
  [{ cvv: '' }, ['cvv_required cvv 0']],
  [{ cvv: '12' }, ['cvv_invalid cvv 0']],
  [{ cvv: '1234' }, []],
  [{ cvv: '12345' }, ['cvv_invalid cvv 0']],
  [
    { number: '', name: [''], expiry: ['x'], cvv: '1' },
    [
      'number_required number 0',
      'name_required name 0',
      'expiry_invalid exp_month 0',
      'cvv_invalid cvv 0',
    ],
  ],
])('%j has the problems %j', (values, expected) => {
  expect(read(values).problems).toEqual(expected);
});

test('leaves the check digit alone where it is told to', async () => {
  const number = '4929119283746505';
  expect(read({ number }, false).problems).toEqual([]);
  expect((await decrypt(await pay(open(), { ...TYPED, number }, { luhn: false }))).number).toBe(
    number,
  );
});

test('tells right check digits from wrong ones at every length', () => {
  for (let length = 12; length <= 19; length++) {
    for (let last = 0; last < 10; last++) {
      const number = '4929119283746505731'.slice(0, length - 1) + last;
      const sum = [...number]
        .reverse()
        .reduce(
          (sum, digit, i) =>
            sum + (i % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]! : Number(digit)),
          0,
        );
      expect(read({ number }).problems, number).toEqual(
        sum % 10 ? ['number_invalid number 0'] : [],
      );
    }
  }
});

test('no regular expression has touched the card: RegExp keeps what it looked at last', async () => {
  const statics = () =>
    ['input', '$_', 'lastMatch', '$&', 'leftContext', 'rightContext', '$1'].map((name) =>
      Reflect.get(RegExp, name),
    );
  const page = open();
  bind(page.form, { onEncrypted: () => {} });
  fill(page);
  /^(planted)/.exec('planted');
  const before = statics();
  expect(before).toContain('planted');
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
  expect(statics()).toEqual(before);
});

test('only the first 1,000 characters of a value are looked at, so that a pasted text freezes nothing', async () => {
  const page = open();
  bind(page.form, { onEncrypted: () => {} });
  fill(page, { ...TYPED, number: ' '.repeat(1000) + TYPED.number });
  expect(await refused(page)).toMatchObject({ code: 'invalid_card', field: 'number' });
  fill(page, { ...TYPED, number: TYPED.number.padStart(1000) });
  const encrypted = next(page.form, 'cardseal:encrypted');
  page.button().click();
  await encrypted;
});

test.each([
  ['number', 'number', 'invalid_card'],
  ['name', 'name', 'card_too_long'],
  ['expiry', 'exp_month', 'invalid_card'],
  ['cvv', 'cvv', 'invalid_card'],
] as const)(
  'a %s that goes on after 1,000 characters is refused, and never sent in part',
  async (control, field, code) => {
    const page = open();
    bind(page.form, { onEncrypted: () => {} });
    fill(page, { ...TYPED, [control]: `${TYPED[control] + ' '.repeat(1000)}1` });
    expect(await refused(page)).toMatchObject({ code, field });
  },
);

test('one part of a name that goes on after 1,000 characters is refused, and never sent in part', async () => {
  const names = '<input autocomplete="cc-given-name"><input autocomplete="cc-family-name">';
  const page = open(html({ name: names }));
  bind(page.form, { onEncrypted: () => {} });
  const { number, expiry, cvv } = TYPED;
  const family_name = `Quillow${' '.repeat(1000)}1`;
  fill(page, { number, expiry, cvv, given_name: 'Zoë', family_name });
  expect(await refused(page)).toMatchObject({ code: 'card_too_long', field: 'name' });
});

test('what was read is zeroed when the card is refused', async () => {
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  const parts = [CARD.number, 'Quillow', CARD.exp_year];
  const memory = watchMemory(parts);
  expect((await refused(page)).code).toBe('invalid_card');
  memory.unwatch();
  expect([memory.everHeld(parts), memory.holds()]).toEqual([true, 0]);
});

// Changed: the library does not call methods of the page's controls while it validates any more.
test('what was read is zeroed when the page ends the press as it learns of a problem', async () => {
  const page = open();
  const binding = bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  page.form.addEventListener('cardseal:problems', () => void binding.restart(), { once: true });
  const parts = [CARD.number, 'Quillow', CARD.exp_year];
  const memory = watchMemory(parts);
  page.button().click();
  await settled(page);
  memory.unwatch();
  expect([memory.everHeld(parts), memory.holds()]).toEqual([true, 0]);
});

test('200,000 pasted characters: reading looks at a bounded number of them', async () => {
  const compared = vi.spyOn(Intl.Collator.prototype, 'compare', 'get');
  let count = 0;
  compared.mockImplementation(() => {
    return (a: string, b: string) => {
      count++;
      return a < b ? -1 : Number(a > b);
    };
  });
  const page = open();
  bind(page.form);
  fill(page, {
    ...TYPED,
    number: '4'.repeat(200_000),
    expiry: '1'.repeat(200_000),
    cvv: '1'.repeat(200_000),
  });
  expect((await refused(page)).code).toBe('invalid_card');
  expect(count).toBeGreaterThan(1000);
  expect(count).toBeLessThan(200_000);
});

test('a name of 200,000 characters is too long, and encodes a bounded number of them', async () => {
  const encode = vi.spyOn(TextEncoder.prototype, 'encodeInto');
  const page = open();
  bind(page.form);
  fill(page, { ...TYPED, name: 'Z'.repeat(200_000) });
  expect((await refused(page)).code).toBe('card_too_long');
  expect(encode.mock.calls.length).toBeGreaterThan(500);
  expect(encode.mock.calls.length).toBeLessThan(5000);
});
