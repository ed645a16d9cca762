/** Every form in which digits are looked for, by name. */
export function formsOf(digits: string): Record<string, string> {
  const bytes = Buffer.from(digits);
  const spaced = digits.replace(/\d{4}(?=\d)/g, '$& ');
  return {
    plain: digits,
    spaced,
    'spaced, as a form posts it': spaced.replaceAll(' ', '+'),
    'spaced, in an address': spaced.replaceAll(' ', '%20'),
    dashed: spaced.replaceAll(' ', '-'),
    'percent-encoded': digits.replace(/\d/g, '%3$&'),
    'JSON escapes': digits.replace(/\d/g, '\\u003$&'),
    'one by one': [...digits].join(','),
    backwards: [...digits].reverse().join(''),
    hex: bytes.toString('hex'),
    'UTF-16': bytes.toString('latin1').replace(/\d/g, '$&\0'),
    ...Object.fromEntries([0, 1, 2].map((offset) => [`Base64 at offset ${offset}`, base64At(bytes, offset)])),
  };
}

/** The characters of Base64 that are the same whatever stands around the bytes. */
function base64At(bytes: Buffer, offset: number): string {
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .slice(first, end);
}

/** In which forms the digits are in the bytes. Upper or lower case does not matter to hex. */
export function findTraces(bytes: Buffer | string, digits: string): string[] {
  const text = Buffer.from(bytes).toString('latin1');
  return Object.entries(formsOf(digits))
    .filter(([name, form]) => (name === 'hex' ? text.toLowerCase() : text).includes(form))
    .map(([name]) => name);
}
