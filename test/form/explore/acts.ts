/** What a page, its code and a shopper can be like and can do. */
import type { EncryptedCard } from '../../../src/core/index.ts';
import type { keptBlock as KeptBlockOf } from '../../../src/form/block.ts';
import type { CardBytes } from '../../../src/form/card/read.ts';
import type { cardForm as CardForm } from '../../../src/form/card-form.ts';

/** The code that decides, as it is shipped or with one planted change. */
export interface FormCode {
  cardForm: typeof CardForm;
  keptBlock: typeof KeptBlockOf;
  CardEncryptionError: new (
    code: 'invalid_form' | 'key_unavailable' | 'invalid_card',
    message: string,
  ) => Error;
}

/** What a page is like. */
export interface Setting {
  /** Whether the form is bound with `onEncrypted`. */
  onEncrypted?: boolean;
  /** Whether the card's fields are `required`. */
  required?: boolean;
  /** Whether there is a button with `data-cardseal-button`. */
  cardButton?: boolean;
  /** Whether the answer is shown in a frame. */
  frame?: boolean;
  /** Whether the page calls `encrypt()`. */
  encrypt?: boolean;
}

/** How much of everything one path may hold. */
export interface Bounds {
  /** Acts of the page's code. */
  page: number;
  /** Acts of the shopper beside presses. */
  shopper: number;
  /** The only acts and tasks beside presses and what is under way. Default: all. */
  only?: readonly string[];
}

export type Pick = <Option extends string>(options: readonly Option[], what: string) => Option;

/** What stands in the fields: nothing, card A or B, a mask of the page; or the fields are gone. */
export type Content = 'empty' | 'A' | 'B' | 'masked' | 'removed';

export class FakeEvent {
  defaultPrevented = false;
  isStopped = false;
  eventPhase = 1;
  constructor(
    readonly isTrusted: boolean,
    readonly button: Button,
  ) {}
  preventDefault() {
    this.defaultPrevented = true;
  }
  stopImmediatePropagation() {
    this.isStopped = true;
  }
}

export type Button = 'pay' | 'skip' | 'card button';

export const bytesOf = (content: Content): CardBytes => {
  const byte = Uint8Array.of(content.charCodeAt(0));
  return { number: byte, name: byte, exp_month: byte, exp_year: byte, cvv: byte };
};
export const letterOf = (card: CardBytes) => String.fromCharCode(card.number[0]!) as Content;

export const LISTENER_ACTS = [
  'nothing',
  'FormData now',
  'form.submit() now',
  'form.submit() later',
  'FormData later',
  'requestSubmit() later',
  'clicks the card button',
  'clicks a label',
  'locks the fields',
  'masks the fields',
  'empties the fields',
  'removes the fields',
  'changes to B without events',
  'form.reset()',
  'restart()',
  'unbind()',
  'takes the form out',
  'dispatches a synthetic submit',
  'another way to pay',
  'encrypt()',
] as const;

export const CLICK_ACTS = [
  'nothing',
  'FormData now',
  'form.submit() now',
  'form.submit() later',
  'FormData later',
  'requestSubmit() now',
  'requestSubmit() later',
  'clicks the card button',
  'clicks the skip button',
  'locks the fields',
  'form.reset()',
  'restart()',
  'takes the form out',
] as const;

export type Act = (typeof LISTENER_ACTS)[number] | (typeof CLICK_ACTS)[number];

export const PLANS = [
  'sends, and is done',
  'sends, and is pending',
  'rejects',
  'requestSubmit() at once',
  'requestSubmit() at once, and is pending',
  'requestSubmit() at once, and rejects',
  'requestSubmit() while pending',
  'form.submit() while pending',
  'requestSubmit() when done',
  'form.reset(), and is pending',
  'restart()',
] as const;

export interface Block extends EncryptedCard {
  readonly content: Content;
}

/** What has left the page last. */
export interface Delivery {
  block: Block;
  /** Whether another block of the same card may follow: the page has said that this one is over. */
  isOver: boolean;
}
