/** Whether the page shows an element at all. */
export function isRendered(element: Element): boolean {
  // Environments without a layout (jsdom, happy-dom) draw nothing: there everything counts.
  const hasLayout = document.documentElement.getClientRects().length > 0;
  if (!hasLayout) return true;
  if (element.getClientRects().length === 0) return false;
  // Closed details, `visibility: hidden` and `content-visibility: hidden` have rectangles.
  // Chrome 105 to 120 know the option by its earlier name.
  const options = {
    __proto__: null, // a polluted Object.prototype must set no further option
    visibilityProperty: true,
    checkVisibilityCSS: true,
  };
  return element.checkVisibility?.(options) ?? true;
}
