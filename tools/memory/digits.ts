/**
 * The bytes of sixteen digits that depend on `seed`. Worked out on both sides, so that no source text, protocol message or log holds them:
 * what is found in the page's memory was put there by what is looked at.
 */
export function digits(seed: number): Uint8Array<ArrayBuffer> {
  let state = seed;
  return Uint8Array.from({ length: 16 }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return 0x30 + ((state >>> 16) % 10);
  });
}
