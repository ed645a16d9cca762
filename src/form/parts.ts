import type { encryptCard } from '../core/index.ts';
import type { KeptBlock } from './block.ts';
import type { CardFields } from './card/card-fields.ts';
import type { Notices } from './feedback/notices.ts';
import type { KeySource } from './key-source.ts';
import type { CardFormOptions } from './options.ts';
import type { Page } from './page/page.ts';

/** What a bound form works with. The tests explore it with a simulated page. */
export interface Parts {
  readonly onEncrypted: CardFormOptions['onEncrypted'];
  readonly page: Page;
  readonly fields: CardFields;
  readonly kept: KeptBlock;
  readonly keys: KeySource;
  readonly notices: Notices;
  readonly encrypt: typeof encryptCard;
  /** Runs an action in a task of its own, after so many milliseconds (default: 0). */
  later(action: () => void, ms?: number): void;
  /** Gives an error of the page's own code to its developer. */
  report(error: unknown): void;
  /** The form is not bound any more. */
  stopListening(): void;
  /** The payment is over, or was reset, and the page stays open for another card. */
  startNextCard(): void;
}
