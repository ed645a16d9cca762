/** The pure parts: the spellings of a card in a text, and the stacks of three engines. */

import { describe, expect, test } from 'vitest';
import { framesOf } from '../../src/check/call-site.ts';
import { tellingNames } from '../../src/check/code-names.ts';
import { numberFinder, readingsOf, searcher } from '../../src/check/search.ts';
import { isTestHost } from '../../src/check/test-host.ts';
import { testNumbers } from '../../src/check/test-numbers.ts';

const CARD = {
  number: '4929119283746509',
  typed: ['4929 1192 8374 6509'],
  codes: ['583'],
  codeNames: ['pruef', '', 'karte[geheim]'],
  name: 'Zoë Quillow',
};
const TYPED = CARD.typed[0]!;
const find = searcher(CARD);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');

describe('finds the number', () => {
  test.each([
    ['as typed', `a=${TYPED}`],
    ['digits only', `a=${CARD.number}&b=1`],
    ['in groups of American Express', '4929 119283 746509'],
    ['in a URL', encodeURIComponent(TYPED)],
    ['in a form', 'n=4929+1192+8374+6509'],
    ['in a URL within a URL', encodeURIComponent(`?u=${encodeURIComponent(TYPED)}`)],
    ['each digit escaped', hex(CARD.number).replaceAll(/../g, '%$&')],
    ['as Base64', base64(CARD.number)],
    ['in a text as Base64, at each offset', base64(`{"number":"${CARD.number}"}`)],
    ['in a text as Base64, two further', base64(`xy{"number":"${TYPED}"}`)],
    ['as hexadecimal', hex(CARD.number)],
    ['as hexadecimal in capitals, in a text', hex(`no. ${TYPED}`).toUpperCase()],
    ['with other separators', TYPED.replaceAll(' ', '/')],
    ['with two separators', TYPED.replaceAll(' ', '\u2009\t')],
    ['in halves', 'a=49291192&b=83746509'],
    ['in quarters, under names with digits', 'cc1=4929&cc2=1192&cc3=8374&cc4=6509'],
    ['in a list of its quarters', '["4929","1192","8374","6509"]'],
    ['in groups as Base64', base64('4929-1192-8374-6509')],
    ['in groups as hexadecimal', hex('4929-1192-8374-6509')],
    ['in groups as hexadecimal in capitals', hex('4929-1192-8374-6509').toUpperCase()],
  ])('%s', (_, text) => {
    expect(find({ text })).toContain('card number');
  });

  test('with spaces as Base64, although it was typed without', () => {
    const withoutSpaces = searcher({ ...CARD, typed: [CARD.number] });
    expect(withoutSpaces({ text: base64(TYPED) })).toEqual(['card number']);
  });

  test('as it was typed as hexadecimal, with tabs', () => {
    const tabbed = TYPED.replaceAll(' ', '\t');
    expect(searcher({ ...CARD, typed: [tabbed] })({ text: hex(tabbed) })).toEqual(['card number']);
  });

  test('in several boxes', () => {
    const inBoxes = searcher({ ...CARD, typed: CARD.number.match(/.{4}/g)! });
    const text = 'card1=4929&card2=1192&card3=8374&card4=6509';
    expect(inBoxes({ text })).toEqual(['card number']);
    expect(inBoxes({ text: text.replace('6509', '6508') })).toEqual([]);
    const arabic = searcher({ ...CARD, typed: ['٤٩٢٩', '١١٩٢', '٨٣٧٤', '٦٥٠٩'] });
    expect(arabic({ text })).toEqual(['card number']);
    expect(arabic({ text: 'total=24' })).toEqual([]);
    const repeated = searcher({ ...CARD, number: '4242'.repeat(4), typed: Array(4).fill('4242') });
    expect(repeated({ text: text.replaceAll(/=\d+/g, '=4242') })).toEqual(['card number']);
    const american = searcher({ ...CARD, typed: ['3782', '822463', '10005'] });
    expect(american({ text: 'a=3782&b=822463&c=10005' })).toEqual(['card number']);
    const withSpaces = searcher({ ...CARD, typed: ['4929 ', '1192 ', '8374 ', '6509'] });
    expect(withSpaces({ text })).toEqual(['card number']);
  });

  test('in the digits of the shopper', () => {
    const typed = CARD.number.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + +digit));
    const arabic = searcher({ ...CARD, typed: [typed] });
    for (const text of [typed, encodeURIComponent(typed), base64(typed), JSON.stringify([typed])]) {
      expect(arabic({ text })).toEqual(['card number']);
    }
  });
});

test.each([
  ['as a form sends it', 'holder=Zoe+Quillow'],
  ['beside something that is encoded', 'email=z%40example.com&holder=Zoe+Quillow'],
  ['beside a sign that is no code', '100% of %5BZoe%20Quillow%5D'],
])('finds the name %s', (_, text) => {
  expect(searcher({ ...CARD, name: 'Zoe Quillow' })({ text })).toEqual(['name on the card']);
});

describe('does not find', () => {
  test.each([
    ['another number', '4929119283746508'],
    ['the number within a longer one', `1${CARD.number}`],
    ['the number before more digits', `${CARD.number}0`],
    ['a masked number', '4929********6509'],
    ['the last digits in Base64', base64('6509')],
    ['a code without a name', 'total=583'],
    ['a code alone', '583'],
    ['a code under a name of which two words look like one', 'basic_score=583'],
    ['a code under a name of which two words look like one, in capitals', 'topicScroll=583'],
    ['a code under a name of two words that together begin like one', 'cc_version=583'],
    ['a code under a name that ends one and begins with another word', 'recvNumber=583'],
    ['a code under a name of received goods', 'qty_recvd=583&qty_rcvd=583'],
    ['a code before another name', 'cvv=1&total=583'],
    ['a code before another name that ends in value', 'cvv=1&myvalue=583'],
    ['a code in a path', '/img/cvv-583.png'],
    ['a code in words', 'CVV (583)'],
    ['a code at the end of a longer number', 'cvv=1583'],
    ['a code far from a telling name', `cvv=${' '.repeat(30)}583`],
    ['a code within a longer number', '{"cvv":"5831"}'],
    ['the name within other words', 'Mazoë Quillow, Zoë Quillows, Mazoë Quillowby'],
  ])('%s', (_, text) => {
    expect(find({ text })).toEqual([]);
  });
});

test.each([
  ['a list of small numbers', `[${Array(8).fill(42)}]`],
  ['four cards that end alike', Array(4).fill('"last4":"4242"').join()],
])('does not find a number of one part that repeats in %s', (_, text) => {
  const number = '4242424242424242';
  expect(searcher({ ...CARD, number, typed: [number] })({ text })).toEqual([]);
});

describe('finds the name', () => {
  test.each([
    'Zoës friend is ZOË QUILLOW.',
    encodeURIComponent('"Zoë Quillow"'),
    'who=Zo%C3%AB+Quillow&',
    '100% of Zo%C3%AB%20Quillow',
    encodeURIComponent(encodeURIComponent('Zoë Quillow')),
  ])('%s', (text) => {
    expect(find({ text })).toEqual(['name on the card']);
  });
});

test('finds a code that is typed with a sign that patterns give a meaning', () => {
  const findTyped = searcher({ ...CARD, codes: ['583', '(583'] });
  expect(findTyped({ text: 'cvv=(583' })).toEqual(['security code']);
  const isIn = numberFinder('(583');
  expect([isIn('with (583 in it'), isIn('with 583 in it')]).toEqual([true, false]);
});

test('finds a code that is typed with spaces', () => {
  const isIn = numberFinder('5 8 3');
  expect([isIn('it is 5 8 3.'), isIn('it is 5, 8, 3.')]).toEqual([true, false]);
});

test('reads a text with escapes that are no UTF-8 as it is', () => {
  expect(readingsOf('100% of %FF')).toEqual(['100% of %FF']);
});

describe('finds the code under a telling name', () => {
  test.each([
    '{"cvv":"583"}',
    '{\\"cvv\\":\\"583\\"}',
    'card[cvc]=583',
    encodeURIComponent('{"securityCode": 583}'),
    'Content-Disposition: form-data; name="cc-csc"\r\n\r\n583\r\n',
    'pruef=583', // the id of its control
    'card.pruef=583',
    'karte[geheim]=583', // the name of its control
    'KarteGeheim=583',
    'card-code: 583',
    '["cvv","583"]',
    '{"name":"cc_cvv","value":"583"}',
    '{"cvv":{"value":"583"}}',
    '<cvv>583</cvv>',
    '10[name]=cvv&10[value]=583',
    'fields[2][name]=cvv&fields[2][value]=583',
    '{"10[name]":"cvv","10[value]":"583"}',
    'fields[2].name=cvv&fields[2].value=583',
    'field=cvv&value=583',
    'card_cvNumber=583',
    '{"cvCode":"583"}',
    'cc_verification=583',
    'CVNum=583',
    'CCVcode=583',
    'verificationValue=583',
    'kreditkarte_pruefnummer=583',
    'payment[cc_cid]=583',
    'cardCvx=583',
    'codigo_seguranca=583',
    'codigo_de_seguridad=583',
    'cod_seguridad=583',
    'code_securite=583',
    'codice_di_sicurezza=583',
    'cvd=583',
    'creditcard_cccvd=583',
    'wpp_cc_checkcode=583',
    '{"Name":"cvv","Value":"583"}',
    '583=total&cardCVV=583',
    'cardCvc=583',
  ])('%s', (text) => {
    expect(find({ text })).toEqual(['security code']);
  });

  test('or as the value of a field with such a name', () => {
    for (const text of [' 583 ', '"583"', '["583"]'])
      expect(find({ key: 'cvv2', text })).toEqual(['security code']);
    expect(find({ key: 'cvv2', text: '1583' })).toEqual([]);
    for (const key of ['quantity', '--']) expect(find({ key, text: '583' })).toEqual([]);
  });

  test('and reads no name of another value: JSON sent as a form is one long name', () => {
    const key = JSON.stringify(Array(3000).fill({ sku: 'shirt', quantity: 2 }));
    expect(find({ key, text: '' })).toEqual([]);
  }, 3000); // milliseconds, of which it needs a few: reading the name takes eight seconds
});

describe('the name of a security code', () => {
  const tells = (name: string) => tellingNames([])(name);

  test.each([
    ...['cardcvv', 'cc-csc', 'cardCvx', 'creditcard_cccvd', 'cvNumber', 'CVVcode', 'code_cid_ccv'],
    ...['payment[cc_cid]', 'wpp_cc_checkcode', 'cc_verification', 'security_code', 'card-code'],
    ...['securityNumber', 'card_verification', 'verificationValue', 'visual_cryptogram'],
    ...['codigo_de_seguridad', 'code_securite', 'codice_di_sicurezza', 'kreditkarte_pruefnummer'],
  ])('may be %s', (name) => expect(tells(name)).toBe(true));

  test.each([
    ...['recvd', 'rcvd', 'basic_score', 'recvNumber', 'acc_id', 'security', 'verification_code'],
    ...['codigo_postal', 'code', 'country_code', ''],
  ])('is not "%s"', (name) => expect(tells(name)).toBe(false));
});

describe('runs', () => {
  test.each([
    ['shop.localhost', '', true],
    ['127.0.0.1', '', true],
    ['127.10.0.1', '', true],
    ['otherlocalhost', '', false],
    ['[::1]', '', true],
    ['staging.shop.example', 'staging.shop.example', true],
    ['b.example', 'a.example, b.example', true],
    ['shop.example', '', false],
    ['shop.example', 'staging.shop.example', false],
    ['staging.shop.example', 'shop.example', false],
    ['localhost.shop.example', '', false],
    ['127.0.0.1.shop.example', '', false],
    ['', '', false],
  ])('on %s, with "%s" named: %s', (host, named, runs) => {
    expect(isTestHost(host, named)).toBe(runs);
  });
});

test('reads the stacks of Chromium, Firefox and Safari', () => {
  const url = 'https://shop.example/a@1/shop.js';
  const place = { url, line: 12, column: 3, isWaiting: false };
  expect(framesOf(`Error\n    at send (${url}?v=2:12:3)\n    at ${url}:12:3`)).toEqual([
    place,
    place,
  ]);
  expect(framesOf(`send@${url}:12:3\n@${url}:12:3\n[native code]`)).toEqual([place, place]);
  const waiting = { ...place, isWaiting: true };
  const rows = [`send@${url}:12:3`, `async*pay@${url}:12:3`, `click@${url}:12:3`];
  const timer = `setTimeout handler*pay@${url}:12:3`;
  expect(framesOf([...rows, timer, rows[0]].join('\n'))).toEqual([place, waiting, waiting]);
  expect(framesOf(`Error\n at a* (${url}:12:3)\n at async pay (${url}:12:3)`)).toEqual([
    place,
    waiting,
  ]);
  expect(framesOf(`Error\n  at eval (eval at f (${url}:1:2), <anonymous>:1:1)`)).toEqual([]);
});

test('the published numbers are numbers of cards', () => {
  const numbers = [...testNumbers('')];
  expect(numbers).toHaveLength(90);
  expect(numbers.filter((number) => !/^\d{12,19}$/.test(number))).toEqual([]);
  expect(numbers.filter((number) => !hasCheckDigit(number))).toEqual([]);
});

test('a tag names numbers of 12 to 19 digits', () => {
  const named = ['4929 1192-8374 6509', '490000000003', '9999999999999999998'];
  const others = ['nonsense', '49290000006', '99999999999999999999'];
  const numbers = testNumbers([...named, ...others].join(', '));
  expect(named.every((it) => numbers.has(it.replace(/\D/g, '')))).toBe(true);
  expect(others.some((it) => numbers.has(it))).toBe(false);
});

function hasCheckDigit(number: string): boolean {
  const digits = [...number].reverse().map(Number);
  const sum = digits.reduce((all, it, i) => all + (i % 2 ? (it * 2) % 9 || (it && 9) : it), 0);
  return sum % 10 === 0;
}
