/** Scripts that give the card's controls a name are found, with their line. */
import { expect, test } from 'vitest';
import { open } from './page.ts';

const MARKED = '<input id="number" data-cardseal-field="number"><input id="city">';

const giving = (statement: string) => ({
  isBound: true,
  controls: MARKED,
  script: `var number = document.querySelector('#number');
function leak() {
  ${statement}
}`,
});

test.each([
  ['by its property', `number.name = 'cc_number';`],
  ['by its attribute', `number.setAttribute('name', 'cc_number');`],
])('finds a name that a script gives to a control of the card %s', async (_, statement) => {
  const page = await open(giving(statement));
  page.window.leak();
  const [found] = await page.found();
  expect(found).toMatchObject({
    kind: 'name',
    control: 'cc_number',
    advice:
      'With a name the browser would send it in clear text, so Cardseal takes the name off ' +
      'again. Delete these lines.',
    help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
    site: { script: page.shop.path, line: 3 },
  });
  expect(found!.text).toMatch(
    /^A script gives the number control the name "cc_number": \S+shop\.js:3:\d+\.$/,
  );
});

test.each([
  ['an ordinary control', `document.querySelector('#city').name = 'city';`],
  ['a control that loses its name', `number.name = '';`],
  ['another attribute', `number.setAttribute('class', 'wide');`],
  [
    'a name on the card that is the shop’s own field',
    `number.setAttribute('data-cardseal-shared', ''); number.name = 'holder';`,
  ],
])('finds nothing of %s', async (_, statement) => {
  const page = await open(giving(statement));
  page.window.leak();
  expect(page.report().findings).toEqual([]);
});

const PAY_FORM = `document.forms[0].removeAttribute('data-cardseal');
  document.forms[0].setAttribute('data-cardseal-url', '/sent/none');`;

test.each([
  ['data-cardseal', ''],
  ['data-cardseal-url', PAY_FORM],
])(
  'says that a control is the card’s if its mark is that of autofill, in a form with %s',
  async (_, before) => {
    const controls = '<input id="number" autocomplete="cc-number"><input id="city">';
    const page = await open({ ...giving(`${before} number.name = 'cc_number';`), controls });
    page.window.leak();
    expect((await page.found())[0]!.text).toMatch(/^A script gives the card control the name /);
  },
);
