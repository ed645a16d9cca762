import { cardButtonsOf } from './card-buttons.ts';
import { elementsOf, unclobbered } from './unclobbered.ts';
import { unique } from './unique.ts';
import { watchElements } from './watch-elements.ts';

const ENABLE = 'data-cardseal-enable';

/** Marks an enabled button. A page that renders it again takes the mark away. */
const ENABLED = 'data-cardseal-enabled';

/**
 * Enables the buttons with `data-cardseal-enable`, once each: the page may disable them again, for
 * example while it sends.
 */
export function enableButtons(form: HTMLFormElement): void {
  for (const button of buttonsWith(form, ENABLE)) {
    if (button.hasAttribute(ENABLED) || !isDisabled(button)) continue;
    button.setAttribute(ENABLED, '');
    setDisabled(button, false);
  }
}

/**
 * Enables them now and when the page renders them anew, until the function that it returns is
 * called, which disables them.
 */
export function keepEnabled(form: HTMLFormElement): () => void {
  enableButtons(form);
  const stopWatching = watchElements(form, () => enableButtons(form));
  return () => {
    stopWatching();
    for (const button of buttonsWith(form, ENABLED)) {
      button.removeAttribute(ENABLED);
      setDisabled(button, true);
    }
  };
}

/** G3: many a custom element is no control of the form that it submits. */
function buttonsWith(form: HTMLFormElement, mark: string): Element[] {
  const inside = [...unclobbered(form, 'querySelectorAll')(`[${mark}]`)];
  const custom = inside.filter(({ localName }) => localName.includes('-'));
  const lists: Element[][] = [custom, elementsOf(form), cardButtonsOf(form)];
  return unique(lists.map((list) => list.filter((element) => element.hasAttribute(mark))));
}

const isDisabled = (button: Element): boolean =>
  button.hasAttribute('disabled') || (button as HTMLButtonElement).disabled === true;

/** The attribute counts before a custom element is defined, the property afterwards. */
function setDisabled(button: Element, value: boolean): void {
  if (value) button.setAttribute('disabled', '');
  else button.removeAttribute('disabled');
  if ('disabled' in button) button.disabled = value;
}
