import type { EncryptedCard } from '../core/index.ts';
import type { BlockInput } from './block-input.ts';
import type { CardFields } from './card/card-fields.ts';
import { type CardBytes, zero } from './card/read.ts';
import type { Block } from './decide.ts';
import { toJson } from './page/to-json.ts';

export type KeptBlock = ReturnType<typeof keptBlock>;

/** A block, and what it was made from. */
interface Kept {
  /** As JSON: code of the page gets copies, so each retry carries the same block. */
  readonly block: string;
  /** When its key arrived, in milliseconds since 1970. */
  readonly keyArrived: number;
  /** The card that it was made from. Undefined once the library has emptied the fields. */
  card: CardBytes | undefined;
}

/**
 * The block of a form and the card that it was made from. What the block has been through is part
 * of the state in decide.ts, and the form follows that state.
 *
 * @param isYoung - Whether a key that arrived at this time, in milliseconds, may still be used.
 */
export function keptBlock(
  fields: CardFields,
  input: BlockInput,
  isYoung: (keyArrived: number) => boolean,
) {
  let kept: Kept | undefined;

  return {
    /** @throws {@link CardEncryptionError} `invalid_form` if there is no place for the block. */
    checkPlace: input.checkPlace,
    /** Takes any block out of the hidden input, also one that the server has rendered again. */
    takeOut: input.clear,
    fill: input.fill,

    /** Keeps a block with its card, until `follow` sees that the block is emptied or dropped. */
    keep(block: EncryptedCard, keyArrived: number, card: CardBytes) {
      kept = { block: toJson(block), keyArrived, card };
    },
    /** A copy, for code of the page. Only after `keep`, until the block is dropped. */
    copy: (): EncryptedCard => JSON.parse(kept!.block),

    /**
     * Whether the fields hold its card, or are still empty since the library has emptied them.
     * Only after `keep`, until the block is dropped.
     */
    isSame: (): boolean => (kept!.card ? fields.areOfCard(kept!.card) : fields.mayRetry()),
    isYoung: (): boolean => kept !== undefined && isYoung(kept.keyArrived),
    /** Whether the fields hold another card, which is to be paid with. */
    isOther: (): boolean => kept !== undefined && fields.areOfOther(kept.card),

    /** The state of the block has changed. */
    follow(before: Block | null, now: Block | null) {
      if (isInForm(now) && now !== before) input.put(kept!.block);
      if (!isInForm(now) && isInForm(before)) input.clear();
      const needsCard = now !== null && !now.isEmptied;
      if (kept?.card && !needsCard) {
        zero(kept.card);
        kept.card = undefined;
      }
      if (before && !now) {
        kept = undefined;
        fields.setRequired(true); // F11
      }
    },
  };
}

const isInForm = (block: Block | null) => block !== null && block.place !== 'aside';
