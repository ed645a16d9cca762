import { asCardEncryptionError, type Notices } from './feedback/notices.ts';
import type { KeySource } from './key-source.ts';

/** Throws, or rejects later, if the form's developer has to correct it. */
export type Check = () => Promise<void> | undefined;

/**
 * Requests keys before the shopper presses, and tells the page what came of the last request.
 *
 * @param isPressed - Whether a press waits for the key: it tells of an error itself.
 */
export function keyRequests(
  keys: KeySource,
  { emit, tellPage }: Notices,
  isPressed: () => boolean,
) {
  /** Only the latest request is reported. */
  let latest: object | undefined;

  const request = async (check: Check): Promise<void> => {
    const own = {};
    latest = own;
    try {
      const pending = check();
      if (pending) await pending;
      if (own === latest) await keys.get();
    } catch (reason) {
      await Promise.resolve(); // the page adds its listeners after `bindCardForm` has returned
      const error = asCardEncryptionError(reason);
      if (own === latest && !isPressed()) tellPage(error);
      throw error;
    }
    if (own === latest) emit('ready');
  };

  return {
    /**
     * Requests a key, unless `check` throws. Rejects with a `CardEncryptionError`, which a page
     * need not handle.
     */
    start(check: Check = () => undefined): Promise<void> {
      const requested = request(check);
      requested.catch(() => {}); // so that it is not reported as unhandled
      return requested;
    },
    /** The request in flight is not reported. */
    silence() {
      latest = undefined;
    },
  };
}
