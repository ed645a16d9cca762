/** The first characters of a text. Not by `slice`, which can cut an emoji in two. */
export function shortened(text: string, longest: number): string {
  return Array.from(text).slice(0, longest).join('');
}
