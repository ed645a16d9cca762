import { CardEncryptionError } from '../../core/index.ts';
import { cardControls, isShared } from '../controls/slots.ts';
import { elementsOf } from '../page/unclobbered.ts';
import { digitOf, isGap, isIgnorable } from './characters.ts';

/**
 * G5: searches what the browser would send beside the block for the card number: a script may have
 * copied it, or the shopper or autofill may have put it into another field.
 *
 * @throws {@link CardEncryptionError} `invalid_form`, with the control's name.
 */
export function checkClearText(form: HTMLFormElement, number: Uint8Array): void {
  const ownControls = cardControls(form).filter((control) => !isShared(control));
  for (const element of elementsOf(form)) {
    const { name, value } = element as HTMLInputElement;
    const isSent = name && element.localName !== 'output' && !element.matches(':disabled');
    if (!isSent || ownControls.includes(element)) continue;
    if (!containsNumber(value, number)) continue;
    const message = `The card form's control named ${name} must not hold the card number`;
    throw new CardEncryptionError('invalid_form', `${message}: it is sent in clear text`);
  }
}

/** The names of the entries that hold the card number. */
export function entriesWith(number: Uint8Array, data: FormData): string[] {
  const names: string[] = [];
  data.forEach((value, name) => {
    if (containsNumber(value, number)) names.push(name);
  });
  return names;
}

/** Whether a text contains the number, with gaps or without. In one pass: a text may be long. */
function containsNumber(text: unknown, number: Uint8Array): boolean {
  if (typeof text !== 'string' || number.length < SHORTEST_NUMBER) return false;
  /** The digits up to the present one, as many as the number has. */
  let latest: number[] = [];
  for (const char of text) {
    const digit = digitOf(char);
    if (digit !== undefined) {
      latest.push(digit);
      if (latest.length > number.length) latest.shift();
      if (number.every((byte, i) => latest[i] === byte - ZERO)) return true;
    } else if (!isGap(char) && !isIgnorable(char)) {
      latest = [];
    }
  }
  return false;
}

/** ISO/IEC 7812-1. A shorter one is not valid, and may stand in anything. */
const SHORTEST_NUMBER = 12;

const ZERO = 0x30; // the digit 0 in ASCII
