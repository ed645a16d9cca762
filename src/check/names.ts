import { callSite } from './call-site.ts';
import { type FindingStore, type Piece, placed } from './findings.ts';
import { watch } from './patch.ts';

/** Finds scripts that give a control of the card a name: then it is sent in clear text. */
export function watchNames(store: FindingStore): void {
  const note = (control: Element, name: unknown) => {
    if (!name || !isOfCard(control)) return;
    const field = control.getAttribute('data-cardseal-field') || 'card';
    const site = callSite();
    const text: Piece[] = [`A script gives the ${field} control the name `, `"${name}"`];
    store.add({
      kind: 'name',
      text: text.concat(placed(': ', site), '.'),
      advice:
        'With a name the browser would send it in clear text, so Cardseal takes the name off ' +
        'again. Delete these lines.',
      help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
      control: String(name),
      site,
    });
  };
  for (const { prototype } of [HTMLInputElement, HTMLSelectElement]) {
    watch(prototype, 'name', (control: Element, [name]) => note(control, name), 'set');
  }
  watch(Element.prototype, 'setAttribute', (element: Element, [attribute, name]) => {
    if (attribute === 'name') note(element, name);
  });
}

/** A form that a script tag binds. One that a module binds has no mark. */
const BOUND = '[data-cardseal], [data-cardseal-url]';

/** In a page with Cardseal. What is shared is the shop's own field. */
const isOfCard = (element: Element): boolean =>
  (element.matches('[data-cardseal-field]') ||
    (element.matches('[autocomplete*="cc-"]') && !!element.closest(BOUND))) &&
  !element.hasAttribute('data-cardseal-shared');
