/**
 * The words of an attribute. It uses no regular expression, although an attribute is no card data:
 * "the library has none at all" is simpler to verify than "none of them sees a card".
 */
export function wordsOf(text: string): string[] {
  const spaced = [...text].map((char) => (char.trim() === '' ? ' ' : char));
  return spaced.join('').split(' ').filter(Boolean);
}
