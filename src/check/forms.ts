import { unclobbered } from '../form/page/unclobbered.ts';
import { callSite, type Site } from './call-site.ts';
import { entriesOf, STAYS_HERE, textOf, type Watcher } from './outgoing.ts';
import { safely, watch } from './patch.ts';
import type { Part } from './search.ts';

/** Watches forms that a script sends. */
export function watchFormSubmit(watcher: Watcher): void {
  watch(HTMLFormElement.prototype, 'submit', (form: HTMLFormElement) => {
    const site = callSite();
    let data = HAS_DATA_EVENT ? undefined : new FormData(form);
    onData(form, (event) => {
      data = event.formData;
    });
    return () => data && leaveByForm(watcher, form, data, site, null);
  });
  watch(EventTarget.prototype, 'dispatchEvent', (_, [event]) => () => {
    dispatched.add(event as Event);
  });
}

/** Events that a script made up, once their dispatch is over: then no browser sends a form. */
const dispatched = new WeakSet<Event>();

/**
 * Watches the submits of a window or a shadow root, which its submits do not leave. A submit that
 * nobody has cancelled is sent by the browser, with what its `formdata` event holds at the end. So
 * does Firefox (seen in 153) with one that a script made up.
 */
export function watchSubmits(root: Window | ShadowRoot, watcher: Watcher): void {
  root.addEventListener(
    'submit',
    (event) => {
      const { submitter } = event as SubmitEvent;
      const site = safely(callSite);
      const form = event.target as HTMLFormElement;
      const leaves = (data: FormData) => {
        if (!event.defaultPrevented) leaveByForm(watcher, form, data, site, submitter);
      };
      if (!HAS_DATA_EVENT && event.isTrusted) {
        afterDispatch(root, event, () => leaves(new FormData(form)));
      }
      onData(form, (dataEvent) => {
        const isListening = event.currentTarget !== null; // the page may ask for the data, too
        if (isListening || dispatched.has(event)) return;
        afterDispatch(root, dataEvent, () => leaves(dataEvent.formData));
      });
    },
    true,
  );
}

/** Older browsers have no such event: there `new FormData(form)` runs no code of the page. */
const HAS_DATA_EVENT = 'FormDataEvent' in window;

/** Calls `then` if the entries of a form are collected in this task. */
function onData(form: HTMLFormElement, then: (event: FormDataEvent) => void): void {
  const listener = (event: FormDataEvent) => {
    if (event.target === form) then(event);
  };
  unclobbered(form, 'addEventListener')('formdata', listener, true);
  setTimeout(() => unclobbered(form, 'removeEventListener')('formdata', listener, true));
}

function leaveByForm(
  watcher: Watcher,
  form: HTMLFormElement,
  data: FormData,
  site: Site | undefined,
  submitter: HTMLElement | null,
): void {
  watcher.isLooking(); // reads the card; a form counts even if there is none
  const either = (name: string) =>
    submitter?.getAttribute(`form${name}`) || unclobbered(form, 'getAttribute')(name) || '';
  const to = either('action');
  if (STAYS_HERE.test(to) || /^dialog$/i.test(either('method'))) return;
  const entries = entriesOf(data).map(([value, key]) => ({ key, text: textOf(value) }));
  const parts = [{ text: to } as Part].concat(entries);
  watcher.leaves({ way: 'form', to, parts, mayPay: true, site, form });
}

/** Calls `then` once when the listeners of the page have run. */
function afterDispatch(root: Window | ShadowRoot, event: Event, then: () => void): void {
  let isOver = false;
  const end = () => {
    root.removeEventListener(event.type, last);
    if (!isOver) safely(then);
    isOver = true;
  };
  // Added now, it is the last listener. It is not reached if the page stops the event.
  const last = (other: Event) => {
    if (other === event) end();
  };
  root.addEventListener(event.type, last);
  setTimeout(end);
}
