import { checkVisibility } from './old-browsers.ts';

/** Whether the page shows an element at all. */
export function isRendered(element: Element): boolean {
  if (!hasLayout()) return true;
  if (element.getClientRects().length === 0) return false;
  // Closed details, `visibility: hidden` and `content-visibility: hidden` have rectangles.
  return checkVisibility(element);
}

/**
 * Whether the page shows an element to people who see. One that a widget has replaced is there for
 * screen readers only, or cut off.
 */
export function isSeen(element: Element): boolean {
  if (!isRendered(element)) return false;
  if (!hasLayout()) return true;
  const { width, height, left, right, bottom } = element.getBoundingClientRect();
  if (width <= 1 || height <= 1 || right <= 0) return false;
  if (styleOf(element, 'opacity') === '0') return false;
  for (let box = element.parentElement; box && box.localName !== 'form'; box = box.parentElement) {
    const around = box.getBoundingClientRect();
    if (bottom > around.bottom + 1 && cuts(box, 'overflow-y')) return false;
    const isBeside = right <= around.left || left >= around.right;
    if (isBeside && cuts(box, 'overflow-x')) return false;
  }
  return true;
}

/** The computed value of a property of CSS. */
export const styleOf = (element: Element, property: string): string =>
  window.getComputedStyle(element).getPropertyValue(property);

const cuts = (box: Element, property: string) =>
  ['hidden', 'clip'].includes(styleOf(box, property));

/** Environments without a layout (jsdom, happy-dom) draw nothing: there everything counts. */
const hasLayout = () => document.documentElement.getClientRects().length > 0;
