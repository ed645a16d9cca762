import type { CardEncryptionError, CardEncryptionKey, EncryptedCard } from '../index.ts';
import type { CardProblem } from './messages.ts';

/** What `bindCardForm` is told of the form. */
export interface CardFormOptions {
  /**
   * The card encryption key as the service sent it, or what asks your server for one. A function is called when the form is bound and
   * again whenever another key is needed; a key given as it is serves once, then the page has to be reloaded.
   */
  key: CardEncryptionKey | (() => CardEncryptionKey | Promise<CardEncryptionKey>);
  /** Called with the block instead of the native submit. What it throws goes to `reportError`; the block is kept. */
  onEncrypted?: (card: EncryptedCard, submitter: HTMLElement | null) => void | Promise<void>;
  /** The form field under which the block is sent, as JSON. Default: `encrypted_card`. */
  fieldName?: string;
  /** Whether the number's check digit is checked. Default: true. */
  luhn?: boolean;
  /** A key that came longer ago than this is replaced before anything is encrypted. In milliseconds; default: no limit. */
  keyMaxAgeMs?: number;
  /** How long a key may take to come. In milliseconds; default: 15,000. */
  keyTimeoutMs?: number;
  /** Whether the form may be submitted to another origin than the page's. Default: false. */
  allowCrossOriginAction?: boolean;
  /** What the shopper reads, by problem; English where nothing is given. */
  messages?: Partial<Record<CardProblem, string>>;
}

/** The form, bound. */
export interface CardFormBinding {
  /** Resolves when the form is found right and the first key is there; rejects with the {@link CardEncryptionError}, which may be ignored. */
  readonly ready: Promise<void>;
  /**
   * Opens the form for another card, after a decline or `encryption_key_expired`: the block is dropped, a new key asked for. Resolves when it
   * is there; rejects with a {@link CardEncryptionError}, `key_unavailable` if the key was not given as a function: reload the page then.
   */
  restart(): Promise<void>;
  /** Leaves the form as it was before it was bound. A submit under way ends, the block is dropped. */
  unbind(): void;
}

declare global {
  interface GlobalEventHandlersEventMap {
    'cardseal:ready': CustomEvent<null>;
    'cardseal:encrypted': CustomEvent<{ key_id: string }>;
    'cardseal:error': CustomEvent<CardEncryptionError>;
  }
}
