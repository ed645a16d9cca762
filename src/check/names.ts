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

/** In a page with Cardseal. A form that a module binds has no mark of its own. */
const OF_CARD =
  '[data-cardseal-field], [data-cardseal] [autocomplete*="cc-"], ' +
  '[data-cardseal-url] [autocomplete*="cc-"]';

/** What is shared is the shop's own field. */
const isOfCard = (element: Element): boolean =>
  element.matches(OF_CARD) && !element.hasAttribute('data-cardseal-shared');
