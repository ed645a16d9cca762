import { CardEncryptionError } from '../../core/index.ts';
import { formAction, methodOf, targetOf } from './submit.ts';
import { createElement } from './unclobbered.ts';

/**
 * Checks that a native submit carries the block in the body of a POST, to https or this machine,
 * and to the page's own origin unless other origins are allowed. Otherwise the block would be part
 * of a URL, or reach a server that nobody meant. A new window is refused, because Safari opens none
 * after the moment that an encryption takes.
 *
 * @throws {@link CardEncryptionError} `invalid_form`.
 */
export function checkDestination(
  form: HTMLFormElement,
  submitter: HTMLElement | null,
  allowCrossOrigin = false,
): void {
  if (opensWindow(form, submitter)) {
    const message = 'Remove the target of the card form (it opens a window), or use onEncrypted';
    throw new CardEncryptionError('invalid_form', message);
  }
  const action = formAction(form, submitter);
  if (isReactAction(action)) return;
  if (methodOf(form, submitter) !== 'post') {
    throw invalidForm('method="post"');
  }
  const url = createElement('a'); // not `new URL`: many a page has a variable of that name
  url.href = action; // if it is no URL, its protocol is ':'
  if (!isSecure(url)) throw invalidForm('an action on https');
  if (url.origin !== originOf(document) && !allowCrossOrigin) {
    throw invalidForm('an action on its own origin, or allowCrossOriginAction');
  }
}

/**
 * G10: the origin of a page. Not `window.origin`, which a script of the page may replace by
 * accident: `var origin`. An `<iframe srcdoc>` has the origin of the page around it.
 */
function originOf({ location, defaultView }: Document): string {
  if (location.origin !== 'null') return location.origin;
  const frame = defaultView!.frameElement;
  return frame ? originOf(frame.ownerDocument) : location.origin;
}

/**
 * If a form's `action` is a function, React 19 sets the attribute to this script. Its own submit
 * listener cancels the submit and calls the function with the form data; if React is not there, the
 * script throws and nothing is sent.
 */
const isReactAction = (action: string) => action.startsWith('javascript:throw new Error(');

/** Over https, or on this machine: the network cannot read it. */
const isSecure = ({ protocol, hostname }: HTMLAnchorElement) =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

const isLoopback = (host: string) =>
  host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';

const invalidForm = (what: string) =>
  new CardEncryptionError('invalid_form', `The card form must have ${what}, or onEncrypted`);

/** Whether a submit loads its answer in another window or frame, and this page stays. */
export function isAnsweredElsewhere(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  const target = targetOf(form, submitter);
  const here = ['', '_self', '_parent', '_top'];
  return !here.includes(target.toLowerCase()) && target !== window.name;
}

function opensWindow(form: HTMLFormElement, submitter: HTMLElement | null): boolean {
  if (!isAnsweredElsewhere(form, submitter)) return false;
  const target = targetOf(form, submitter);
  const frames = document.querySelectorAll<HTMLIFrameElement>('iframe, frame');
  return ![...frames].some((frame) => frame.name === target);
}
