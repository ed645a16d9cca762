/** What the page does with a press: found on pages that have the fault, and not where it paid. */
import { describe, expect, test, vi } from 'vitest';
import { findCard } from '../tools/support/find-card.ts';
import { BUTTON, NUMBER, open, storedReport } from './page.ts';

/**
 * Presses on pages with Cardseal, and waits for what the check says. It waits for a quiet second,
 * so tests open their pages at the same time.
 */
async function press({ isFilled = true, ...parts }: Parameters<typeof open>[0] & Fill) {
  const page = await open({ isBound: true, ...parts });
  if (isFilled) page.page.fill();
  page.page.press();
  return { page, ...(await page.pressOver()) };
}
interface Fill {
  isFilled?: boolean;
}

const NUMBER_OF_PAGE = `document.querySelector('#number')`;

test('no block: found, with the line that sent something else and the one that met an emptied field', async () => {
  const sendsList = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  fetch('/sent/none', { method: 'POST', body: new URLSearchParams({ city: 'Cork' }) });
});`;
  const readsEmptied = `document.querySelector('#go').onclick = function () {
  var number = ${NUMBER_OF_PAGE}.value;
  fetch('/sent/none', { method: 'POST', body: 'has=' + Boolean(number) });
};`;
  const [list, emptied] = await Promise.all([
    press({ script: sendsList }),
    press({ script: readsEmptied, button: BUTTON }),
  ]);
  expect(list.findings).toMatchObject([
    {
      kind: 'no block',
      way: 'fetch',
      site: { script: list.page.shop.path, line: 3 },
      advice: expect.stringContaining('add the field encrypted_card'),
      help: 'docs/troubleshooting.md#the-server-gets-no-block',
    },
  ]);
  expect(list.presses).toEqual([
    'A press of Pay: the card was encrypted, but fetch to /sent/none carried no block.',
  ]);
  expect(emptied.findings).toMatchObject([
    {
      kind: 'no block',
      site: { line: 3 },
      text: expect.stringMatching(/shop\.js:2:\d+ reads an emptied field/),
    },
  ]);
});

test('no block: taken back when the block follows later', async () => {
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

test('emptied fields that were read: found, and not where the page pays all the same', async () => {
  const reads: [what: string, condition: string][] = [
    ['reads an emptied field', `!${NUMBER_OF_PAGE}.value`],
    ['calls checkValidity() after', '!document.forms[0].checkValidity()'],
    ['calls reportValidity() after', `!${NUMBER_OF_PAGE}.reportValidity()`],
  ];
  const pages = reads.flatMap(([what, condition]) =>
    [true, false].map((stops) => ({ what, condition, stops })),
  );
  const visits = pages.map(async ({ what, condition, stops }) => {
    const script = `document.querySelector('#go').onclick = function () {
  ${NUMBER_OF_PAGE}.setAttribute('required', ''); // the form takes it off while the fields are emptied
  if (${condition} && ${stops}) return;
  fetch('/sent/none', { method: 'POST', body: new FormData(document.forms[0]) });
};`;
    const { findings, presses } = await press({ script, button: BUTTON });
    const text = expect.stringContaining(what);
    const found = { kind: 'emptied fields', text, site: { line: 3 } };
    expect(findings).toMatchObject(stops ? [found] : []);
    expect(presses[0]).toContain(stops ? 'the page sent nothing' : 'the block left by fetch');
  });
  await Promise.all(visits);
});

describe('a lock', () => {
  const onClick = (statement: string) =>
    `document.querySelector('button').addEventListener('click', function () {
  var button = this;
  setTimeout(function () { ${statement}; });
});`;
  const submit = '<input type="submit" id="go" value="Pay">';

  test('is found after a refusal, with the line that has disabled it', async () => {
    const locks: [statement: string, text: string, extra?: string][] = [
      ['button.disabled = true', 'The button is'],
      [`button.setAttribute('aria-disabled', 'true')`, 'The button is'],
      [`document.querySelector('#go').disabled = true`, 'The button #go is still locked', submit],
    ];
    const visits = locks.map(async ([statement, text, extra]) => {
      const script = onClick(statement);
      const { page, findings } = await press({ script, isFilled: false, ...(extra && { extra }) });
      expect(findings).toMatchObject([
        {
          kind: 'lock',
          text: expect.stringContaining(text),
          site: { script: page.shop.path, line: 3 },
          advice: expect.stringContaining('data-cardseal-button'),
          help: 'docs/troubleshooting.md#pay-does-nothing-or-the-shop-gets-no-card',
        },
      ]);
    });
    await Promise.all(visits);
  });

  test('is found after a refusal, without a line, and where there is no key', async () => {
    const looks = [`button.className = 'btn is-loading'`, `button.style.pointerEvents = 'none'`];
    const visits = looks.map((look) => press({ script: onClick(look), isFilled: false }));
    const attributes = 'data-cardseal-key-url="/sent/none"';
    const withoutKey = press({ script: onClick('window.is_submitting = true'), attributes });
    for (const { findings } of await Promise.all([...visits, withoutKey])) {
      expect(findings).toMatchObject([{ kind: 'lock' }]);
    }
    expect((await withoutKey).presses).toEqual(['A press of Pay: refused (invalid_key).']);
  });

  const flag = onClick('window.is_submitting_1 = true');

  test('is found after a refusal: a global flag; and taken back where the next press pays', async () => {
    const { page, findings } = await press({ script: flag, isFilled: false });
    expect(findings).toMatchObject([
      { kind: 'lock', text: expect.stringContaining('is_submitting_1') },
    ]);
    await page.page.pay();
    expect(storedReport().findings).toEqual([]);
  });

  test('is none where the page pays at once', async () => {
    const page = await open({ isBound: true, script: flag });
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

test('says no digit of a card that an address or an id holds', async () => {
  const kinds = {
    'no block': `.onclick = function () { fetch('/sent/none', { method: 'POST', body: 'a=1' }); }`,
    'emptied fields': `.onclick = function () { document.querySelector('#number').value; }`,
    lock: '.disabled = true',
  };
  const visits = Object.entries(kinds).map(async ([kind, code]) => {
    const script = `var button = document.querySelector('#go');
function leak() { button${code}; }`;
    const page = await open({ isBound: true, script, button: BUTTON });
    page.page.fill();
    if (kind === 'lock') page.page.control('cvv').value = '';
    page.document.querySelector('#go')!.id = `pay-${NUMBER}`;
    page.window.history.replaceState(null, '', `/order/${NUMBER}`);
    if (kind !== 'lock') page.window.leak();
    page.page.press();
    if (kind === 'lock') page.window.leak();
    return page;
  });
  const pages = await Promise.all(visits);
  const { findings } = await vi.waitFor(() => {
    expect(storedReport().presses).toHaveLength(3);
    return storedReport();
  }, 8_000);
  const found = findings.filter(({ kind }) => kind !== 'clear text'); // of the history
  expect(found.map(({ kind }) => kind).sort()).toEqual(Object.keys(kinds).sort());
  for (const { page } of found) expect(page).toBe('(a text with the card in it)');
  for (const page of pages) {
    const said = [page.report(), page.seen, page.list(), { ...sessionStorage }];
    expect(findCard(said, { number: NUMBER, start: NUMBER.slice(0, 12) })).toEqual([]);
  }
});

test('every press is told: refused, cancelled by the page, sent', async () => {
  const script = `document.forms[0].addEventListener('cardseal:submit', function (event) {
  if (window.isStopped) event.preventDefault();
});`;
  const page = await open({ isBound: true, script });
  const pressUntilSettled = async () => {
    const settled = new Promise((resolve) =>
      page.form.addEventListener('cardseal:settled', resolve, { once: true }),
    );
    page.page.press();
    await settled;
  };
  await pressUntilSettled();
  Object.assign(page.window, { isStopped: true });
  page.page.fill();
  await pressUntilSettled();
  Object.assign(page.window, { isStopped: false });
  await page.page.pay();
  const texts = storedReport().presses.map(({ text }) => text);
  expect(texts).toHaveLength(3);
  expect(texts[0]).toMatch(/^A press of Pay: refused \(.*number/);
  expect(texts[1]).toContain('a listener of the page has stopped it');
  expect(texts[2]).toContain('the block left by form');
});
