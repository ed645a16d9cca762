import { CardEncryptionError, type CardEncryptionKey, type EncryptedCard } from '../core/index.ts';
import { log, reportToPage } from '../form/feedback/report.ts';
import { bindCardForm, type CardFormBinding } from '../form/index.ts';
import { raise } from '../form/page/event.ts';
import { newAborter } from '../form/page/old-browsers.ts';
import { whenStill } from '../form/page/still.ts';
import { unclobbered } from '../form/page/unclobbered.ts';
import {
  type Asked,
  type Decision,
  type Known,
  type Outcome,
  onAnswer,
  onBegin,
  onBindAgain,
  onNoOutcome,
  onPress,
  onRestored,
  onSent,
} from './decide.ts';
import type { CheckoutBinding, CheckoutFormOptions, CheckoutMessages } from './options.ts';
import { outcomePlace } from './place.ts';
import { requestsTo, unavailable } from './requests.ts';
import { type CheckoutResponse, isOutcome, type ShownOutcome, shownOf } from './texts.ts';

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

/** A form with its order. It outlives a binding: a component may bind anew during a payment. */
interface Checkout {
  readonly url: string;
  known: Known;
  /** An answer speaks to the binding that the form has now. */
  hear(answer: Outcome, asked: Asked): void;
}

let checkouts: WeakMap<HTMLFormElement, Checkout> | undefined;

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
 * @returns The binding. It replaces an earlier one of the same form. If a payment is under way
 * then, this one tells its outcome, unless `url` or the order of `outcome` is another.
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
  let isBound = false;
  /** What the library has shown last; `undefined` if the page draws it. */
  let last: ShownOutcome | undefined;
  /** The payment of this binding whose answer counts. */
  let latest: { readonly aborter: AbortController | undefined } | undefined;

  const opening = Promise.resolve().then(open); // after `bindCheckout` has returned
  let binding = bindForm();
  const checkout = checkoutOf(form, url, outcome?.order, hear);
  const place = outcomePlace(form);
  if (!onOutcome) place.prepare();
  const listen = unclobbered(form, 'addEventListener');
  listen('cardseal:submit', press);
  listen('submit', onSubmit);
  window.addEventListener('pageshow', onPageShow);
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
    const isOutdated = checkout.known.out.length > 0; // what was rendered knows of no later block
    const found = (isOutdated ? undefined : outcome) ?? (await askForOutcome());
    if (!isBound) return;
    if (found) hear(found, { for: 'outcome' });
    else carryOut(onNoOutcome(checkout.known));
    if (!checkout.known.isClosed) place.reveal();
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
      if (isOver()) throw unavailable('Nothing can be paid here any more');
      const { response, retryAfterMs } = await requests.key(checkout.known.order, signal);
      if (isOver()) continue;
      if (response.key) {
        hear({ ...response, status: 'open' }, { for: 'key' });
        return response.key;
      }
      if (response.status === 'too_many') {
        const waitMs = Math.max(retryAfterMs || 0, SHORTEST_WAIT_MS);
        await sleep(Math.min(waitMs, LONGEST_WAIT_MS), signal);
        continue;
      }
      if (tellsOutcome(response)) hear(response, { for: 'key' });
      throw unavailable(`POST ${url} answered ${response.status}`);
    }
  }

  /** The option `onEncrypted` of the form. */
  async function pay(block: EncryptedCard): Promise<'no_answer' | undefined> {
    latest?.aborter?.abort(); // the server has the same outcome for the same block
    const own = { aborter: newAborter() };
    latest = own;
    carryOut(onSent(checkout.known, block.key_id));
    const received = await requests
      .pay(checkout.known.order, block, own.aborter?.signal)
      .catch(tellNoAnswer);
    if (latest !== own || checkout.known.isClosed) return undefined;
    const response = received?.response;
    if (!response || !tellsOutcome(response)) {
      if (response) log('error', `cardseal: POST ${url} answered ${response.status}`);
      return 'no_answer';
    }
    checkout.hear(response, { for: 'payment', key: block.key_id });
    if (!isOver()) startNextCard();
    return undefined;
  }

  function isOver(): boolean {
    return checkout.known.isClosed || !isBound;
  }

  /**
   * Another binding: the fields are not locked while a payment is under way, and may hold the next
   * card already. `restart()` would empty them. Those of the last card are empty since it left.
   */
  function startNextCard(): void {
    binding.unbind(); // a listener of what this raises may unbind the checkout, too
    if (isBound) binding = bindForm();
  }

  function tellNoAnswer(error: unknown): undefined {
    tellAuthor('warn', error);
  }

  function hear(answer: Outcome, asked: Asked): void {
    carryOut(onAnswer(checkout.known, answer, asked));
  }

  function carryOut({ known, tell }: Decision): void {
    checkout.known = known;
    if (tell && isBound) show(tell);
  }

  function show(outcome: Outcome): void {
    const shown = shownOf(outcome, messages, checkout.known.isClosed);
    if (shown.isClosed) binding.close();
    const isDrawnByPage = !raise(form, 'cardseal:outcome', { cancelable: true, detail: shown });
    last = isDrawnByPage || !isBound ? undefined : shown;
    tell();
  }

  /** Shows the last outcome, if the page leaves that to the library. */
  function tell(): void {
    if (!last) return;
    try {
      if (onOutcome) onOutcome(last);
      else showWhenStill(last);
    } catch (error) {
      reportToPage(error);
    }
  }

  /** Not while the shopper holds a pointer down: a button that moves then gets no click. */
  function showWhenStill(shown: ShownOutcome): void {
    whenStill(() => {
      if (isBound && last === shown) place.show(shown);
    });
  }

  function press(): void {
    carryOut(onPress(checkout.known));
  }

  /** A press that pays in another way. Or a page shows a closed form again, or a moment longer. */
  function onSubmit(event: Event): void {
    press();
    if (!checkout.known.isClosed) return;
    event.preventDefault();
    tell();
  }

  function onPageShow({ persisted }: PageTransitionEvent): void {
    if (persisted) carryOut(onRestored(checkout.known));
  }

  function unbind(): void {
    if (!isBound) return;
    isBound = false;
    leaving?.abort();
    const stopListening = unclobbered(form, 'removeEventListener');
    stopListening('cardseal:submit', press);
    stopListening('submit', onSubmit);
    window.removeEventListener('pageshow', onPageShow);
    binding.unbind();
    place.leave();
  }
}

/** P8 */
function checkoutOf(
  form: HTMLFormElement,
  url: string,
  order: string | undefined,
  hear: Checkout['hear'],
): Checkout {
  checkouts ??= new WeakMap();
  const before = checkouts.get(form);
  const known = before?.url === url ? onBindAgain(before.known, order) : undefined;
  if (before && known) return Object.assign(before, { known, hear });
  const checkout: Checkout = { url, known: onBegin(order), hear };
  checkouts.set(form, checkout);
  return checkout;
}

/** An error that is not the library's own is one of the option `headers`. */
function tellAuthor(level: 'warn' | 'error', error: unknown): void {
  if (error instanceof CardEncryptionError) log(level, error);
  else reportToPage(error);
}

/** How a payment went. `open` answers no block, and no request for a key without one. */
const tellsOutcome = (response: CheckoutResponse): response is Outcome =>
  isOutcome(response.status) && response.status !== 'open';

/** The form warns of names that it does not know. */
function messagesOfForm(messages: CheckoutMessages): CheckoutMessages {
  const ofForm: CheckoutMessages = { no_answer: NO_ANSWER };
  for (const name of Object.keys(messages) as (keyof CheckoutMessages)[]) {
    if (!isOutcome(name)) ofForm[name] = messages[name] || ofForm[name];
  }
  return ofForm;
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
