/** What the page does with a press: found on pages that have the fault, and not where it paid. */
import { describe, expect, test, vi } from 'vitest';
import { BUTTON, open, storedReport } from './page.ts';

type Parts = Parameters<typeof open>[0] & { isFilled?: boolean };

/** Presses on a page with Cardseal, and waits until the press is over: for a quiet second. */
async function press({ isFilled = true, ...parts }: Parts) {
  const page = await open({ isBound: true, ...parts });
  if (isFilled) page.page.fill();
  page.page.press();
  return { page, ...(await page.pressOver()) };
}

const NUMBER_FIELD = `document.querySelector('#number')`;

/** Sends with the card, unless a condition stops it. */
const sendsUnless = (condition: string): Parts => ({
  script: `document.querySelector('#go').onclick = function () {
  ${NUMBER_FIELD}.setAttribute('required', ''); // the form takes it off while the fields are emptied
  if (${condition}) return;
  fetch('/sent/none', { method: 'POST', body: new FormData(document.forms[0]) });
};`,
  button: BUTTON,
});
const metEmptied = (what: string) => ({
  kind: 'emptied fields',
  text: expect.stringContaining(what),
  site: { line: 3 },
});

/** Does something after each click; the card is not filled in, so the press is refused. */
const onRefusal = (statement: string): Parts => ({
  script: `document.querySelector('button').addEventListener('click', function () {
  var button = this;
  setTimeout(function () { ${statement}; });
});`,
  isFilled: false,
});
const locked = (text: string) => ({
  kind: 'lock',
  text: expect.stringContaining(text),
  site: { script: expect.stringContaining('shop.js'), line: 3 },
  advice: expect.stringContaining('data-cardseal-button'),
  help: 'docs/troubleshooting.md#pay-does-nothing-or-the-shop-gets-no-card',
});
const FLAG = onRefusal('window.is_submitting_1 = true');

const sendsList = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new URLSearchParams({ city: 'Cork' }) });
});`;
const readsEmptied = `document.querySelector('#go').onclick = function () {
  var number = ${NUMBER_FIELD}.value;
  fetch('/sent/none', { method: 'POST', body: 'has=' + Boolean(number) });
};`;

interface Expected {
  /** Undefined: nothing is found. */
  finding?: object;
  /** What the line of the press has. */
  press: string;
}

const PAGES: Record<string, [parts: Parts, expected: Expected]> = {
  'no block: a list of fields': [
    { script: sendsList },
    {
      finding: {
        kind: 'no block',
        way: 'fetch',
        site: { script: expect.stringContaining('shop.js'), line: 3 },
        advice: expect.stringContaining('add the field encrypted_card'),
        help: 'docs/troubleshooting.md#the-server-gets-no-block',
      },
      press: 'the card was encrypted, but fetch to /sent/none carried no block.',
    },
  ],
  'no block: a list of fields, while the page asks for news all the time': [
    { script: `${sendsList} setInterval(function () { fetch('/sent/none'); }, 300);` },
    { finding: { kind: 'no block', site: { line: 3 } }, press: 'carried no block.' },
  ],
  'no block: a field that was read when it was empty': [
    { script: readsEmptied, button: BUTTON },
    {
      finding: {
        kind: 'no block',
        site: { line: 3 },
        text: expect.stringMatching(/shop\.js:2:\d+ reads an emptied field/),
      },
      press: 'carried no block',
    },
  ],
  'emptied fields: an empty value stops it': [
    sendsUnless(`!${NUMBER_FIELD}.value`),
    { finding: metEmptied('reads an emptied field'), press: 'the page sent nothing' },
  ],
  'emptied fields: reportValidity() of a control stops it': [
    sendsUnless(`!${NUMBER_FIELD}.reportValidity()`),
    { finding: metEmptied('calls reportValidity() after'), press: 'the page sent nothing' },
  ],
  'none: emptied fields were read, and the page pays all the same': [
    sendsUnless(`!${NUMBER_FIELD}.value && false`),
    { press: 'the block left by fetch' },
  ],
  'none: a listener of the page has cancelled the press': [
    {
      script: `document.forms[0].addEventListener('cardseal:submit', function (event) {
  event.preventDefault();
});`,
    },
    { press: 'a listener of the page has stopped it' },
  ],
  'lock: disabled': [
    onRefusal('button.disabled = true'),
    { finding: locked('The button is'), press: 'refused (' },
  ],
  'lock: aria-disabled': [
    onRefusal(`button.setAttribute('aria-disabled', 'true')`),
    { finding: locked('The button is'), press: 'refused (' },
  ],
  'lock: another button': [
    {
      ...onRefusal(`document.querySelector('#go').disabled = true`),
      extra: '<input type="submit" id="go" value="Pay">',
    },
    { finding: locked('The button #go is still locked'), press: 'refused (' },
  ],
  'lock: a class': [
    onRefusal(`button.className = 'btn is-loading'`),
    { finding: { kind: 'lock' }, press: 'refused (' },
  ],
  'lock: a style': [
    onRefusal(`button.style.pointerEvents = 'none'`),
    { finding: { kind: 'lock' }, press: 'refused (' },
  ],
  'lock: a global flag, where no key came': [
    { ...FLAG, isFilled: true, attributes: 'data-cardseal-key-url="/sent/none"' },
    {
      finding: { kind: 'lock', text: expect.stringContaining('is_submitting_1') },
      press: 'refused (invalid_key).',
    },
  ],
};

test('after a press, finds what is wrong with each page, and its line', async () => {
  const visits = Object.entries(PAGES).map(async ([what, [parts, expected]]) => {
    const { findings, presses } = await press(parts);
    expect(findings, what).toMatchObject(expected.finding ? [expected.finding] : []);
    expect(presses, what).toEqual([expect.stringContaining(expected.press)]);
  });
  await Promise.all(visits);
});

describe('what was found is taken back where the page pays after all', () => {
  test('no block, and the block follows later', async () => {
    const script = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var body = new FormData(this);
  fetch('/sent/none', { method: 'POST', body: 'a=1' });
  window.leak = function () { fetch('/sent/none', { method: 'POST', body: body }); };
});`;
    const { page, findings } = await press({ script });
    expect(findings).toMatchObject([{ kind: 'no block' }]);
    page.window.leak();
    await vi.waitFor(() => expect(page.report().findings).toEqual([]));
  });

  test('a lock, and the next press pays', async () => {
    const { page, findings } = await press(FLAG);
    expect(findings).toMatchObject([{ kind: 'lock' }]);
    await page.page.pay();
    expect(storedReport().findings).toEqual([]);
  });
});

describe('filled in, but not sent', () => {
  const saved = {
    attributes: 'data-cardseal-when="[value=new]:checked" data-cardseal-key-url="/nowhere"',
    isBound: true,
    extra: '<label><input type="radio" name="card" value="saved" checked> Saved card</label>',
  };

  async function pressWithCode(code: string, more = '') {
    const page = await open({ ...saved, extra: saved.extra + more });
    page.page.control('cvv').value = code;
    const loaded = page.page.loaded();
    page.page.press();
    await loaded;
  }

  test('a code without a name, when a saved card is used', async () => {
    await pressWithCode('583');
    expect(storedReport().findings).toMatchObject([
      { kind: 'not sent', text: expect.stringContaining('#cvv') },
    ]);
  });

  test('is not looked for beside a number that is no test number', async () => {
    await pressWithCode('583', '<input type="hidden" name="other" value="4929000000000109">');
    expect(storedReport()).toMatchObject({ findings: [], notices: [expect.any(String)] });
  });

  test('is none if the code was left empty', async () => {
    await pressWithCode('');
    expect(sessionStorage.getItem('cardseal-check')).toBeNull();
  });
});
