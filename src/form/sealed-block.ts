import type { EncryptedCard } from '../core/index.ts';
import type { BlockInput } from './block-input.ts';
import type { CardFields } from './card/card-fields.ts';
import { type CardBytes, zero } from './card/read.ts';

export type SealedBlock = ReturnType<typeof sealedBlock>;

/** A block, and what has become of it. */
interface Sealed {
  readonly block: EncryptedCard;
  /** When its key arrived, in milliseconds since 1970. */
  readonly keyArrived: number;
  /** The card that it was made from. Undefined once the library has emptied the fields. */
  card: CardBytes | undefined;
  /** Whether it may have been sent. Then only the server decides whether it is too old. */
  isOut: boolean;
  /** Whether a script of the page has it, which may submit the form at any time. */
  isWithScript: boolean;
}

/**
 * The block of a form, and whether it is still that of the card in the fields.
 *
 * @param isYoung - Whether a key that arrived at this time, in milliseconds, may still be used.
 */
export function sealedBlock(
  fields: CardFields,
  input: BlockInput,
  isYoung: (keyArrived: number) => boolean,
) {
  let current: Sealed | undefined;

  /** Whether the fields hold its card, or are still empty because the library has emptied them. */
  const isUnchanged = ({ card }: Sealed) => (card ? fields.hold(card) : fields.areEmpty());

  const zeroCard = () => {
    if (current?.card) zero(current.card);
    if (current) current.card = undefined;
  };

  const takeFromScript = () => {
    if (current) current.isWithScript = false;
  };

  /** Takes the block out of the form's data, also one that the server has rendered again. */
  const withdraw = () => {
    input.clear();
    takeFromScript();
  };

  const drop = () => {
    withdraw();
    zeroCard();
    current = undefined;
    fields.setRequired(true);
  };

  /** Another card is in the fields, or was begun there. The block of a full form may come back. */
  const compare = () => {
    if (!current || isUnchanged(current)) return;
    if (current.card) withdraw();
    else drop();
  };

  const offer = () => {
    if (current) input.put(current.block);
  };

  return {
    drop,
    withdraw,
    compare,
    offer,
    takeFromScript,
    /** @throws {@link CardEncryptionError} `invalid_form` if there is no place for the block. */
    check: input.check,
    exists: () => current !== undefined,
    block: () => current?.block,

    /** Keeps a block with the card that it was made from, and zeroes the card in the end. */
    seal(block: EncryptedCard, keyArrived: number, card: CardBytes) {
      current = { block, keyArrived, card, isOut: false, isWithScript: false };
    },

    /** Whether a press may send the block: it is of the card in the fields, and not too old. */
    isFresh: (): boolean =>
      current !== undefined &&
      (current.isOut || isYoung(current.keyArrived)) &&
      isUnchanged(current),

    /** Puts the block into the form's data, because a press passes. */
    letOut() {
      offer();
      if (current) current.isOut = true;
    },

    giveToScript() {
      if (current) current.isWithScript = true;
    },
    isWithScript: () => current?.isWithScript === true,

    /** Whether the fields still hold the card of the block. */
    isCardInFields: () => current?.card !== undefined && fields.hold(current.card),

    /** Only while there is a block. */
    emptyFields() {
      // Else the browser would refuse a retry with the block, and so would scripts that ask it.
      fields.setRequired(false);
      fields.empty();
      zeroCard();
    },

    /** The shopper, or a script of the page, has changed a control of the form. */
    onChange(control: Element) {
      if (!fields.include(control)) return;
      // An event at an emptied field begins another card, although nothing may show it.
      if (current && !current.card && fields.mayHoldCard(control)) drop();
      else compare();
    },

    /**
     * The form's data is being collected.
     *
     * @param canBeOther - Whether the fields may hold another card, which is to be paid with.
     */
    onFormData(data: FormData, canBeOther: boolean) {
      if (canBeOther && current && fields.holdOther(current.card)) withdraw();
      if (input.fill(data) && current) current.isOut = true;
    },
  };
}
