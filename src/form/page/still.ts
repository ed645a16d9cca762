/**
 * G1: whether the shopper holds a pointer down. Nothing may move then: if a button moves before the
 * pointer goes up, the browser raises no click, and the press ends in silence.
 */
let isHeld = false;

/** What waits until the pointer has gone up. */
const waiting: (() => void)[] = [];

/** The latest timer. An earlier one does nothing. */
let latest: object | undefined;

/** Runs an action that may move what the page shows: now, or when no pointer is held down. */
export function whenStill(action: () => void): void {
  if (isHeld) waiting.push(action);
  else action();
}

/** The shopper presses something down. */
export function hold(): void {
  isHeld = true;
  releaseAfter(LONGEST_HOLD_MS);
}

/** The pointer has gone up. After a touch, the click comes somewhat later, or not at all. */
export const releaseSoon = (): void => releaseAfter(CLICK_MS);

/** The click has hit its target, so that everything may move. */
export function release(): void {
  isHeld = false;
  latest = undefined;
  for (const action of waiting.splice(0)) action();
}

/** A pointer that goes up over another window raises no event here. */
const LONGEST_HOLD_MS = 5000;

/** Browsers that wait for a second tap raise a click 300 ms after the first. */
const CLICK_MS = 400;

function releaseAfter(ms: number): void {
  const own = {};
  latest = own;
  setTimeout(() => {
    if (latest === own) release();
  }, ms);
}
