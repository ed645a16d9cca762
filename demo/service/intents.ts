import { randomBytes } from 'node:crypto';
import type { Account } from './accounts.ts';
import { ServiceError } from './errors.ts';
import type { Processor } from './processor/index.ts';
import type {
  CancelBody,
  CardPaymentIntent,
  CreateBody,
  EncryptedCardBlock,
  ListQuery,
  RefundBody,
} from './schemas.ts';
import type { Save, StateRecord } from './state.ts';

/** What has happened to an intent, and when (milliseconds since 1970). */
export interface Step {
  what: CardPaymentIntent['status'] | 'refunded';
  at: number;
}

/** An intent with its history, for the page. */
export interface Payment {
  account: string;
  intent: CardPaymentIntent;
  steps: readonly Step[];
}

interface Entry extends Payment {
  /** Its place in the list of its account. */
  place: number;
}

export interface IntentsOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  processor: Processor;
  save: Save;
  /** Is told of each new or changed intent. */
  onChange: (payment: Payment) => void;
}

/**
 * The card payment intents of all accounts, in memory. An intent is never changed, only replaced:
 * what was returned once stays as it was. Every operation rejects or throws {@link ServiceError}:
 * `intent_not_found` if the account has no such intent, `invalid_intent_state` if its status does
 * not allow the operation, `intent_busy` while it is being authorized.
 *
 * Specification: "States and transitions".
 */
export function createIntents({ clock, processor, save: saveRecord, onChange }: IntentsOptions) {
  const entries = new Map<string, Entry>();
  const idsByAccount = new Map<string, string[]>(); // oldest first
  const authorizing = new Set<string>();

  return {
    create({ id: account, livemode }: Account, body: CreateBody): CardPaymentIntent {
      const now = clock();
      const intent: CardPaymentIntent = {
        id: `pi_card_${randomBytes(12).toString('hex')}`,
        amount: body.amount,
        amount_captured: 0,
        amount_refunded: 0,
        currency: body.currency,
        status: 'created',
        status_at: null,
        processor_ref: null,
        failure_reason: null,
        cancellation_reason: null,
        capture_method: body.capture_method ?? 'automatic',
        payment_method: null,
        description: body.description ?? null,
        statement_descriptor: body.statement_descriptor ?? null,
        metadata: body.metadata ?? {},
        created: now,
        updated: now,
        livemode,
      };
      save({ account, intent, steps: [{ what: 'created', at: now }] });
      return intent;
    },

    /** `note` is told why a card was declined. */
    async authorize(
      account: string,
      id: string,
      block: EncryptedCardBlock,
      note: (reason: string) => void,
    ): Promise<CardPaymentIntent> {
      const intent = getIn(['created'], account, id);
      authorizing.add(id); // in the turn of the check: of many at once exactly one gets here
      try {
        const answer = await processor.authorize(account, block);
        if (answer.outcome === 'refused') throw new ServiceError(answer.code, answer.reason);
        const { processor_ref } = answer;
        if (answer.outcome === 'declined') {
          const { reason: failure_reason, why } = answer;
          note([failure_reason, why].filter(Boolean).join(': '));
          return move(account, intent, 'failed', { processor_ref, failure_reason });
        }
        const payment_method = { brand: answer.brand, last4: answer.last4 };
        if (intent.capture_method === 'manual')
          return move(account, intent, 'authorized', { processor_ref, payment_method });
        return move(account, intent, 'committed', {
          processor_ref,
          payment_method,
          amount_captured: intent.amount,
        });
      } finally {
        authorizing.delete(id);
      }
    },

    commit(account: string, id: string): CardPaymentIntent {
      const intent = getIn(['authorized'], account, id);
      return move(account, intent, 'committed', { amount_captured: intent.amount });
    },

    cancel(account: string, id: string, body: CancelBody): CardPaymentIntent {
      const intent = getIn(['created', 'authorized'], account, id);
      return move(account, intent, 'cancelled', {
        cancellation_reason: body.cancellation_reason ?? 'requested_by_customer',
      });
    },

    /**
     * Throws `refund_too_large` if less than `amount` (minor units; without it, all that is left)
     * is captured and not yet refunded.
     */
    refund(account: string, id: string, body: RefundBody): CardPaymentIntent {
      const intent = getIn(['committed'], account, id);
      const left = intent.amount_captured - intent.amount_refunded;
      const amount = body.amount ?? left;
      if (left === 0 || amount > left) throw new ServiceError('refund_too_large');
      const amount_refunded = intent.amount_refunded + amount;
      return change(account, intent, { amount_refunded }, 'refunded');
    },

    get,

    /** Newest first. Throws `intent_not_found` if `starting_after` is no intent of the account. */
    list(account: string, { limit = 10, starting_after }: ListQuery) {
      const ids = idsByAccount.get(account) ?? [];
      const end = starting_after === undefined ? ids.length : entry(account, starting_after).place;
      const start = Math.max(0, end - limit);
      const data = ids.slice(start, end).map((id) => entries.get(id)!.intent);
      return { data: data.reverse(), has_more: start > 0 };
    },

    /** Of all accounts, newest first. */
    newest(count: number): Payment[] {
      const ends = [...idsByAccount.values()].flatMap((ids) => ids.slice(-count));
      return ends
        .map((id) => entries.get(id)!)
        .sort((one, other) => other.intent.created - one.intent.created)
        .slice(0, count);
    },

    restore(record: StateRecord) {
      if (record.type === 'intent') keep(record);
    },

    *records(): Iterable<StateRecord> {
      for (const { account, intent, steps } of entries.values()) {
        yield { type: 'intent', account, intent, steps: [...steps] };
      }
    },

    reset() {
      entries.clear();
      idsByAccount.clear();
    },
  };

  function get(account: string, id: string): CardPaymentIntent {
    return entry(account, id).intent;
  }

  function entry(account: string, id: string): Entry {
    const found = entries.get(id);
    if (found?.account !== account) throw new ServiceError('intent_not_found');
    return found;
  }

  function getIn(
    statuses: CardPaymentIntent['status'][],
    account: string,
    id: string,
  ): CardPaymentIntent {
    const intent = get(account, id);
    if (authorizing.has(id)) throw new ServiceError('intent_busy');
    if (!statuses.includes(intent.status)) throw new ServiceError('invalid_intent_state');
    return intent;
  }

  function move(
    account: string,
    intent: CardPaymentIntent,
    status: CardPaymentIntent['status'],
    changes: Partial<CardPaymentIntent>,
  ) {
    return change(account, intent, { status, status_at: clock(), ...changes }, status);
  }

  /**
   * `updated` changes with every change: also with two in one millisecond, or when the clock is set
   * back.
   */
  function change(
    account: string,
    intent: CardPaymentIntent,
    changes: Partial<CardPaymentIntent>,
    what: Step['what'],
  ): CardPaymentIntent {
    const { steps } = entry(account, intent.id); // gone if the sandbox was reset meanwhile
    const changed = { ...intent, ...changes, updated: Math.max(clock(), intent.updated + 1) };
    save({ account, intent: changed, steps: [...steps, { what, at: clock() }] });
    return changed;
  }

  function save(payment: Payment) {
    keep(payment);
    const { account, intent, steps } = payment;
    saveRecord({ type: 'intent', account, intent, steps: [...steps] });
    onChange(payment);
  }

  function keep({ account, intent, steps }: Payment) {
    const ids = idsByAccount.get(account) ?? [];
    idsByAccount.set(account, ids);
    const place = entries.get(intent.id)?.place ?? ids.push(intent.id) - 1;
    entries.set(intent.id, { account, intent, steps, place });
  }
}
