import type { LayoutField } from 'cardseal';
import { element } from './element.ts';
import type { Field } from './fields.ts';

/** What the ruler shows of a field: its characters in clear text only if they are given. */
export interface Segment {
  field: LayoutField;
  bytes: number;
  /** Bytes of each character; without it, of each byte. */
  characters?: { bytes: number; text?: string }[];
}

/** No more bytes are drawn than `encryptCard` looks at; and of a long string no codes. */
const MOST_BYTES = 512;
const LONG = 96;

/** A field's characters, in clear text only if that may be shown. */
export function toSegment({ field, characters, bytes }: Field, isClear: boolean): Segment {
  const encoder = new TextEncoder();
  return {
    field,
    bytes,
    characters: characters.map((text) => ({
      bytes: encoder.encode(text).length,
      ...(isClear && { text }),
    })),
  };
}

/**
 * Every byte of the plaintext, and above the bytes the character that they make. For the eye: the
 * table says the same.
 */
export function ruler(segments: Segment[], capacity: number): HTMLElement {
  let end = 0;
  const runs = segments.map(({ field, bytes, characters }) => {
    const drawn: { bytes: number; text?: string }[] =
      characters ?? Array.from({ length: bytes }, () => ({ bytes: 1 }));
    const cells = drawn.map((character, i) => {
      end += character.bytes;
      if (end > MOST_BYTES) return undefined;
      return cell(character, {
        isOver: end > capacity,
        ...(i === 0 && { tag: tag(field, bytes) }),
      });
    });
    return element('span', { class: 'run', 'data-field': field }, ...cells);
  });
  return element(
    'div',
    { class: 'ruler', 'aria-hidden': 'true', ...(end > LONG && { 'data-long': '' }) },
    ...runs,
  );
}

function cell(
  { bytes, text }: { bytes: number; text?: string },
  { isOver, tag }: { isOver: boolean; tag?: HTMLElement },
) {
  const encoded = text === undefined ? undefined : new TextEncoder().encode(text);
  const hex = Array.from(
    { length: bytes },
    (_, i) => encoded?.[i]?.toString(16).padStart(2, '0') ?? '··',
  );
  return element(
    'span',
    {
      class: 'cell',
      '--bytes': bytes,
      ...(isOver && { 'data-over': '' }),
      ...(bytes > 1 && { 'data-wide': '' }),
    },
    tag,
    element('span', { class: 'glyph' }, text === ' ' ? '␣' : (text ?? '•')),
    element('span', { class: 'hex bytes' }, ...hex.map((byte) => element('span', {}, byte))),
  );
}

function tag(field: LayoutField, bytes: number): HTMLElement {
  return element(
    'span',
    { class: 'tag bytes', '--run': bytes },
    field,
    element('span', {}, ` ${bytes}`),
  );
}

/** The layout: each field's name and length. `expected`: the lengths that it should have. */
export function layoutList(
  layout: { field: LayoutField; len: number }[],
  expected = layout,
): HTMLElement {
  return element(
    'ul',
    { class: 'layout' },
    ...layout.map(({ field, len }, i) => {
      const right = expected[i]!.len;
      const change =
        right === len ? [String(len)] : [element('ins', {}, String(len)), ` instead of ${right}`];
      return element(
        'li',
        { 'data-field': field },
        `${field} `,
        element('span', { class: 'bytes' }, ...change),
      );
    }),
  );
}

/** How much of what one RSA block takes is used. For the eye: the sentence below says the same. */
export function capacityBar(segments: Segment[], capacity: number): HTMLElement {
  const parts = segments.map(({ field, bytes }) =>
    element('span', { 'data-field': field, '--bytes': bytes }),
  );
  const left = Math.max(0, capacity - segments.reduce((sum, { bytes }) => sum + bytes, 0));
  return element(
    'div',
    { class: 'capacity', 'aria-hidden': 'true' },
    ...parts,
    element('span', { class: 'left', '--bytes': left }),
  );
}
