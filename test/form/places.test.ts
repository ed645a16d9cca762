/** Where a text stands that concerns a field, without any markup of the page. */
import axe from 'axe-core';
import { describe, expect, test } from 'vitest';
import {
  bind,
  CONTROLS,
  fill,
  html,
  open,
  type Page,
  refused,
  settled,
  statusOf,
  TYPED,
} from '../support/form.ts';

const added = ({ host }: Page) => [
  ...host.querySelectorAll<HTMLElement>('[data-cardseal-message=library]'),
];

/** A page on which only the security code is wrong. */
async function withWrongCode(cvv: string): Promise<Page> {
  const page = open(html({ cvv }));
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  return page;
}

// G6
test('stands directly after the label, is named by the control, and is announced', async () => {
  const page = await withWrongCode(CONTROLS.cvv);
  const [text, ...others] = added(page);
  const control = page.control('cvv');
  expect([text!.textContent, others, statusOf(page)]).toEqual([
    'Check the security code',
    [],
    undefined,
  ]);
  expect(text!.previousElementSibling).toBe(control.labels![0]);
  expect(control.getAttribute('aria-describedby')).toBe(text!.id);
  expect(text!.getAttribute('role')).toBe('alert');
  const { violations } = await axe.run(page.host, { resultTypes: ['violations'] });
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test('each wrong field has its own, and only the first is announced', async () => {
  const page = open();
  bind(page.form);
  await refused(page);
  expect(added(page).map(({ textContent, role }) => [textContent, role])).toEqual([
    ['Enter the card number', 'alert'],
    ['Enter the name on the card', null],
    ['Enter the expiry date', null],
    ['Enter the security code', null],
  ]);
  expect(new Set(added(page).map(({ id }) => id)).size).toBe(4);
  const { violations } = await axe.run(page.host, { resultTypes: ['violations'] });
  expect(violations.map(({ id }) => id)).toEqual([]);
});

const CVV = '<input autocomplete="cc-csc" aria-label="Code">';

describe('stands after what belongs to the control:', () => {
  test.each([
    ['nothing', CVV, '[aria-label]'],
    [
      'a label that floats over it',
      `<i>${CVV.replace('>', ' id="c">')}<label for="c">Code</label></i>`,
      'label[for]',
    ],
    ['a row of flexible boxes', `<div id="row" style="display: flex">${CVV}<b>?</b></div>`, '#row'],
    [
      'a row that may break',
      `<div style="display: flex; flex-wrap: wrap">${CVV}<b>?</b></div>`,
      '[aria-label]',
    ],
    [
      'a row of a table',
      `<table id="row"><tr><td>Code</td><td>${CVV}</td></tr></table>`,
      '[aria-label]',
    ],
    [
      'a box that cuts off what is below',
      `<div id="row" style="height: 20px; overflow: hidden">${CVV}</div>`,
      '#row',
    ],
  ])('%s', async (_, cvv, after) => {
    const page = await withWrongCode(cvv);
    const [text] = added(page);
    expect(text!.previousElementSibling).toBe(page.host.querySelector(after));
    expect(text!.getBoundingClientRect().height).toBeGreaterThan(5);
  });

  test('a widget that stands in for a select', async () => {
    const years = '<select autocomplete="cc-exp-year" hidden><option></select><div id="w">--</div>';
    const page = open(html({ expiry: `<input autocomplete="cc-exp-month">${years}` }));
    bind(page.form);
    fill(page, { ...TYPED, exp_month: '12' });
    await refused(page);
    expect(added(page)[0]!.previousElementSibling?.id).toBe('w');
  });
});

describe('what was there is restored', () => {
  const HINT =
    '<input autocomplete="cc-csc" aria-label="Code" aria-describedby=" hint "><i id="hint">3 digits</i>';
  const described = (page: Page) => page.control('cvv').getAttribute('aria-describedby');
  const change = (page: Page) =>
    page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));

  test('when the control changes', async () => {
    const page = await withWrongCode(HINT);
    expect(described(page)).toBe(`hint ${added(page)[0]!.id}`);
    change(page);
    expect([described(page), added(page)]).toEqual([' hint ', []]);
  });

  test('when the binding ends, and there was nothing', async () => {
    const page = open();
    bind(page.form).unbind();
    const before = page.form.innerHTML; // the marks for recorders stay
    const binding = bind(page.form);
    await refused(page);
    binding.unbind();
    expect(page.form.innerHTML).toBe(before);
  });

  test('but not over what the page has written meanwhile', async () => {
    const page = await withWrongCode(HINT);
    const { id } = added(page)[0]!;
    page.control('cvv').setAttribute('aria-describedby', `other ${id}`);
    change(page);
    expect([described(page), added(page)]).toEqual(['other', []]);
  });
});

test('a page that removes the text has it in the status line', async () => {
  const page = await withWrongCode(CONTROLS.cvv);
  added(page)[0]!.remove();
  await settled(page);
  expect(statusOf(page)).toBe('Check the security code');
  page.control('cvv').dispatchEvent(new Event('input', { bubbles: true }));
  expect(statusOf(page)).toBe(undefined);
});

test('a copy of the form with a text loses it', async () => {
  const page = await withWrongCode(CONTROLS.cvv);
  const copy = page.form.cloneNode(true) as HTMLFormElement;
  page.form.replaceWith(copy);
  const other = { ...page, form: copy };
  bind(copy);
  await refused(other, copy.querySelector('button')!);
  expect(copy.querySelectorAll('[data-cardseal-message]').length).toBe(1);
});

test('a status line of the page goes first, as an element for messages does', async () => {
  const page = open(`<p data-cardseal-status></p>${html()}`);
  bind(page.form);
  await refused(page);
  expect([statusOf(page), added(page)]).toEqual(['Enter the card number', []]);
});
