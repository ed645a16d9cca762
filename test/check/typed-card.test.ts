/** Which test card the check reads in a page, and when it looks at nothing. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { cardReader } from '../../src/check/typed-card.ts';

describe('the reader of cards', () => {
  const NUMBER = '4111111111111111';
  const OTHERS = ['4242424242424242', '5555555555554444', '378282246310005', '6011111111111117'];
  const numbers = new Set([NUMBER, ...OTHERS]);

  let warned = 0;
  beforeEach(() => {
    warned = 0;
  });

  /** A reader of a page with these controls. */
  function open(html: string) {
    const holder = document.createElement('div');
    holder.innerHTML = html;
    document.body.append(holder);
    onTestFinished(() => holder.remove());
    const reader = cardReader(numbers, () => warned++);
    return { ...reader, holder, input: holder.querySelector('input')! };
  }

  /** The card that is read. */
  function cardOf(html: string) {
    const { read, cards, holder } = open(html);
    read();
    holder.remove();
    expect(cards().length).toBeLessThan(2);
    return cards()[0];
  }

  const input = (value: string, attributes = '') => `<input value="${value}" ${attributes}>`;
  const NUMBER_INPUT = input(NUMBER);

  test('reads the whole card', () => {
    const html =
      input('4111 1111 1111 1111', 'data-cardseal-field="number"') +
      input('Zoë Quillow', 'data-cardseal-field="name"') +
      input(' 583 ', 'data-cardseal-field="cvv" id="code" name="cc_code"');
    expect(cardOf(html)).toEqual({
      find: expect.any(Function),
      number: NUMBER,
      typed: ['4111 1111 1111 1111'],
      codes: ['583'],
      codeNames: ['code', 'cc_code'],
      name: 'Zoë Quillow',
    });
  });

  test.each([
    ['a control without a mark', NUMBER_INPUT],
    ['a text area', `<textarea>${NUMBER}</textarea>`],
    [
      'a mark among other controls',
      input('12') + input('4111-1111.1111 1111', 'autocomplete="Billing CC-Number"'),
    ],
    [
      'another control, if the marked one is empty',
      input('', 'autocomplete="cc-number"') + NUMBER_INPUT,
    ],
    ['a control with 24 gaps', input(`4${' '.repeat(24)}111111111111111`)],
    ['neighbours', input('4111') + input('1111') + input('1111') + input('1111')],
    [
      'five neighbours, behind other digits',
      input('12') + input('4') + input('1') + input('1') + input('1') + input('111111111111'),
    ],
    [
      'neighbours around one that is hidden',
      input('4111111') + input('x', 'type="hidden"') + input('111111111'),
    ],
    ['Arabic digits', input('٤١١١١١١١١١١١١١١١')],
    ['Persian digits', input('۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱')],
    ['Devanagari digits', input('४१११११११११११११११')],
    ['Bengali digits', input('৪১১১১১১১১১১১১১১১')],
    ['wide digits', input('４１１１１１１１１１１１１１１１')],
  ])('reads the number in %s', (_, html) => {
    expect(cardOf(html)?.number).toBe(NUMBER);
  });

  test('reads a card of each form', () => {
    const form = (number: string, code: string) =>
      `<form>${input(number, 'autocomplete="cc-number"')}${input(code, 'autocomplete="cc-csc"')}</form>`;
    const { read, cards, controls, holder } = open(
      `${form(NUMBER, '583')}${form(OTHERS[0]!, '492')}${form('', '111')}<form></form>`,
    );
    read();
    expect(cards()).toMatchObject([
      { number: NUMBER, codes: ['583'] },
      { number: OTHERS[0], codes: ['492'] },
    ]);
    const [first, second, third, last] = holder.querySelectorAll('form');
    expect(controls(first!).number).toEqual([first!.elements[0]]);
    expect(controls(second!).code).toEqual([second!.elements[1]]);
    expect(controls(third!).code).toEqual([]);
    expect(controls(last!).number).toEqual([]);
  });

  test('reads a card whose code stands in another form than its number', () => {
    const card = cardOf(`<form>${NUMBER_INPUT}</form><form>${input('583', 'name="cvv"')}</form>`);
    expect(card?.codes).toEqual(['583']);
  });

  test('reads the highest digit of another script', () => {
    expect(cardOf(input('٦٠١١١١١١١١١١١١١٧'))?.number).toBe(OTHERS[3]);
    const { read, isOff } = open(input('٩٩٩٩٩٩٩٩٩٩٩٩٩٩٤'));
    read();
    expect(isOff()).toBe(true);
  });

  test.each([
    ['six neighbours', ['4', '1', '1', '1', '1', '11111111111'].map((it) => input(it)).join('')],
    ['neighbours with another text between', input('41111111') + input('x') + input('11111111')],
    ['a hidden control', input(NUMBER, 'type="hidden"')],
    ['a control with 25 gaps', input(`4${' '.repeat(25)}111111111111111`)],
    ['a check box', input(NUMBER, 'type="checkbox"')],
    ['a text with more than digits', input(`No. ${NUMBER}`)],
    ['a sign between digits of another script', input('٤١١١١١١١\u066a١١١١١١١١')],
    [
      'two numbers',
      input(NUMBER, 'autocomplete="cc-number"') + input(OTHERS[0]!, 'autocomplete="cc-number"'),
    ],
  ])('reads no card in %s', (_, html) => {
    expect(cardOf(html)).toBeUndefined();
  });

  describe('the code', () => {
    test.each([
      ['by its name', input('583', 'name="card[cvv]"'), ['583']],
      ['by its id', input('583', 'id="cc-csc"'), ['583']],
      ['of a select', '<select autocomplete="cc-csc"><option>583</select>', ['583']],
      ['of four digits', input('5831', 'autocomplete="cc-csc"'), ['5831']],
      ['as it is typed, too', input('5 8 3', 'autocomplete="cc-csc"'), ['583', '5 8 3']],
      [
        'of several controls',
        ['5', '8', '3'].map((it) => input(it, 'autocomplete="cc-csc"')).join(''),
        ['583'],
      ],
      [
        'of another control, if the marked one is empty',
        input('', 'autocomplete="cc-csc"') + input('583', 'id="cvv"'),
        ['583'],
      ],
      [
        'and not the expiry date beside it',
        input('11/29', 'id="cc_validade"') + input('583', 'id="cc_cvv"'),
        ['583'],
      ],
      ['not if it is too short', input('58', 'autocomplete="cc-csc"'), []],
      ['not if it is too long', input('58312', 'autocomplete="cc-csc"'), []],
      ['not of a hidden control', input('583', 'id="cvv" type="hidden"'), []],
      ['not by a name that says nothing', input('583', 'id="quantity"'), []],
      ['not by an unknown mark', input('583', 'data-cardseal-field="x" autocomplete="cc-csc"'), []],
      ['not by a token of another kind', input('583', 'autocomplete="cvv"'), []],
    ])('%s', (_, html, codes) => {
      expect(cardOf(NUMBER_INPUT + html)?.codes).toEqual(codes);
    });

    test('of an empty control gives no names', () => {
      expect(cardOf(NUMBER_INPUT + input(' ', 'id="cvv"'))?.codeNames).toEqual([]);
    });
  });

  describe('the name', () => {
    const ZOE = 'Zoë Quillow';

    test.each([
      'holder',
      'owner',
      'nameOnCard',
      'name_on_card',
      'cardname',
      'card-name',
      'ccname',
      'cc_name',
      'namecard',
      'name-card',
    ])('is found by the name or id "%s"', (name) => {
      expect(cardOf(NUMBER_INPUT + input(ZOE, `id="${name}"`))?.name).toBe(ZOE);
      expect(cardOf(NUMBER_INPUT + input(ZOE, `name="${name}"`))?.name).toBe(ZOE);
    });

    test.each([
      [['name'], [ZOE]],
      [
        ['given_name', 'family_name'],
        ['Zoë', 'Quillow'],
      ],
      [
        ['given_name', 'additional_name', 'family_name'],
        ['Zoë', 'A. B.', 'Quillow'],
      ],
    ])('is found by the marks %s', (marks, parts) => {
      const by = (attribute: (mark: string) => string) =>
        cardOf(
          NUMBER_INPUT + parts.map((part, i) => input(` ${part} `, attribute(marks[i]!))).join(''),
        );
      expect(by((mark) => `data-cardseal-field="${mark}"`)?.name).toBe(parts.join(' '));
      const token = (mark: string) => `autocomplete="cc-${mark.replace('_', '-')}"`;
      expect(by(token)?.name).toBe(parts.join(' '));
    });

    test.each([
      ['is one word', input('Zoë', 'id="holder"')],
      ['stands in a control that is shared', input(ZOE, 'id="holder" data-cardseal-shared')],
      [
        'is shared in part',
        input('Zoë Ann', 'autocomplete="cc-given-name"') +
          input('Quillow', 'autocomplete="cc-family-name" data-cardseal-shared'),
      ],
      [
        'has a word that stands elsewhere',
        input(ZOE, 'id="holder"') + input(' QUILLOW ', 'id="last"'),
      ],
      [
        'stands elsewhere in a text',
        `${input(ZOE, 'id="holder"')}<textarea>For ZOË QUILLOW.</textarea>`,
      ],
      ['has no name or id that tells', input(ZOE, 'id="who"')],
    ])('is not looked for if it %s', (_, html) => {
      expect(cardOf(NUMBER_INPUT + html)?.name).toBe('');
    });

    test('is looked for with two spaces between, and an empty control elsewhere', () => {
      const html = input('Zoë  Quillow', 'id="holder"') + input('', 'id="last"');
      expect(cardOf(NUMBER_INPUT + html)?.name).toBe('Zoë  Quillow');
    });

    test('is looked for although a part of a word stands elsewhere', () => {
      const html = input(ZOE, 'id="holder"') + input('Quill', 'id="last"');
      expect(cardOf(NUMBER_INPUT + html)?.name).toBe(ZOE);
    });
  });

  describe('remembers', () => {
    test('one card while the shopper fills in the rest, or empties it', () => {
      const html = NUMBER_INPUT + input('583', 'id="cvv"') + input('Zoë Quillow', 'id="holder"');
      const { read, cards, holder } = open(html);
      read();
      const [first] = cards();
      read();
      expect(cards()[0]).toBe(first);
      holder.querySelectorAll('input').forEach((it, i) => {
        if (i > 0) it.value = '';
      });
      read();
      expect(cards()).toMatchObject([{ number: NUMBER, codes: ['583'], name: 'Zoë Quillow' }]);
      holder.querySelectorAll('input')[1]!.value = '584';
      read();
      expect(cards()).toMatchObject([{ codes: ['584'] }]);
    });

    test('the last four cards', () => {
      const { read, cards, input } = open(NUMBER_INPUT);
      for (const number of [NUMBER, ...OTHERS]) {
        input.value = number;
        read();
      }
      input.value = '';
      read();
      expect(cards().map(({ number }) => number)).toEqual(OTHERS);
    });
  });

  describe('with another number in the page', () => {
    /** Numbers that nobody has published for tests, by the check digit. */
    const VALID = [
      '490000000003',
      '100000000008',
      '10000000000008',
      '2764139200009',
      '4929000000000109',
      '4929123456781004',
      '4921000000000008',
      '9999999999999999998',
    ];

    test('forgets the cards, says so, and reads again when it is gone', () => {
      const { read, cards, isOff, input } = open(NUMBER_INPUT);
      expect(isOff()).toBe(false);
      read();
      input.value = '4929000000000109';
      read();
      expect([cards(), isOff(), warned]).toEqual([[], true, 1]);
      input.value = NUMBER;
      read();
      expect([cards().length, isOff(), warned]).toEqual([1, false, 1]);
    });

    const isOffWith = (html: string) => {
      const { read, isOff } = open(NUMBER_INPUT + html);
      read();
      return isOff();
    };

    test.each(VALID)('%s: looks at nothing', (number) => {
      expect(isOffWith(input(number))).toBe(true);
      expect(isOffWith(input(number, 'type="hidden"'))).toBe(true);
    });

    test.each([
      ...['424242424242', '42424242424242', '424242424242424'], // each has a right check digit
    ])('the beginning of a test number, %s, is none', (typed) => {
      expect(isOffWith(input(typed, 'data-cardseal-field="number"'))).toBe(false);
    });

    test('boxes that are being typed in are none: they may hold parts of two numbers', () => {
      const { read, holder, isOff } = open(
        ['4929', '0000', '0000', '0109']
          .map((it) => input(it, 'data-cardseal-field="number" maxlength="4"'))
          .join(''),
      );
      const boxes = holder.querySelectorAll('input');
      boxes[3]!.focus();
      read();
      expect(isOff()).toBe(false);
      boxes[3]!.blur();
      read();
      expect(isOff()).toBe(true);
    });

    test('among other text, in the marked control that the shopper is in: looks at nothing', () => {
      const {
        read,
        input: control,
        isOff,
      } = open(input('No. 4929000000000109', 'data-cardseal-field="number"'));
      control.focus();
      read();
      expect(isOff()).toBe(true);
    });

    test('in marked boxes: looks at nothing', () => {
      const boxes = ['4929', '0000', '0000', '0109'].map((it) =>
        input(it, 'autocomplete="cc-number"'),
      );
      expect(isOffWith(boxes.join(''))).toBe(true);
    });

    test('in marked boxes of a form, beside a test card in another form: looks at nothing', () => {
      const form = (...parts: string[]) =>
        `<form>${parts.map((it) => input(it, 'autocomplete="cc-number"')).join('')}</form>`;
      expect(isOffWith(form(NUMBER) + form('4929', '0000', '0000', '0109'))).toBe(true);
    });

    test.each([
      ['one digit too short', '49290000006'],
      ['one digit too long', '99999999999999999999'],
      ...VALID.map((it) => ['mistyped', it.slice(0, -1) + ((Number(it.at(-1)) + 1) % 10)]),
      ['a time in milliseconds', '1764139200000'],
      ['within a text', 'No. 4929000000000109'],
      ['behind a letter', 'é490000000000'],
    ])('that is none, %s: looks (%s)', (_, text) => {
      expect(isOffWith(input(text!))).toBe(false);
    });
  });

  describe('shadow roots', () => {
    function shadow(html: string) {
      const { holder, ...reader } = open('<p></p>');
      const root = holder.querySelector('p')!.attachShadow({ mode: 'open' });
      root.innerHTML = html;
      return { ...reader, root };
    }

    test('are read as soon as the shopper uses one, and are new once', () => {
      const { read, cards, note, roots, controls, root } = shadow(NUMBER_INPUT);
      const told: ShadowRoot[] = [];
      read();
      expect(cards()).toEqual([]);
      const field = root.querySelector('input')!;
      field.addEventListener('change', (event) => told.push(...note(event)));
      for (let i = 0; i < 2; i++) field.dispatchEvent(new Event('change', { composed: true }));
      read();
      expect(cards()).toMatchObject([{ number: NUMBER }]);
      expect([told, roots(), controls(document.createElement('form')).number]).toEqual([
        [root],
        [document, root],
        [field],
      ]);
    });
  });
});
