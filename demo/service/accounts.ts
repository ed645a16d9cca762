import { createHash } from 'node:crypto';

export interface Account {
  id: string;
  secretKey: string;
}

/**
 * The accounts that come set up. Their keys are published here and guard nothing: the sandbox moves
 * no money.
 */
export const ACCOUNTS = [
  { id: 'acct_bookshop', secretKey: 'sk_test_bookshop_published_key' },
  { id: 'acct_teahouse', secretKey: 'sk_test_teahouse_published_key' },
] as const satisfies Account[];

/**
 * By digest, so that how long a lookup takes says nothing about how much of a guessed key was
 * right.
 */
const accountsByDigest = new Map(
  ACCOUNTS.map((account) => [digest(account.secretKey), account.id]),
);

/**
 * Returns the id of the account that an Authorization header speaks for, `undefined` if the key is
 * of no account, and `null` if the header is missing or is no bearer token. Specification:
 * "Authentication", 1 and 2.
 */
export function accountOf(authorization: string | undefined): string | undefined | null {
  const [scheme, token, ...rest] = authorization?.split(' ') ?? [];
  // RFC 9110, 11.1: a scheme's case does not matter
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
  return accountsByDigest.get(digest(token));
}

function digest(secretKey: string): string {
  return createHash('sha256').update(secretKey).digest('base64');
}
