/** What people who see can see of a page: what a widget has replaced, or a step has pushed aside, is not. */
import { expect, test, vi } from 'vitest';
import { isRendered, isSeen } from '../../src/form/page/is-rendered.ts';
import { later, open } from '../support/form.ts';

const SMALL = 'padding: 0; border: 0; box-sizing: border-box; width: 50px; height: 20px';
const BOX = 'position: relative; width: 100px; height: 40px';

test.each([
  ['stands in the page', '', '', true],
  ['is not displayed', 'display: none', '', false],
  ['is not visible', 'visibility: hidden', '', false],
  ['is transparent', 'opacity: 0', '', false],
  ['is 1 px wide, for screen readers', 'width: 1px', '', false],
  ['is 2 px wide', 'width: 2px', '', true],
  ['is 1 px high, for screen readers', 'height: 1px', '', false],
  ['is 2 px high', 'height: 2px', '', true],
  ['is left of the page', 'position: fixed; left: -50px', '', false],
  ['is 1 px within the page', 'position: fixed; left: -49px', '', true],
  ['is in a box that cuts', '', 'overflow: hidden', true],
  ['is at the lower edge of such a box', 'margin-top: 20px', 'overflow: hidden', true],
  ['is 1 px below that edge', 'margin-top: 21px', 'overflow: hidden', true],
  ['is more below it', 'margin-top: 22px', 'overflow: hidden', false],
  ['is below a box that cuts nothing', 'margin-top: 22px', '', true],
  ['is left of a box that cuts', 'margin-left: -50px', 'overflow: hidden', false],
  ['is right of it', 'margin-left: 100px', 'overflow: hidden', false],
  ['is partly right of it', 'margin-left: 99px', 'overflow: hidden', true],
  ['is right of a box that clips', 'margin-left: 100px', 'overflow: clip', false],
  ['is beside a box that cuts nothing', 'margin-left: 100px', '', true],
  ['is in a form that cuts', '', '', true, 'overflow: hidden; height: 5px'],
])('an element that %s', (_, style, ofBox, expected, ofForm = '') => {
  const { host } = open(
    `<div style="${BOX}; ${ofBox}"><input style="${SMALL}; ${style}"></div>`,
    `style="${ofForm}"`,
    '<div style="padding: 100px">FORM</div>',
  );
  expect(isSeen(host.querySelector('input')!)).toBe(expected);
});

test('without a layout, everything counts', () => {
  const { host } = open('<input style="width: 1px; padding: 0; border: 0">');
  const input = host.querySelector('input')!;
  expect([isRendered(input), isSeen(input)]).toEqual([true, false]);
  const rectangles = vi.spyOn(document.documentElement, 'getClientRects');
  later(() => rectangles.mockRestore());
  rectangles.mockReturnValue([] as never);
  expect([isRendered(input), isSeen(input)]).toEqual([true, true]);
  input.hidden = true;
  expect([isRendered(input), isSeen(input)]).toEqual([true, true]);
});
