import { slotOf } from '../form/controls/slots.ts';
import { isRendered } from '../form/page/is-rendered.ts';
import { concat } from '../form/page/old-browsers.ts';
import { elementsOf, unclobbered } from '../form/page/unclobbered.ts';
import { isByCardseal, noteCardseal, ownSite, type Site } from './call-site.ts';
import { placeOfAddress } from './clear-text.ts';
import { type FindingKind, type FindingStore, type Found, type Piece, placed } from './findings.ts';
import { type Lock, newLocks, type Snapshot, takeSnapshot, watchLocks } from './locks.ts';
import { addressOf, type Outgoing } from './outgoing.ts';
import { hear, safely, watch } from './patch.ts';
import { readingsOf } from './search.ts';
import { hostsIn } from './test-host.ts';
import { type CardReader, isShadowRoot, type TypedControl } from './typed-card.ts';

/** A press that pays by card, from `cardseal:submit` until nothing more comes of it. */
interface WatchedPress {
  form: HTMLFormElement;
  before: Snapshot;
  /** The card's controls that were filled. */
  filled: TypedControl[];
  isEncrypted: boolean;
  /** By a call of `encrypt()`: code of the page has the block, and sends it whenever it likes. */
  isByCall: boolean;
  /** When it is over at the latest: known once the form is idle again, or the block on its way. */
  endsBy?: number;
  /** Why the library has refused it. */
  problem: string;
  /** How the block left. */
  paidBy: string;
  /** The first request that left after the card was encrypted, without the block. */
  sender?: Sender;
  /** Code of the page that met fields which were emptied. */
  read?: Reading;
}

interface Sender extends Pick<Outgoing, 'way' | 'to' | 'site'> {
  name: string;
}

interface Reading {
  what: string;
  site: Site;
}

/** How long it must be quiet after the form has settled, until a press is over, in milliseconds. */
const QUIET_MS = 1_000;

/** How long a press waits for quiet: some pages send more than once a second. */
const LONGEST_MS = 5_000;

/**
 * Follows each press by the public events of the form, and finds what the page does with it.
 *
 * @param named - Hosts that payments go to, besides the page's own and the destination of the form.
 */
export function pressWatch(reader: CardReader, store: FindingStore, named: string) {
  let press: WatchedPress | undefined;
  let snapshot: Snapshot | undefined;
  let timer = 0;
  /** Of the blocks that were made in this page. */
  const keyIds: string[] = [];
  const hosts = [location.host].concat(hostsIn(named));
  /** The submit, or the click of a card button, that is being dispatched. */
  let current: Event | undefined;

  watchLocks();
  watchReads();
  hear(['click', 'submit'], noteEvent);
  // A submit does not leave a shadow root.
  watch(Element.prototype, 'attachShadow', () => (root: ShadowRoot) => {
    root.addEventListener('submit', (event) => safely(() => noteEvent(event)), true);
  });
  listen('submit', begin);
  listen('encrypted', (_, detail) => {
    noteCardseal();
    if (press) press.isEncrypted = true;
    keyIds.push((detail as { key_id: string }).key_id);
  });
  listen('error', (_, detail) => {
    const { code, field } = detail as { code: string; field?: string };
    if (press && !press.problem) press.problem = field ? `${code}, ${field}` : code;
  });
  listen('settled', () => {
    if (press) press.endsBy = performance.now() + LONGEST_MS;
  });
  hear(['pagehide'], conclude);

  function listen(type: string, then: (form: HTMLFormElement, detail: unknown) => void): void {
    hear([`cardseal:${type}`], (event) => {
      if (reader.isOff()) return;
      then(event.composedPath()[0] as HTMLFormElement, (event as CustomEvent).detail);
      waitOn();
    });
  }

  /** Before code of the page hears of it. */
  function noteEvent(event: Event): void {
    const isClick = event.type === 'click';
    if (isClick) snapshot = takeSnapshot(reader.roots());
    const target = event.composedPath()[0] as Element;
    const isOfCardButton = target.closest?.('[data-cardseal-button]');
    if (!isClick || isOfCardButton) current = event;
    setTimeout(() => {
      snapshot = undefined;
      current = undefined;
    });
  }

  /** As it was before the click that is being dispatched, if there is one. */
  const currentSnapshot = () => snapshot || takeSnapshot(reader.roots());

  function begin(form: HTMLFormElement): void {
    conclude();
    const { number, name, code } = reader.controls(form);
    hosts.push(hostOf(unclobbered(form, 'action')));
    press = {
      form,
      before: currentSnapshot(),
      filled: number.concat(name, code).filter(({ value }) => value !== ''),
      isEncrypted: false,
      isByCall: !isAtRoot(current), // where Cardseal hears of it first
      problem: '',
      paidBy: '',
    };
  }

  function waitOn(): void {
    clearTimeout(timer);
    if (press?.endsBy === undefined) return;
    const rest = press.endsBy - performance.now();
    if (rest > 0) timer = window.setTimeout(() => safely(conclude), Math.min(QUIET_MS, rest));
    else conclude(); // a page that sends all the time may be faster than any timer
  }

  /** Notes which code of the page meets an emptied field. */
  function watchReads(): void {
    const note = (what: string) => {
      const site = ownSite();
      if (site && press && !press.read) press.read = { what, site };
    };
    const read = (control: HTMLInputElement) => (value: unknown) => {
      const isEmptied = value === '' && press?.filled.includes(control);
      if (isEmptied && !isFollowing() && !isByCardseal()) note('reads an emptied field');
    };
    watch(HTMLInputElement.prototype, 'value', read, 'get');
    for (const { prototype } of [HTMLFormElement, HTMLInputElement]) {
      for (const name of ['checkValidity', 'reportValidity']) {
        watch(prototype, name, () => (isValid: unknown) => {
          const isMissed = !isValid && press?.filled.some(({ validity }) => validity.valueMissing);
          if (isMissed) note(`calls ${name}() after the fields were emptied`);
        });
      }
    }
  }

  function conclude(): void {
    clearTimeout(timer);
    if (!press) return;
    const { text, findings = [] } = outcomeOf(press, currentSnapshot);
    press = undefined;
    store.addPress(['A press of Pay: ', ...text, '.']);
    for (const found of findings) store.add(found);
  }

  return {
    /** Whether a block may come. */
    isWatching: () => keyIds.length > 0,
    /** Looks for the block in what leaves, and at who sends something else. */
    leaves({ way, to, parts, isPreparing, mayPay, site, form }: Outgoing): void {
      if (isPreparing) return;
      const address = placeOfAddress(to);
      const name = `${way} to ${address || location.pathname}`;
      const isOfShop = NETWORK.includes(way) && (form || hosts.includes(hostOf(to)));
      // The id alone pays nothing: a page may log it.
      const texts = keyIds.length ? concat(parts.map(({ text }) => readingsOf(text))) : [];
      const hasBlock =
        keyIds.some((id) => texts.some((it) => it.includes(id))) && texts.some(holdsPayload);
      if (isOfShop && hasBlock) {
        if (press) press.paidBy = name;
        store.withdraw(({ kind }) => UNPAID.includes(kind), 'the page has paid after all');
      } else if (hasBlock && way !== 'postMessage') {
        store.add(wentToOthers(name, way, address, site));
      } else if (press?.isEncrypted && mayPay && !press.sender && isOfShop) {
        press.sender = { name, way, to: address, site };
      } else if (form && !press) {
        const control = lostCode(form);
        if (control) store.add(notSent(control));
      }
      waitOn();
    },
  };
}

/** Whether a window or a shadow root gets the event now. */
function isAtRoot(event: Event | undefined): boolean {
  const at = event?.currentTarget;
  return at === window || isShadowRoot(at);
}

/** A script that follows what is typed reads each change, the emptying too. It stops no press. */
const isFollowing = (): boolean => ['input', 'change'].some((type) => type === window.event?.type);

interface Outcome {
  /** In words. */
  text: string[];
  findings?: Found[] | undefined;
}

/** @param takeAfter - How the page is now, which takes time: only a refusal needs it. */
function outcomeOf(press: WatchedPress, takeAfter: () => Snapshot): Outcome {
  const { form, before, isEncrypted, isByCall, problem, paidBy, sender, read } = press;
  const encrypted = 'the card was encrypted';
  const ended = 'nothing was encrypted; the page or another press has ended it';
  if (paidBy) return { text: [encrypted, ', and the block left by ', paidBy] };
  if (problem) {
    const findings = newLocks(before, takeAfter(), form).map(locked);
    return { text: ['refused (', problem, ')'], findings };
  }
  if (!isEncrypted) return { text: [ended] };
  if (isByCall) return { text: [encrypted, ', and encrypt() has given the block to the page'] };
  if (sender) {
    const text = [encrypted, ', but ', sender.name, ' carried no block'];
    return { text, findings: [sentNoBlock(sender, read)] };
  }
  return { text: [encrypted, ', and the page sent nothing'], findings: read && [metEmptied(read)] };
}

/** Ways to the server. Storage and messages in the page pay nothing. */
const NETWORK = ['form', 'fetch', 'XMLHttpRequest', 'sendBeacon', 'WebSocket'];

/** Findings of a press that did not pay. */
const UNPAID: FindingKind[] = ['no block', 'emptied fields', 'lock'];

const hostOf = (address: string): string => addressOf(address).host || location.host;

/** Whether a text holds a ciphertext: long Base64 that is no public key. */
const holdsPayload = (text: string): boolean =>
  /(^|[^A-Za-z0-9+/])(?!MII)[A-Za-z0-9+/]{300}/.test(text);

/** A filled security code without a name, in a form that is sent without a new card. */
function lostCode(form: HTMLFormElement): TypedControl | undefined {
  const filled = (slot: 'number' | 'cvv') =>
    (elementsOf(form) as TypedControl[]).filter(
      (control) => slotOf(control) === slot && control.value !== '' && isRendered(control),
    );
  return filled('number').length ? undefined : filled('cvv').find(({ name }) => !name);
}

const locked = ({ what, site }: Lock): Found => ({
  kind: 'lock',
  text: [what, ' after a press that was refused', ...placed(': ', site), '.'],
  advice: 'The next press does nothing. Mark the button: data-cardseal-button.',
  help: 'docs/troubleshooting.md#pay-does-nothing-or-the-shop-gets-no-card',
  site,
});

function sentNoBlock({ name, way, to, site }: Sender, read: Reading | undefined): Found {
  const text: Piece[] = ['The card was encrypted, but ', name, ...placed(' from ', site)];
  text.push(' carried no block.');
  if (read) text.push(' ', read.site, ` ${read.what}.`);
  return {
    kind: 'no block',
    text,
    advice:
      'If your script sends a list of fields, add the field encrypted_card. If a click handler ' +
      'sends the form without a submit, mark the button: data-cardseal-button.',
    help: 'docs/troubleshooting.md#the-server-gets-no-block',
    way,
    to,
    site,
  };
}

const wentToOthers = (name: string, way: string, to: string, site: Site | undefined): Found => ({
  kind: 'block to others',
  text: ['The encrypted card left by ', name, ...placed(', from ', site), '.'],
  advice:
    'Only your own server may get it. If this is your server, name its host in ' +
    'data-payment-host. If not, keep this script off the page, or from the field encrypted_card.',
  help: 'docs/recorders.md#what-recorders-record',
  way,
  to: to || undefined,
  site,
});

const metEmptied = ({ what, site }: Reading): Found => ({
  kind: 'emptied fields',
  text: ['The card was encrypted, but the page sent nothing: ', site, ` ${what}.`],
  advice:
    'The fields are empty by then. Validate before, in a listener for cardseal:submit, or leave ' +
    'the card to Cardseal and delete these rules.',
  help: 'docs/troubleshooting.md#the-fields-are-empty-and-it-says-required',
  site,
});

const notSent = ({ id }: TypedControl): Found => ({
  kind: 'not sent',
  text: [
    'The security code was filled in, but not sent: its control',
    id && ` #${id}`,
    ' has no name, and the form was sent without a card.',
  ],
  advice:
    'If it is the code of a saved card, give the saved card a field of its own, with a name and ' +
    'without data-cardseal-field.',
  help: 'docs/troubleshooting.md#the-server-gets-no-block',
});
