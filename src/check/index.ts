import { log } from '../form/feedback/report.ts';
import { toJson } from '../form/page/to-json.ts';
import { cardFinder, clearTextSearch } from './clear-text.ts';
import { findingStore } from './findings.ts';
import type {} from './global.ts';
import { findingList } from './list.ts';
import { watchNames } from './names.ts';
import type { Watcher } from './outgoing.ts';
import { hear, safely, watchDefinitions } from './patch.ts';
import { pressWatch } from './presses.ts';
import { isTestHost } from './test-host.ts';
import { testNumbers } from './test-numbers.ts';
import { cardReader } from './typed-card.ts';
import { watchSubmits, watchWaysOut } from './ways-out.ts';

const OTHER_NUMBER =
  'This page has a card number that is no test number. The check looks at nothing while it is ' +
  'there. Type a test number, or name yours in data-test-numbers.';

/** Attributes of the check's own tag. */
interface CheckTagAttributes {
  /**
   * Hosts of test systems, separated by commas. `localhost` and `127.0.0.1` need not be named. On
   * any other host, the check does nothing but one warning.
   */
  'data-test-host'?: string;
  /**
   * Test numbers, separated by commas, beside the published ones. The check never looks for any
   * other number.
   */
  'data-test-numbers'?: string;
  /**
   * Hosts that payments go to, separated by commas, each with its port if that is not the usual
   * one. Only needed if they are neither the page's own nor the destination of the form.
   */
  'data-payment-host'?: string;
}

/** For test systems only. It must run before the other scripts of the page. */
function start(tag: Element | null): void {
  const read = (name: keyof CheckTagAttributes) => tag?.getAttribute(name) || '';
  if (!isTestHost(location.hostname, read('data-test-host'))) {
    log(
      'warn',
      'cardseal.check.js is for test systems and does nothing here. ' +
        `To use it, name the host in its tag: data-test-host="${location.hostname}"`,
    );
    return;
  }
  const numbers = testNumbers(read('data-test-numbers'));
  tag?.removeAttribute('data-test-numbers'); // a recorder of the page would send a number
  const list = findingList();
  const reader = cardReader(numbers, () => store.notice(OTHER_NUMBER));
  const finder = cardFinder(reader);
  const store = findingStore(finder.shown, list.show);
  const clearText = clearTextSearch(finder, store);
  const presses = pressWatch(reader, store, read('data-payment-host'));
  watchNames(store);
  const watcher: Watcher = {
    isLooking() {
      reader.read();
      return reader.cards().length > 0 || presses.isWatching();
    },
    leaves(outgoing) {
      if (reader.isOff()) return;
      clearText.search(outgoing);
      presses.leaves(outgoing);
    },
  };
  watchDefinitions();
  watchWaysOut(watcher);
  watchSubmits(window, watcher);
  // Not at a key press: typing must feel the same. `change` does not leave a shadow root.
  hear(['change', 'focusin', 'click'], (event) => {
    for (const root of reader.note(event)) watchSubmits(root, watcher);
    reader.read();
  });
  const searchAddress = () => clearText.searchAddress(numbers);
  hear(['hashchange'], searchAddress);
  searchAddress();
  window.CardsealCheck = {
    report: () => JSON.parse(toJson(store.load())),
    clear: store.clear,
  };
  list.show(store.load());
}

if (!window.CardsealCheck) {
  const tag = document.currentScript || document.querySelector('script[src*="cardseal.check"]');
  safely(() => start(tag));
}
