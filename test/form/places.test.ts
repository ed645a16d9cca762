/** Where a text stands that concerns a field, without any markup of the page. */
import axe from 'axe-core';
import { describe, expect, test, vi } from 'vitest';
import { bringIntoView } from '../../src/form/feedback/places.ts';
import { hold, release, releaseSoon, whenStill } from '../../src/form/page/still.ts';
import {
  bind,
  CONTROLS,
  FAR,
  FIELDS,
  fill,
  html,
  later,
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

// G1
test.each([
  ['400 ms after it went up, for a click comes up to 300 ms later', [releaseSoon], 400],
  ['5 seconds after it went down, for it may go up over another window', [], 5000],
  ['5 seconds after it last went down', [releaseSoon, hold], 5000],
])('while a pointer is down, nothing moves until %s', (_, events, ms) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  later(() => {
    release();
    vi.useRealTimers();
  });
  const action = vi.fn();
  hold();
  whenStill(action);
  for (const event of events) event();
  vi.advanceTimersByTime(ms - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
  whenStill(action);
  expect(action).toHaveBeenCalledTimes(2);
});

// G1
test('a pointer that a script makes up holds nothing', async () => {
  window.dispatchEvent(new Event('pointerdown'));
  expect(added(await withWrongCode(CONTROLS.cvv))).toHaveLength(1);
});

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

const FLEX = 'display: flex; flex-direction';
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
      'a row from right to left',
      `<div id="row" style="${FLEX}: row-reverse">${CVV}<b>?</b></div>`,
      '#row',
    ],
    ['a column', `<div style="${FLEX}: column">${CVV}<b>?</b></div>`, '[aria-label]'],
    [
      'a box like a row of a table',
      `<div id="row" style="display: table-row">${CVV}</div>`,
      '#row',
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

  test.each([
    ['a widget that stands in for a select', '<div id="w">--</div>', 'w'],
    ['a select that is hidden, as what follows is', '<div hidden>--</div>', 'year'],
  ])('%s', async (_, follows, id) => {
    const years = '<select id="year" autocomplete="cc-exp-year" hidden><option></select>';
    const expiry = `<input autocomplete="cc-exp-month">${years}${follows}`;
    const page = open(html({ expiry }));
    bind(page.form);
    fill(page, { ...TYPED, exp_month: '12' });
    await refused(page);
    expect(added(page)[0]!.previousElementSibling?.id).toBe(id);
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
    page.control('cvv').setAttribute('aria-describedby', `other more ${id}`);
    change(page);
    expect([described(page), added(page)]).toEqual(['other more', []]);
  });

  test('but not what the page has removed meanwhile', async () => {
    const page = await withWrongCode(HINT);
    page.control('cvv').removeAttribute('aria-describedby');
    change(page);
    expect([described(page), added(page)]).toEqual([null, []]);
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

test('a page that hides the text has it in the status line, which is brought into view', async () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  const page = open(`${FIELDS}${FAR}<button>Pay</button>`);
  page.host.insertAdjacentHTML(
    'beforeend',
    '<style>[data-cardseal-message] { display: none !important }</style>',
  );
  bind(page.form);
  fill(page, { ...TYPED, cvv: '1' });
  await refused(page);
  expect([statusOf(page), added(page).length]).toEqual(['Check the security code', 1]);
  expect(page.form.contains(added(page)[0]!)).toBe(true);
  expect(scroll.mock.contexts).toEqual([page.host.querySelector('[data-cardseal-line]')]);
});

describe('is scrolled to:', () => {
  const box = (top: number, height: number) => {
    const element = document.body.appendChild(document.createElement('p'));
    element.style.cssText = `position: fixed; top: ${top}px; left: 9px; height: ${height}px; width: 99px; margin: 0`;
    later(() => element.remove());
    return element;
  };

  test.each([
    ['not if all of it is seen', 0, 0, 0],
    ['if something covers its lower half', 110, 40, 1],
    ['if something covers its upper half', 80, 30, 1],
  ])('%s', (_, top, height, times) => {
    const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(() => {});
    const text = box(100, 20);
    box(top, height);
    bringIntoView(text);
    expect(scroll).toHaveBeenCalledTimes(times);
  });

  test('not where nothing has a place, as in jsdom', () => {
    const text = Object.assign(box(100, 20), { scrollIntoView: undefined });
    Object.assign(document, { elementFromPoint: undefined });
    later(() => Reflect.deleteProperty(document, 'elementFromPoint'));
    expect(() => bringIntoView(text)).not.toThrow();
  });
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

test('a status line of the page goes first, as an element for messages does, and is brought into view', async () => {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView');
  const page = open(`${html()}${FAR}<p data-cardseal-status></p>`);
  bind(page.form);
  await refused(page);
  expect([statusOf(page), added(page)]).toEqual(['Enter the card number', []]);
  expect(scroll.mock.contexts).toEqual([page.form.lastElementChild]);
});
