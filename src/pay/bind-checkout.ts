import { CardEncryptionError, type CardEncryptionKey, type EncryptedCard } from '../core/index.ts';
import { log, reportToPage } from '../form/feedback/report.ts';
import { bindCardForm, type CardFormBinding } from '../form/index.ts';
import { unclobbered } from '../form/page/unclobbered.ts';
import type { CheckoutBinding, CheckoutFormOptions, CheckoutMessages } from './options.ts';
import { outcomePlace } from './place.ts';
import { requestsTo, unavailable } from './requests.ts';
import {
  type CheckoutResponse,
  isOutcome,
  type OutcomeStatus,
  type ShownOutcome,
  shownOf,
} from './texts.ts';

/** An outcome, and not a reason why there is none. */
type Outcome = CheckoutResponse & { status: OutcomeStatus };

/** The server lets the request wait while a payment of the order is on its way. */
const OUTCOME_TIMEOUT_MS = 60_000;

/** The shortest wait after a 429, also if it does not say when it ends. */
const SHORTEST_WAIT_MS = 1000;

/** What a browser takes for a timer, about 25 days. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Its charge cannot be made twice, so it says more than the form's own text. */
const NO_ANSWER =
  'We do not know yet whether you have paid. Press the button again: you cannot pay twice.';

let bound: WeakMap<HTMLFormElement, CheckoutBinding> | undefined;

/**
 * Makes a form the page's half of `checkout.handle`: it asks for the outcome of the order and for
 * keys, sends the encrypted card, and tells the shopper how the payment went.
 *
 * - The form is bound as by `bindCardForm`, whose rules hold for its fields and its texts.
 * - If no answer comes, the shopper reads that, and the next press sends the same block.
 * - After a decline the form is open for another card. What the shopper has typed meanwhile stays.
 * - When nothing can be paid any more, the form goes: it is paid, perhaps in another tab, or it is
 *   not certain, or the page is out of date.
 *
 * The form raises the events of `bindCardForm`, and `cardseal:outcome`, cancelable, with a
 * {@link ShownOutcome} as `detail`.
 *
 * @param form - It needs neither an `action` nor names: the browser does not submit it.
 * @param options - Only its own properties count.
 * @returns The binding. It replaces an earlier one of the same form.
 * @throws {@link CardEncryptionError} `invalid_form` if `form` is not a form of this window.
 *
 * @example
 * ```ts
 * import { bindCheckout } from 'cardseal/pay';
 *
 * const form = document.querySelector('form')!;
 * bindCheckout(form, { url: '/checkout' });
 * ```
 */
export function bindCheckout(form: HTMLFormElement, options: CheckoutFormOptions): CheckoutBinding {
  bound ??= new WeakMap(); // not before: importing the package does nothing
  // A listener of what this raises may bind the form, too: the last call counts.
  for (let it = bound.get(form); it; it = bound.get(form)) {
    bound.delete(form);
    it.unbind();
  }
  const binding = bind(form, Object.assign(Object.create(null), options));
  bound.set(form, binding);
  return binding;
}

function bind(form: HTMLFormElement, options: CheckoutFormOptions): CheckoutBinding {
  const { url, outcome, onOutcome, headers = () => ({}), messages = {} } = options;
  const requests = requestsTo(url, headers);
  const leaving = newAborter();
  /** The order that the page is of. */
  let order = outcome?.order;
  /** Whether nothing can be paid here any more. */
  let isClosed = false;
  let isBound = false;
  /** Whether the shopper knows of the last try, or has pressed since. */
  let isLastTold = false;
  let hasText = false;
  /** What the library has shown last; `undefined` if the page draws it. */
  let last: ShownOutcome | undefined;
  /** The ids of the keys whose blocks were sent, and whose outcome never came. */
  const unanswered = new Set<string>();
  /** Whether a card may have been charged before this page, or by a block that was answered. */
  let mayBePaid = false;
  /** The payment whose response counts. */
  let latest: { readonly aborter: AbortController | undefined } | undefined;

  const opening = Promise.resolve().then(open); // after `bindCheckout` has returned
  let binding = bindForm();
  const place = outcomePlace(form);
  if (!onOutcome) place.prepare();
  const listen = unclobbered(form, 'addEventListener');
  listen('cardseal:submit', onPress);
  listen('submit', onSubmit);
  isBound = true;
  return { unbind };

  /** The form of one card. */
  function bindForm(): CardFormBinding {
    return bindCardForm(form, {
      keyMaxAgeMs: options.keyMaxAgeMs,
      keyTimeoutMs: options.keyTimeoutMs,
      luhn: options.luhn,
      when: options.when,
      maskForRecorders: options.maskForRecorders,
      messages: messagesOfForm(messages),
      key,
      onEncrypted: pay,
    });
  }

  /** Asks how the order stands. Without an answer, the request for a key tells. */
  async function open(): Promise<void> {
    if (!isBound) return; // what was given is no form
    const found = outcome ?? (await askForOutcome());
    if (!isBound) return;
    if (found) {
      mayBePaid ||= isUnclear(found);
      const isNews = found.status !== 'open' || (found.last && !isLastTold);
      // An order whose outcome is `failed` gets no further key.
      if (isNews) show(found, found.status === 'failed');
    }
    if (!isClosed) place.reveal();
  }

  async function askForOutcome(): Promise<Outcome | undefined> {
    const timer = setTimeout(() => leaving?.abort(), OUTCOME_TIMEOUT_MS);
    try {
      const { response } = await requests.outcome(leaving?.signal);
      if (isOutcome(response.status)) return response as Outcome;
      log('error', `cardseal: GET ${url} answered ${response.status}`);
    } catch (error) {
      if (isBound) tellAuthor('error', error);
    } finally {
      clearTimeout(timer);
    }
    return undefined;
  }

  /** The option `key` of the form. */
  async function key(signal: AbortSignal | undefined): Promise<CardEncryptionKey> {
    await opening;
    for (;;) {
      if (isClosed || !isBound) throw unavailable('Nothing can be paid on this page any more');
      const { response, retryAfterMs } = await requests.key(order, signal);
      if (isClosed || !isBound) continue;
      if (response.key) {
        order = response.order ?? order;
        mayBePaid ||= isUnclear(response);
        if (response.last && !isLastTold) show(response as Outcome);
        return response.key;
      }
      if (response.status === 'too_many') {
        const waitMs = Math.max(retryAfterMs || 0, SHORTEST_WAIT_MS);
        await sleep(Math.min(waitMs, LONGEST_WAIT_MS), signal);
        continue;
      }
      // Without a key, nothing can be paid.
      if (tellsOutcome(response)) show(meaningOf(response, unanswered.size > 0), true);
      throw unavailable(`POST ${url} answered ${response.status}`);
    }
  }

  /** The option `onEncrypted` of the form. */
  async function pay(block: EncryptedCard): Promise<'no_answer' | undefined> {
    latest?.aborter?.abort(); // the server has the same outcome for the same block
    const own = { aborter: newAborter() };
    latest = own;
    const wasSentBefore = unanswered.size > 0;
    unanswered.add(block.key_id);
    isLastTold = false; // the browser may keep the page, and not its requests
    const received = await requests.pay(order, block, own.aborter?.signal).catch(tellNoAnswer);
    if (latest !== own || isClosed || !isBound) return undefined;
    const response = received?.response;
    if (!response || !tellsOutcome(response)) {
      if (response) log('error', `cardseal: POST ${url} answered ${response.status}`);
      return 'no_answer';
    }
    unanswered.delete(block.key_id);
    show(meaningOf(response, wasSentBefore));
    if (!isClosed) startNextCard();
    return undefined;
  }

  /**
   * Another binding: the fields are not locked while a payment is under way, and may hold the next
   * card already. `restart()` would empty them. Those of the last card are empty since it left.
   */
  function startNextCard(): void {
    binding.unbind(); // a listener of what this raises may unbind the checkout, too
    if (isBound) binding = bindForm();
  }

  /** Nothing was sent now, but perhaps before, when the server still knew the order. */
  function meaningOf(response: Outcome, wasSentBefore: boolean): Outcome {
    const isLost = response.status === 'no_order' && (wasSentBefore || mayBePaid);
    return isLost ? { status: 'not_certain', order } : response;
  }

  function tellNoAnswer(error: unknown): undefined {
    tellAuthor('warn', error);
  }

  function show(response: Outcome, closes = false): void {
    const shown = shownOf(response, messages, closes);
    mayBePaid ||= isUnclear(response);
    hasText = shown.text !== '';
    isLastTold = true;
    if (shown.isClosed) close();
    const init = { bubbles: true, composed: true, cancelable: true, detail: shown };
    const event = new CustomEvent('cardseal:outcome', init);
    const isDrawnByPage = !unclobbered(form, 'dispatchEvent')(event) || !isBound;
    last = isDrawnByPage ? undefined : shown;
    tell();
  }

  /** Shows the last outcome, if the page leaves that to the library. */
  function tell(): void {
    if (!last) return;
    try {
      if (onOutcome) onOutcome(last);
      else place.show(last);
    } catch (error) {
      reportToPage(error);
    }
  }

  function close(): void {
    isClosed = true;
    binding.close();
  }

  /** What is shown is about an earlier card. */
  function onPress(): void {
    isLastTold = true;
    if (hasText) show({ status: 'open' });
  }

  /** A page may show a closed form again, or a moment longer. */
  function onSubmit(event: Event): void {
    if (!isClosed) return;
    event.preventDefault();
    tell();
  }

  function unbind(): void {
    if (!isBound) return;
    isBound = false;
    leaving?.abort();
    const stopListening = unclobbered(form, 'removeEventListener');
    stopListening('cardseal:submit', onPress);
    stopListening('submit', onSubmit);
    binding.unbind();
    place.leave();
  }
}

/** An error that is not the library's own is one of the option `headers`. */
function tellAuthor(level: 'warn' | 'error', error: unknown): void {
  if (error instanceof CardEncryptionError) log(level, error);
  else reportToPage(error);
}

/** How a payment went. `open` answers no block, and no request for a key without one. */
const tellsOutcome = (response: CheckoutResponse): response is Outcome =>
  isOutcome(response.status) && response.status !== 'open';

const isUnclear = ({ status, last }: CheckoutResponse): boolean =>
  (last ?? status) === 'retry_is_safe';

/** The form warns of names that it does not know. */
function messagesOfForm(messages: CheckoutMessages): CheckoutMessages {
  const ofForm: CheckoutMessages = { no_answer: NO_ANSWER };
  for (const name of Object.keys(messages) as (keyof CheckoutMessages)[]) {
    if (!isOutcome(name)) ofForm[name] = messages[name] || ofForm[name];
  }
  return ofForm;
}

/** Chrome before 66 has none. */
function newAborter(): AbortController | undefined {
  return typeof AbortController === 'function' ? new AbortController() : undefined;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(unavailable('The key did not come in time'));
    });
  });
}
