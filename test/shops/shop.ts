/** How a shop is described to the runner. */
import type { Engine } from '../../tools/prepare/browsers.ts';
import type { Card } from './cards.ts';

/**
 * A control: a CSS selector. ` >>> ` leads into a shadow root or into the document of a frame.
 */
export type Where = string;

export type Action =
  | readonly ['click', Where]
  | readonly ['type', Where, string]
  | readonly ['choose', Where, string]
  | readonly ['wait', Where];

/**
 * The fields that arrive beside the block, in their order. `{name}`, `{given}`, `{family}` and
 * `{brand}` stand for the card's.
 */
export type Others = Readonly<Record<string, string>>;

export interface Shop {
  /** The file under `fixtures/`, without `.html`. */
  name: string;
  /** What the address has after `?`. */
  query?: string;
  fields: {
    /** Several boxes take four digits each. */
    number: Where | readonly Where[];
    /** Two controls: given name and family name. */
    name: Where | readonly [Where, Where];
    expiry?: Where;
    month?: Where;
    year?: Where;
    code: Where;
  };
  /** The name controls are the shop's own and are sent in clear. */
  sharedName?: true;
  /** How many digits of the year the shopper types. Default: 2 in one control, 4 in its own. */
  yearDigits?: 2 | 4;
  /** The month's select has no leading zeros. */
  monthDigits?: 1;
  /** Changes each text of the card as the shopper types it, for example into other digits. */
  spell?: (text: string) => string;
  /** A mask changes the field a moment after each key. */
  masked?: true;
  /** The card is filled in by a password manager, without events. */
  silent?: true;
  /** What the shopper does before typing the card. */
  before?: readonly Action[];
  /** What the shopper does after a decline, before typing another card. Default: `before`. */
  again?: readonly Action[];
  pay: Where;
  /** The control in which Enter pays; `false` if there is none. Default: the security code. */
  enter?: Where | false;
  others: Others;
  /** Makes the page stop the payment, and lets it pass again. `fetch`: the request fails. */
  cancel: { make: readonly Action[]; fix: readonly Action[] } | 'fetch';
  /** Where the page shows its own messages. */
  messages?: Where;
  /** Another payment method of the same page. */
  other?: { choose: readonly Action[]; pay?: Where; others: Others };
  /** A button that is no payment. `leaves`: the form is gone afterwards. */
  skip?: { press: Where; leaves?: true };
  /** The page itself ignores presses while a payment is under way. */
  guarded?: true;
  /** The answer opens in a frame, and the page stays. */
  elsewhere?: 'frame';
  /** The library refuses to send this form: each press ends in a message. */
  refused?: true;
  /**
   * A script of the page submits the form once for each press, with `form.submit()`. It does so
   * without the library, too, in these engines: what it sends twice are not POSTs of the library's.
   */
  repeatsItself?: readonly Engine[];
  /** Without the library, the page cannot send: there is nothing to compare with. */
  needsLibrary?: true;
  /** The engine of its visits in `npm test`, if not the one whose turn it is. */
  engine?: Engine;
  /** The name of the block's field. Default: `encrypted_card`. */
  blockField?: string;
  /** Scenarios that make no sense here, with the reason. */
  without?: Partial<Record<string, string>>;
}

export const fill = (others: Others, card: Card): [string, string][] => {
  const [given = '', ...rest] = card.name.split(' ');
  const brand = card.number.startsWith('4') ? 'visa' : 'mastercard';
  const texts: Record<string, string> = { name: card.name, given, family: rest.join(' '), brand };
  return Object.entries(others).map(([name, value]) => [
    name,
    value.replace(/{(\w+)}/g, (_, key) => texts[key]!),
  ]);
};
