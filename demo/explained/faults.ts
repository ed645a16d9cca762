import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EncryptedCard } from 'cardseal';
import type { EncryptionKeyResource } from 'cardseal/checkout';

/**
 * What can be made to go wrong, each for real. `declined` needs no meddling: it is a card that the
 * service declines.
 */
export const FAULTS = ['none', 'scheme', 'bad_key', 'expired_key', 'declined', 'layout'] as const;

/** On the way of the key to the page. */
export function spoilKey<Key extends { scheme: string; public_key: string }>(
  fault: string,
  key: Key,
): Key {
  if (fault === 'scheme') return { ...key, scheme: 'RSA_OAEP_SHA512_V2' };
  if (fault === 'bad_key') return { ...key, public_key: withEvenModulus(key.public_key) };
  return key;
}

/**
 * One bit of the key. Of no use to anyone who decrypts, but Firefox 153 and WebKitGTK 2.50 import
 * it and encrypt.
 */
function withEvenModulus(publicKey: string): string {
  const spki = Buffer.from(publicKey, 'base64');
  spki[spki.length - 6]! &= 0xfe; // before the exponent, INTEGER 65537: 02 03 01 00 01
  return spki.toString('base64');
}

/**
 * On the way of the block to the merchant's server: as if the first byte of the name were the last
 * digit of the number.
 */
export function moveLayout({ layout, ...block }: EncryptedCard): EncryptedCard {
  const shift: Record<string, number> = { Pan: 1, Name: -1 };
  return {
    ...block,
    layout: layout.map(({ field, len }) => ({ field, len: len + (shift[field] ?? 0) })),
  };
}

/**
 * The merchant's clock is behind the service's: it does not know that the key has expired, so that
 * the service has to say it.
 */
export function believeFresh(key: EncryptionKeyResource): EncryptionKeyResource {
  return { ...key, expires_at: Date.now() + 60_000 };
}

interface Service {
  routing(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * A second address of a service, with a clock that is behind: the keys that it issues have expired
 * a minute ago.
 */
export function slowClock(keyLifetimeMs: number) {
  const behind = new AsyncLocalStorage<number>();
  return {
    /** For the service; at its own address it is right. */
    clock: () => Date.now() - (behind.getStore() ?? 0),
    /** Resolves with the address. Loopback only. */
    async open(service: Service) {
      const server = createServer((request, response) =>
        behind.run(keyLifetimeMs + 60_000, () => service.routing(request, response)),
      );
      await new Promise<void>((resolve, reject) =>
        server.once('error', reject).listen(0, '127.0.0.1', resolve),
      );
      const close = () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
    },
  };
}
