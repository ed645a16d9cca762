import type { CardReader } from './card.ts';
import { type FindingStore, placeOf } from './findings.ts';
import {
  type CardPart,
  numberFinder,
  type Part,
  readingsOf,
  searcher,
  type TestCard,
} from './search.ts';
import type { Outgoing } from './ways-out.ts';

/** Finds the test cards of the page in a text. */
export function cardFinder(reader: CardReader) {
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

  return {
    find,
    /** A text as it may be printed: nothing of a card is in it. */
    shown(text: string): string {
      const codes = ([] as string[]).concat(...reader.cards().map((card) => card.codes));
      const tests = codes.map(numberFinder); // a code also where no name tells of it
      const hasNumber = readingsOf(text).some(
        (reading) => reading.search(LONG_NUMBERS) >= 0 || tests.some((test) => test(reading)),
      );
      return hasNumber || find(text).length ? '(a text with the card in it)' : text;
    },
  };
}

/** Searches what leaves the page. */
export function clearTextSearch({ find }: ReturnType<typeof cardFinder>, store: FindingStore) {
  return {
    search({ way, to, parts, site, form }: Outgoing): void {
      // A number may stand in several boxes of a form.
      const values = parts.filter(({ key }) => key !== undefined).map((part) => part.text);
      const joined: Part[] = values.length > 1 ? [{ text: values.join('\n') }] : [];
      const found = new Set<CardPart>();
      let key: string | undefined;
      for (const part of parts.concat(joined)) {
        const some = find(part.text, part.key).concat(part.key ? find(part.key) : []);
        if (some.length) key = key || part.key;
        for (const field of some) found.add(field);
      }
      if (!found.size) return;
      const fields = [...found]; // not `Array.from`, which Prototype replaces
      const address = placeOfAddress(to);
      const text = [`The ${fields.join(' and the ')} left in clear text by ${way}`];
      if (address) text.push(' to ', address);
      if (key) text.push(', in the field ', `"${key}"`);
      if (site) text.push(', from ', placeOf(site));
      store.add({
        kind: 'clear text',
        text: text.concat('.'),
        advice: form ? REMOVE_NAME : CHANGE_SCRIPT,
        help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
        fields,
        way,
        to: address || undefined,
        control: key,
        site,
      });
    },
    /** Searches the page's own address, which a script may have led to by `location.href`. */
    searchAddress(testNumbers: Set<string>): void {
      const numbers = readingsOf(location.href).map((text) => text.match(LONG_NUMBERS) || []);
      const digits = ([] as string[]).concat(...numbers).map((it) => it.replace(/\D/g, ''));
      if (!digits.some((it) => testNumbers.has(it))) return;
      store.add({
        kind: 'clear text',
        text: ['The address of this page has the card number in clear text.'],
        advice: `A form with method="get" or a script put it there. ${CHANGE_SCRIPT}`,
        help: 'docs/troubleshooting.md#the-card-is-sent-in-clear-text',
        fields: ['card number'],
        way: 'the address of the page',
      });
    },
  };
}

/** What may be a card number, in groups or not. */
const LONG_NUMBERS = /\d(?:[ +-]?\d){11,18}/g;

const REMOVE_NAME =
  'Remove the name from the card’s controls. Mark each by data-cardseal-field; select it by id.';

const CHANGE_SCRIPT =
  'A script of your page reads the fields and sends them. Send $(form).serialize() or a list of ' +
  'the fields that you need, from a submit listener or a button with data-cardseal-button.';

/** A path, on another origin with its host. */
export function placeOfAddress(to: string): string {
  if (!to) return '';
  const anchor = document.createElement('a');
  anchor.href = to;
  const { protocol, host, pathname } = anchor;
  const path = protocol === 'data:' || protocol === 'blob:' ? protocol : pathname;
  return host && host !== location.host ? `${host}${path}` : path;
}
