/**
 * Who counts as one sender: an IPv4 address, or the first 64 bits of an IPv6 address. Many lines
 * have a /48 or a /56, and so are many senders: docs/production.md#bots. `undefined` if the address
 * is of a private network or of this machine, and so is a proxy's and not a shopper's, or if it is
 * no address.
 */
export function senderOf(address: string | undefined): string | undefined {
  if (!address) return undefined;
  const text = address.trim();
  return text.includes(':') ? ipv6(text.split('%')[0]!) : ipv4(text);
}

function ipv4(text: string): string | undefined {
  const texts = text.split('.');
  const parts = texts.map(Number);
  if (parts.length !== 4 || texts.includes('') || !parts.every(isByte)) return undefined;
  const [a, b] = parts as [number, number];
  const isPrivate =
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b < 128) || // shared by a carrier's own equipment
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && b === 168);
  return isPrivate ? undefined : parts.join('.');
}

const isByte = (number: number) => Number.isInteger(number) && number >= 0 && number < 256;

function ipv6(text: string): string | undefined {
  let host: string;
  try {
    host = new URL(`http://[${text}]/`).hostname; // in its one canonical form
  } catch {
    return undefined;
  }
  if (!host.startsWith('[')) return undefined; // a text like `@host/` ends up beside the brackets
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '');
  const [before, after = []] = host.slice(1, -1).split('::').map(groupsOf) as [string[], string[]?];
  const zeros = Array<string>(8 - before.length - after.length).fill('0'); // for the `::`
  const groups = [...before, ...zeros, ...after];
  if (groups.slice(0, 6).join() === '0,0,0,0,0,ffff') return ipv4(bytesOf(groups.slice(6)));
  const first = Number.parseInt(groups[0]!, 16);
  const isPrivate = first === 0 || (first & 0xfe00) === 0xfc00 || (first & 0xffc0) === 0xfe80;
  return isPrivate ? undefined : `${groups.slice(0, 4).join(':')}::/64`;
}

/** The IPv4 address that stands in two groups of an IPv6 address. */
const bytesOf = (groups: string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .map((number) => `${number >> 8}.${number & 255}`)
    .join('.');
