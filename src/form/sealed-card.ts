import type { EncryptedCard } from '../core/index.ts';
import { blockInput } from './block-input.ts';
import { concat } from './concat.ts';
import {
  type CardControls,
  cardControls,
  emptyControls,
  findFields,
  isSelect,
  isShared,
} from './fields.ts';
import { type CardBytes, hasDigit, holdsNoCard, isSameCard, readCard, zero } from './read.ts';

/** A block, and the card that it was made from. */
interface Sealed {
  readonly block: EncryptedCard;
  /** When the key of the block arrived, in milliseconds since 1970. */
  readonly keyArrived: number;
  /** The card, to compare it with what the fields hold. Undefined once they were emptied. */
  card: CardBytes | undefined;
  /** Whether the block may have been used to pay. Then only the server decides if it is too old. */
  wasSent: boolean;
}

/**
 * The block of a form, and the fields that it was made from.
 *
 * @param isYoung - Whether a key that arrived at this time, in milliseconds, may still be used.
 */
export function sealedCard(
  form: HTMLFormElement,
  fieldName: string,
  isYoung: (keyArrived: number) => boolean,
) {
  const input = blockInput(form, fieldName);
  let current: Sealed | undefined;
  /** Every control that a card was read from since the fields were emptied. */
  const readFrom = new Set<Element>();
  let isEmptying = false;
  /** Whether the page's listeners of a submit run: see `keepBlock`. */
  let isKept = false;

  /** Reads the card from the fields. The caller has to zero it. */
  const read = (): { card: CardBytes; controls: CardControls } => {
    const controls = findFields(form);
    const { number, name, expiry, cvv } = controls;
    for (const control of concat([number, name, expiry, cvv])) readFrom.add(control);
    return { card: readCard(controls), controls };
  };

  /** Whether the fields are as they were when the block was made, or as the library left them. */
  const isUnchanged = (sealed: Sealed): boolean => {
    try {
      const controls = findFields(form, true); // a page may lock the fields while it sends them
      if (!sealed.card) return holdsNoCard(controls);
      const card = readCard(controls);
      const isSame = isSameCard(card, sealed.card);
      zero(card);
      return isSame;
    } catch {
      return false; // the form is not as it must be
    }
  };

  /** The block, if it is of the card that the fields hold now and its key is young enough. */
  const freshBlock = (): EncryptedCard | undefined => {
    if (!current) return undefined;
    if (isKept) return current.block; // the page may have changed the fields: see `keepBlock`
    if (!isUnchanged(current)) return undefined;
    return current.wasSent || isYoung(current.keyArrived) ? current.block : undefined;
  };

  const zeroCard = () => {
    if (!current?.card) return;
    zero(current.card);
    current.card = undefined;
  };

  const drop = () => {
    input.withdraw();
    zeroCard();
    current = undefined;
  };

  return {
    read,
    freshBlock,
    drop,
    checkInput: input.check,
    /** Keeps a block with the card that it was made from, and zeroes the card in the end. */
    seal(block: EncryptedCard, keyArrived: number, card: CardBytes) {
      current = { block, keyArrived, card, wasSent: false };
    },
    /** The block goes out. From now on only the server decides if it is too old. */
    markSent() {
      if (current) current.wasSent = true;
    },
    exists: () => current !== undefined,
    /** Whether `emptyFields` runs, which raises the events of changes. */
    isEmptying: () => isEmptying,
    /** Whether the library has emptied the fields that the block was made from. */
    isEmptied: () => current !== undefined && !current.card,
    /** Whether the fields still hold the card that the block was made from. */
    isCardInFields: () => current?.card !== undefined && isUnchanged(current),

    /** Puts the block into the form's data. */
    offer() {
      if (current) input.offer(current.block);
    },
    /** Whether something has collected the form's data, with the block in it, just now. */
    wasJustCollected: input.wasJustCollected,
    /** Whether the form's data holds the block. */
    isOffered: input.isOffered,
    /** Takes the block out of the form's data, and keeps it. */
    withdraw() {
      if (!isKept) input.withdraw();
    },
    /**
     * Until `endKeepingBlock`, only `drop` takes the block out of the form's data. The page's
     * listeners of the submit may empty, mask or remove the fields: the block is of the card that
     * the shopper pressed with.
     */
    keepBlock() {
      isKept = true;
    },
    endKeepingBlock() {
      isKept = false;
    },

    /**
     * Removes what a script wrote into `value` attributes, so that a reset does not bring it back.
     * Returns how to undo it.
     */
    clearDefaults(): () => void {
      const removed = new Map<Element, string>();
      for (const control of cardControls(form)) {
        const value = control.getAttribute('value');
        if (value !== null && !isShared(control)) removed.set(control, value);
      }
      for (const control of removed.keys()) control.removeAttribute('value');
      return () => {
        for (const [control, value] of removed) control.setAttribute('value', value);
      };
    },
    /** Empties the fields, also those that a page has replaced since they were read. */
    emptyFields() {
      if (isEmptying) return; // a listener of the page that calls restart()
      isEmptying = true;
      try {
        emptyControls(new Set([...readFrom, ...cardControls(form)]));
      } finally {
        isEmptying = false;
      }
      readFrom.clear();
      zeroCard();
    },
    /** The shopper, or a script of the page, has changed a control of the form. */
    onChange(control: Element) {
      if (isEmptying || isKept || !current || !cardControls(form).includes(control)) return;
      const hasChanged = !isUnchanged(current);
      if (current.card) {
        if (hasChanged) input.withdraw(); // the shopper may change it back
      } else if (hasChanged || isShared(control) || (isSelect(control) && hasDigit(control))) {
        // The shopper begins another card. Nothing tells whether a shared name has changed, which
        // was not emptied, or a select, which may show an option again: any event counts.
        drop();
      }
    },
    /** The browser, or a script of the page, collects the form's data. */
    onFormData(data: FormData) {
      // A script may have named a card control since it was checked.
      for (const control of cardControls(form)) {
        const name = control.getAttribute('name');
        if (name && !isShared(control)) data.delete(name);
      }
      const block = input.isOffered() ? freshBlock() : undefined;
      if (!block) {
        // The server, or a copy of the form, may have brought a block of another card. The empty
        // entry of a hidden input that the page has stays.
        if (data.get(fieldName)) data.delete(fieldName);
        return;
      }
      data.set(fieldName, JSON.stringify(block));
      input.markCollected();
    },
  };
}
