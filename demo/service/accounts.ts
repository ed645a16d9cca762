import { createHash } from 'node:crypto';

/** What a secret key stands for: an account in one mode. The modes share nothing. */
export interface Account {
  id: string;
  livemode: boolean;
}

/**
 * The accounts that come set up. Their keys are published here and guard nothing: the sandbox moves
 * no money.
 */
export const ACCOUNTS = [
  {
    id: 'acct_bookshop',
    secretKey: 'sk_test_bookshop_published_key',
    liveSecretKey: 'sk_live_bookshop_published_key',
  },
  {
    id: 'acct_teahouse',
    secretKey: 'sk_test_teahouse_published_key',
    liveSecretKey: 'sk_live_teahouse_published_key',
  },
] as const;

/**
 * By digest, so that how long a lookup takes says nothing about how much of a guessed key was
 * right.
 */
const accountsByDigest = new Map<string, Account>(
  ACCOUNTS.flatMap(({ id, secretKey, liveSecretKey }) => [
    [digest(secretKey), { id, livemode: false }],
    [digest(liveSecretKey), { id: `${id} (live)`, livemode: true }],
  ]),
);

/**
 * Returns the account that an Authorization header speaks for, `undefined` if the key is of no
 * account, and `null` if the header is missing or is no bearer token. Specification:
 * "Authentication", 1 and 2.
 */
export function accountOf(authorization: string | undefined): Account | undefined | null {
  const [scheme, token, ...rest] = authorization?.split(' ') ?? [];
  // RFC 9110, 11.1: a scheme's case does not matter
  if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0) return null;
  return accountsByDigest.get(digest(token));
}

function digest(secretKey: string): string {
  return createHash('sha256').update(secretKey).digest('base64');
}
