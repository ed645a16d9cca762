import type { CardReader } from './card.ts';
import { type FindingStore, placeOf } from './findings.ts';
import { type CardPart, readingsOf, searcher, type TestCard } from './search.ts';
import type { Outgoing } from './ways-out.ts';

/** Searches what leaves the page for the test cards that stand in it. */
export function clearTextSearch(reader: CardReader, store: FindingStore) {
  const searchers = new WeakMap<TestCard, ReturnType<typeof searcher>>();

  function searcherOf(card: TestCard) {
    const known = searchers.get(card) || searcher(card);
    searchers.set(card, known);
    return known;
  }

  function find(text: string, key?: string): CardPart[] {
    const part = key === undefined ? { text } : { text, key };
    const found = reader.cards().map((card) => searcherOf(card)(part));
    return ([] as CardPart[]).concat(...found);
  }

  /** A text of the page for a message: nothing of a card may be in it. */
  const shown = (text: string, otherwise: string): string =>
    find(text).length || LONG_NUMBER.test(text) ? otherwise : text;

  return {
    search({ way, to, parts, site, form }: Outgoing): void {
      // A number may stand in several boxes of a form.
      const values = parts.filter(({ key }) => key !== undefined).map((part) => part.text);
      const found = new Set<CardPart>();
      let key: string | undefined;
      for (const part of parts.concat({ text: values.join('\n') })) {
        const some = find(part.text, part.key).concat(part.key ? find(part.key) : []);
        if (some.length) key = key || part.key;
        for (const field of some) found.add(field);
      }
      if (!found.size) return;
      const fields = Array.from(found);
      const control = key && shown(key, '(a name with the card in it)');
      const address = placeOfAddress(to, shown);
      const place = site && {
        ...site,
        script: shown(site.script, '(an address with the card in it)'),
      };
      store.add({
        kind: 'clear text',
        page: shown(location.pathname, '(an address with the card in it)'),
        text: [
          `The ${fields.join(' and the ')} left in clear text by ${way}`,
          address && ` to ${address}`,
          control && `, in the field "${control}"`,
          place && `, from ${placeOf(place)}`,
          '.',
        ].join(''),
        advice: form ? REMOVE_NAME : CHANGE_SCRIPT,
        help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
        fields,
        way,
        ...(address && { to: address }),
        ...(control && { control }),
        ...(place && { site: place }),
      });
    },
    /** Searches the page's own address, which a script may have led to by `location.href`. */
    searchAddress(testNumbers: Set<string>): void {
      const numbers = readingsOf(location.href).map((text) => text.match(LONG_NUMBERS) || []);
      const digits = ([] as string[]).concat(...numbers).map((it) => it.replace(/\D/g, ''));
      if (!digits.some((it) => testNumbers.has(it))) return;
      store.add({
        kind: 'clear text',
        page: location.pathname.replace(LONG_NUMBERS, '(number)'),
        text: 'The address of this page has the card number in clear text.',
        advice: `A form with method="get" or a script put it there. ${CHANGE_SCRIPT}`,
        help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
        fields: ['card number'],
        way: 'the address of the page',
      });
    },
    shown,
  };
}

export type ClearTextSearch = ReturnType<typeof clearTextSearch>;

const LONG_NUMBERS = /\d[\d +-]{10,24}\d/g;
const LONG_NUMBER = /\d{12}/;

const REMOVE_NAME =
  'Remove the name from the card’s controls. Mark each by data-cardseal-field; select it by id.';

const CHANGE_SCRIPT =
  'A script of your page reads the fields and sends them. Send $(form).serialize() or a list of ' +
  'the fields that you need, from a submit listener or a button with data-cardseal-button.';

/** A path, on another origin with its host. */
export function placeOfAddress(
  to: string,
  shown: (text: string, otherwise: string) => string,
): string {
  if (!to) return '';
  const anchor = document.createElement('a');
  anchor.href = to;
  const { protocol, host, pathname } = anchor;
  const path = protocol === 'data:' || protocol === 'blob:' ? protocol : pathname;
  const place = host && host !== location.host ? `${host}${path}` : path;
  return shown(place, '(an address with the card in it)');
}
