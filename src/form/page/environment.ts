import { checkBrowser } from '../../core/browser.ts';
import { CardEncryptionError } from '../../core/index.ts';
import { createEvent } from './unclobbered.ts';

/**
 * Looks for every feature that the form needs and that has no replacement. All of them are in the
 * browsers that the documents promise; a polyfill, a web view or a test environment may lack one.
 *
 * @throws {@link CardEncryptionError} `unsupported_browser`.
 */
export function checkFormBrowser(): void {
  checkBrowser();
  const element = document.documentElement;
  const needed = [
    typeof window.CustomEvent === 'function',
    typeof Intl === 'object' && Intl.Collator,
    element.matches,
    element.getRootNode,
    createEvent().composedPath,
    typeof window.MutationObserver === 'function',
  ];
  if (needed.every(Boolean)) return;
  const message = 'The browser lacks something that the card form needs: see docs/browsers.md';
  throw new CardEncryptionError('unsupported_browser', message);
}
