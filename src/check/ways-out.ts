import { watchFormSubmit } from './forms.ts';
import { watchNetwork } from './network.ts';
import type { Watcher } from './outgoing.ts';
import { watchPreparing } from './preparing.ts';
import { watchStorage } from './storage.ts';

export { watchSubmits } from './forms.ts';

/** Watches each way out of the page, but for submits of the shopper: `watchSubmits`. */
export function watchWaysOut(watcher: Watcher): void {
  watchNetwork(watcher);
  watchFormSubmit(watcher);
  watchStorage(watcher);
  watchPreparing(watcher);
}
