import { concat } from '../form/page/old-browsers.ts';
import { isWrapper } from './call-site.ts';
import { type Finding, type FindingStore, type Found, type Piece, placed } from './findings.ts';
import { addressOf, type Outgoing } from './outgoing.ts';
import { type CardPart, numberFinder, type Part, readingsOf } from './search.ts';
import type { CardReader } from './typed-card.ts';

/** Finds the test cards of the page in a text. */
export function cardFinder(reader: CardReader) {
  const find = (part: Part): CardPart[] => concat(reader.cards().map((card) => card.find(part)));

  return {
    find,
    /** A text as it may be printed: nothing of a card is in it. */
    shown(text: string): string {
      const codes = concat(reader.cards().map((card) => card.codes));
      const tests = codes.map(numberFinder); // a code also where no name tells of it
      const hasNumber = readingsOf(text).some(
        (reading) => reading.search(LONG_NUMBERS) >= 0 || tests.some((test) => test(reading)),
      );
      return hasNumber || find({ text }).length ? '(a text with the card in it)' : text;
    },
  };
}

/** Searches what leaves the page, or is about to. */
export function clearTextSearch({ find }: ReturnType<typeof cardFinder>, store: FindingStore) {
  return {
    search(outgoing: Outgoing): void {
      const { way, to, parts, isPreparing, site } = outgoing;
      if (isPreparing && !site) return; // no script of the page: a driver of tests reads values
      // A number may stand in several boxes of a form.
      const values = parts.filter(({ key }) => key !== undefined).map((part) => part.text);
      const joined: Part[] = values.length > 1 ? [{ text: values.join('\n') }] : [];
      const found = new Set<CardPart>();
      let key: string | undefined;
      for (const part of parts.concat(joined)) {
        const some = find(part).concat(part.key ? find({ text: part.key }) : []);
        if (some.length) key = key || part.key;
        for (const field of some) found.add(field);
      }
      if (!found.size) return;
      const fields = [...found]; // not `Array.from`, which Prototype replaces
      const address = placeOfAddress(to);
      const what = `The ${fields.join(' and the ')}`;
      const about = `${fields.length > 1 ? 'are' : 'is'} about to leave in clear text, by`;
      const text: Piece[] = [`${what} ${isPreparing ? about : 'left in clear text by'} ${way}`];
      if (address) text.push(' to ', address);
      if (key) text.push(', in the field ', `"${key}"`);
      const finding: Found = {
        kind: isPreparing ? 'about to leave' : 'clear text',
        text: text.concat(placed(', from ', site), '.'),
        ...adviceFor(outgoing),
        fields,
        way,
        to: address || undefined,
        control: key,
        site,
      };
      if (isPreparing) {
        // A recorder makes a text, encodes it and sends it: one finding of a script is enough.
        const told = store.load().findings.filter(({ fields, site }) => fields && site);
        if (told.some((it) => includes(it, finding))) return;
      } else {
        const isPrepared = (it: Finding) => it.kind === 'about to leave' && includes(finding, it);
        store.withdraw(isPrepared, 'it has left');
      }
      store.add(finding);
    },
    /** Searches the page's own address, which a script may have led to by `location.href`. */
    searchAddress(testNumbers: Set<string>): void {
      const readings = readingsOf(location.href);
      if (![...testNumbers].some((number) => readings.some(numberFinder(number)))) return;
      store.add({
        kind: 'clear text',
        text: ['The address of this page has the card number in clear text.'],
        advice: `A form with method="get" or a script put it there. ${CHANGE_SCRIPT}`,
        help: CLEAR_TEXT,
        fields: ['card number'],
        way: 'the address of the page',
      });
    },
  };
}

/** What may be a card number, in groups or not. */
const LONG_NUMBERS = /\d(?:[ +-]?\d){11,18}/g;

type OfScript = Pick<Finding, 'fields' | 'site'>;

/** Whether one finding says all that another does, of the same script as far as it is known. */
const includes = (one: OfScript, other: OfScript): boolean =>
  (!one.site || !other.site || one.site.script === other.site.script) &&
  other.fields!.every((field) => one.fields!.includes(field));

const CLEAR_TEXT = 'docs/troubleshooting.md#the-card-is-sent-in-clear-text';

/** What to change, by who sends. */
function adviceFor({ way, to, isPreparing, site, form }: Outgoing) {
  if (form) return { advice: REMOVE_NAME, help: CLEAR_TEXT };
  if (STORES.includes(way)) return { advice: KEEP_OUT, help: 'docs/recorders.md#persisted-state' };
  const isOfOthers =
    (to !== '' && addressOf(to).host !== location.host) || (site !== undefined && isWrapper(site));
  if (isOfOthers) {
    return { advice: NOT_HERE, help: 'docs/recorders.md#what-recorders-record' };
  }
  if (isPreparing) return { advice: KEEP_OFF, help: 'docs/recorders.md#what-recorders-record' };
  const isByJquery = site && /jquery/i.test(site.through || site.script);
  return { advice: isByJquery ? SEND_SERIALIZED : CHANGE_SCRIPT, help: CLEAR_TEXT };
}

const STORES = ['localStorage', 'sessionStorage', 'IndexedDB', 'cookie'];

const REMOVE_NAME =
  'Remove the name from the card’s controls. Mark each by data-cardseal-field; select it by id.';

const SEND_SERIALIZED =
  'A script of your page reads the fields and sends them. Remove the names of the card’s ' +
  'controls, and send $(form).serialize() or a list of the fields that you need, from a submit ' +
  'listener or a button with data-cardseal-button.';

const CHANGE_SCRIPT =
  'A script of your page sends the card’s fields, or a copy of them in its state or model. Take ' +
  'the card out of both, and send the field encrypted_card, which holds the block.';

const NOT_HERE =
  'This looks like a recorder or tracker. Keep it off this page, or set the option that masks ' +
  'what is typed.';

const KEEP_OFF =
  'If this is a recorder or tracker, keep it off this page, or set the option that masks what is ' +
  'typed. If it is yours, take the card out of what it makes a text of. To compare is no leak.';

const KEEP_OUT =
  'Keep the card’s fields out of what your page stores, and a recorder or tracker that stores ' +
  'them off this page.';

/** A path, on another origin with its host. */
export function placeOfAddress(to: string): string {
  if (!to) return '';
  const { protocol, host, pathname } = addressOf(to);
  const path = protocol === 'data:' || protocol === 'blob:' ? protocol : pathname;
  return host && host !== location.host ? `${host}${path}` : path;
}
