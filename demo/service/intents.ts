import { randomBytes } from 'node:crypto';
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

/**
 * The card payment intents of all accounts, in memory. An intent is never changed, only replaced:
 * what was returned once stays as it was. Every operation rejects or throws {@link ServiceError}:
 * `intent_not_found` if the account has no such intent, `invalid_intent_state` if its status does
 * not allow the operation, `intent_busy` while it is being authorized.
 *
 * Specification: "States and transitions".
 */
export function createIntents({ clock, processor }: { clock: () => number; processor: Processor }) {
  const intents = new Map<string, { account: string; intent: CardPaymentIntent }>();
  const authorizing = new Set<string>();

  return {
    create(account: string, body: CreateBody): CardPaymentIntent {
      const now = clock();
      return save(account, {
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
        livemode: false,
      });
    },

    async authorize(
      account: string,
      id: string,
      block: EncryptedCardBlock,
    ): Promise<CardPaymentIntent> {
      const intent = getIn(['created'], account, id);
      authorizing.add(id); // in the turn of the check: of many at once exactly one gets here
      try {
        const answer = await processor.authorize(account, block);
        if (answer.outcome === 'refused') throw new ServiceError(answer.code);
        const { processor_ref } = answer;
        if (answer.outcome === 'declined')
          return move(account, intent, 'failed', { processor_ref, failure_reason: answer.reason });
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
      return change(account, intent, { amount_refunded: intent.amount_refunded + amount });
    },

    get,

    /** Newest first. Throws `intent_not_found` if `starting_after` is no intent of the account. */
    list(account: string, { limit = 10, starting_after }: ListQuery) {
      const own = [...intents.values()]
        .filter((entry) => entry.account === account)
        .map((entry) => entry.intent);
      const newestFirst = own.reverse();
      const start =
        starting_after === undefined ? 0 : newestFirst.indexOf(get(account, starting_after)) + 1;
      return {
        data: newestFirst.slice(start, start + limit),
        has_more: newestFirst.length > start + limit,
      };
    },
  };

  function get(account: string, id: string): CardPaymentIntent {
    const entry = intents.get(id);
    if (entry?.account !== account) throw new ServiceError('intent_not_found');
    return entry.intent;
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
    return change(account, intent, { status, status_at: clock(), ...changes });
  }

  /**
   * `updated` changes with every change: also with two in one millisecond, or when the clock is set
   * back.
   */
  function change(
    account: string,
    intent: CardPaymentIntent,
    changes: Partial<CardPaymentIntent>,
  ): CardPaymentIntent {
    return save(account, { ...intent, ...changes, updated: Math.max(clock(), intent.updated + 1) });
  }

  function save(account: string, intent: CardPaymentIntent): CardPaymentIntent {
    intents.set(intent.id, { account, intent });
    return intent;
  }
}
