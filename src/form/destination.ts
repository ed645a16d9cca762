import { CardEncryptionError } from '../index.ts';
import { own } from './own.ts';

/**
 * Checks that a native submit carries the block in the body of a POST, to https or this machine, and to the page's own origin unless others are
 * allowed; otherwise it would stand in a URL, or go where nobody meant it to.
 *
 * @throws {@link CardEncryptionError} `invalid_form`.
 */
export function checkDestination(form: HTMLFormElement, submitter: HTMLElement | null, allowCrossOrigin = false): void {
  const button = submitter as HTMLButtonElement | null;
  if ((button?.formMethod || own(form, 'method')) !== 'post') throw refuse('method="post"');
  const { protocol, hostname, origin } = Object.assign(document.createElement('a'), {
    href: button?.hasAttribute('formaction') ? button.formAction : own(form, 'action'), // absolute, or no URL: then its protocol is ':'
  });
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) throw refuse('an action on https');
  if (origin !== location.origin && !allowCrossOrigin) throw refuse('an action on its own origin, or allowCrossOriginAction');
}

const isLoopback = (host: string) => host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';

const refuse = (what: string) => new CardEncryptionError('invalid_form', `The card form must have ${what}, or onEncrypted`);
