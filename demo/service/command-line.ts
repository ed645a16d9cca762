/** Reads a whole number from the command line, and throws a RangeError that names the option. */
export function wholeNumber(text: string, option: string, min: number, max: number): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isInteger(number) || number < min || number > max) {
    throw new RangeError(`--${option} must be a whole number from ${min} to ${max}`);
  }
  return number;
}

/** Reads one of a few words, and throws a RangeError that names the option. */
export function oneOf<T extends string>(words: readonly T[], text: string, option: string): T {
  const word = words.find((it) => it === text);
  if (word === undefined) throw new RangeError(`--${option} must be one of ${words.join(', ')}`);
  return word;
}

interface Advice {
  usage: string;
  /** A command with another port, for someone whose port is taken. */
  otherPort: string;
}

/** `address` and `port`: if it comes from listening. */
type ListenError = NodeJS.ErrnoException & { address?: string; port?: number };

/**
 * What the user can do about an error, if there is something; otherwise the error with its stack.
 */
export function advise(error: ListenError, advice: Advice): string {
  const { address, code, port, message, stack } = error;
  if (code === 'EADDRINUSE') return `Port ${port} is taken. ${advice.otherPort}`;
  if (code === 'EADDRNOTAVAIL') return `${address} is no address of this machine.`;
  if (code === 'EACCES' && port) return `You may not use port ${port}. ${advice.otherPort}`;
  if (error.name === 'StateError') return message;
  const isMistyped = error instanceof RangeError || code?.startsWith('ERR_PARSE_ARGS');
  return isMistyped ? `${message}\n${advice.usage}` : (stack ?? message);
}

/**
 * Under npm or npx a signal may end only npm's own process. Then this one ends, too: it would hold
 * the port, and nobody would know about it.
 */
export function endWithParent(close: () => unknown) {
  if (!process.env.npm_lifecycle_event) return;
  const { ppid } = process;
  const look = () => {
    if (process.ppid !== ppid) close();
  };
  setInterval(look, 250).unref();
}
