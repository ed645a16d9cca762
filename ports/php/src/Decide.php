<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The rules of an order: one payment, one charge, one delivery.
 *
 * This class knows no network and no store. Each function takes what is stored of the order and
 * what has happened, and returns what to store and what the shopper gets. Checkout does what these
 * functions say. They are the same, name for name and rule for rule, as in decide.py and in
 * src/checkout/decide.ts of the repository: that file has the rules O1 to O21 in words.
 *
 * An order is in one of five states:
 *
 * - Open: nothing of it is on its way. $sent says whether something ever was.
 * - Paying: one attempt is on its way to the service.
 * - Uncertain: a card may have been charged, and the shop does not know.
 * - Paid: nothing replaces this state.
 * - Withdrawn: the shop has given the order up. Nothing replaces this state.
 *
 * It is UNSETTLED while it was sent, is not paid, and no attempt is under way. That includes Open:
 * a proxy may have answered with a key error after the charge.
 *
 * @internal
 */
final class Decide
{
    /** After so many cards a person has to look. */
    public const MOST_DECLINES = 10;
    /** More pages than these never wait for a card at once. */
    private const MOST_KEYS = 50;
    /** Longer than a call of $onPaid may take. */
    private const FIRST_CLAIM_MS = 30_000;
    private const LONGEST_CLAIM_MS = 3_600_000;
    private const LONGEST_REASON = 200;

    /** Whether a response may still come. Others wait until then. After it, staff may resolve. */
    public static function isUnderWay(?StoredOrder $order, int $now, int $limitMs): bool
    {
        if ($order?->state !== State::Paying || $order->attempt === null) {
            return false;
        }
        // A start in the future is that of a clock which was wrong.
        return abs($now - $order->attempt->startedAt) <= $limitMs;
    }

    /** Whether the order needs another look: it is not settled, or not delivered. */
    public static function isDue(StoredOrder $order): bool
    {
        return $order->state === State::Paid ? $order->delivery instanceof Claim : $order->sent;
    }

    /** For outcome(), and for a page that gets no key. */
    public static function outcomeOf(?StoredOrder $order): Outcome
    {
        if ($order === null) {
            return new Outcome(Status::Open);
        }
        if ($order->state === State::Paid && $order->paid !== null) {
            return new Outcome($order->paid, reference: $order->intentId);
        }
        if ($order->state === State::Withdrawn) {
            return new Outcome(Status::NoOrder);
        }
        if ($order->state !== State::Open) {
            return new Outcome(Status::NotCertain);
        }
        if ($order->sent) {
            return new Outcome(Status::Open, last: LastTry::RetryIsSafe);
        }
        if (self::hasTooManyDeclines($order)) {
            return self::lastDecline($order);
        }
        $isDeclined = $order->last?->status === LastTry::Failed;
        return new Outcome(
            Status::Open,
            last: $order->last?->status,
            reason: $isDeclined ? $order->last->reason : null,
            keyId: $order->last?->keyId,
        );
    }

    /** A key is requested, to pay $price: an order that may get one, or an outcome. */
    public static function onKeyRequested(?StoredOrder $stored, Order $price): Decision
    {
        $order = self::atPrice($stored, $price);
        if ($order->state !== State::Open) {
            return new Decision(outcome: self::outcomeOf($order));
        }
        // O9: the intent of the other price must be settled before a new one exists.
        if (!self::isFor($order, $price)) {
            return new Decision(outcome: new Outcome(Status::NotCertain));
        }
        if (self::hasTooManyDeclines($order)) {
            return new Decision(outcome: self::lastDecline($order)); // O13
        }
        return new Decision(order: $order);
    }

    /** A key has arrived. The state may be another by now. */
    public static function onKeyArrived(
        ?StoredOrder $stored,
        Order $price,
        string $keyId,
        int $expiresAt,
    ): Decision {
        $decision = self::onKeyRequested($stored, $price);
        $order = $decision->order;
        // Only the answer of the write was lost; or the service gave the same key twice.
        if ($order === null || $order->findKey($keyId) !== null) {
            return $decision;
        }
        $fresh = new StoredKey($keyId, $price->amount, $price->currency, $expiresAt);
        $keys = array_slice([...$order->keys, $fresh], -self::MOST_KEYS); // O17
        return new Decision($order->with(id: $price->id, keys: $keys), order: $order);
    }

    /** A block was posted. The state is checked before the block. */
    public static function onBlock(?StoredOrder $stored, NewAttempt $attempt): Decision
    {
        if ($stored?->state === State::Paying) {
            // O3: only the answer of the write was lost
            $isStored = $stored->attempt?->token === $attempt->token;
            return $isStored
                ? new Decision(next: Next::Authorize, intentId: $stored->intentId)
                : new Decision(next: Next::Wait);
        }
        $order = $stored === null ? null : self::atPrice($stored, $attempt->price);
        if ($order === null || !self::isGood($order, $attempt)) {
            $refusal = self::onRefusal($stored, $attempt->keyId);
            return new Decision($refusal->store, $refusal->outcome, next: Next::Answer);
        }
        $intentId = $order->intentId ?? $attempt->draftId;
        if ($intentId === null) {
            $store = $order->last === null ? null : $order->with(last: null); // O21
            return new Decision($store, next: Next::CreateIntent); // O18
        }
        $store = $order->withBlock($attempt->keyId, BlockState::Sent)->with(
            state: State::Paying,
            intentId: $intentId,
            sent: true,
            attempt: new Attempt($attempt->token, $attempt->keyId, $attempt->now),
        );
        return new Decision($store, next: Next::Authorize, intentId: $intentId);
    }

    /** O4: a block is sent once, before its key expires, for the price that its page showed. */
    private static function isGood(StoredOrder $order, NewAttempt $attempt): bool
    {
        $key = $order->findKey($attempt->keyId);
        return $key !== null
            && $order->state === State::Open
            && $key->block === BlockState::None
            && $attempt->now <= $key->expiresAt
            && self::isShownAs($key->amount, $key->currency, $attempt->price)
            && self::isFor($order, $attempt->price)
            && !self::hasTooManyDeclines($order); // O13
    }

    /** O5: a block is not sent now, and the shopper may read that nothing was paid. */
    public static function onRefusal(?StoredOrder $stored, string $keyId): Decision
    {
        $outcome = self::outcomeOfBlock($stored, $keyId);
        $isUnused = $stored?->state === State::Open
            && $stored->findKey($keyId)?->block === BlockState::None;
        if (!$isUnused) {
            return new Decision(outcome: $outcome);
        }
        $last = new Last(LastTry::NotPaid, keyId: $keyId);
        return new Decision($stored->withBlock($keyId, BlockState::Error)->with(last: $last), $outcome);
    }

    /** What was posted is no block. The order's state comes first. */
    public static function onNoBlock(?StoredOrder $stored, int $now, int $limitMs): Outcome
    {
        $isOpen = $stored === null
            || $stored->state === State::Open
            || self::isUnderWay($stored, $now, $limitMs);
        return $isOpen ? new Outcome(Status::InvalidEncryptedCard) : self::outcomeOf($stored);
    }

    /** The service has answered an attempt, or has not answered it in time. */
    public static function onAnswer(
        ?StoredOrder $stored,
        string $token,
        string $keyId,
        ServiceAnswer $answer,
        Decider $decider,
    ): Decision {
        $isOwn = $stored?->attempt?->token === $token;
        $isLate = $stored?->sent === true && $stored->state !== State::Paid; // O8
        if ($stored === null || !($isOwn || $isLate)) {
            return new Decision(outcome: self::outcomeOfBlock($stored, $keyId));
        }
        $store = self::afterResponse($stored, $keyId, $answer, $decider)
            ?? ($isOwn ? self::afterFailure($stored, $keyId, $answer) : null);
        return new Decision($store, self::outcomeOfBlock($store ?? $stored, $keyId));
    }

    /** null if the answer does not say for certain what became of the order's own intent. */
    private static function afterResponse(
        StoredOrder $order,
        string $keyId,
        ServiceAnswer $answer,
        Decider $decider,
    ): ?StoredOrder {
        // O6
        $intent = $answer->intent;
        $isOwn = $intent !== null
            && $intent->id === $order->intentId
            && $intent->amount === $order->amount
            && $intent->currency === $order->currency;
        if (!$isOwn) {
            return null;
        }
        if ($intent->status === 'committed' || $intent->status === 'authorized') {
            return self::asPaid($order, Status::from($intent->status), $decider);
        }
        if ($intent->status !== 'failed') {
            return null;
        }
        $reason = self::shortened($intent->failureReason);
        $order = $order->withBlock($keyId, BlockState::Declined, $reason);
        return self::declined($order, $reason, $keyId);
    }

    /** The service's reasons are a few words. Not substr(): it can cut a character in two. */
    private static function shortened(?string $reason): ?string
    {
        $pattern = '/^(.{' . self::LONGEST_REASON . '}).*$/Dsu';
        return $reason === null ? null : (string) preg_replace($pattern, '$1', $reason);
    }

    private static function afterFailure(
        StoredOrder $order,
        string $keyId,
        ServiceAnswer $answer,
    ): StoredOrder {
        // O7: a proxy may answer so after the charge. Another try under the same intent cannot
        // charge.
        if ($answer->isKeyError && $order->keyErrors === 0) {
            $open = $order->withBlock($keyId, BlockState::Error);
            return $open->with(state: State::Open, attempt: null, keyErrors: 1);
        }
        return $order->withBlock($keyId, BlockState::NotSettled)->with(state: State::Uncertain);
    }

    /** Staff say what became of an intent. */
    public static function onResolve(
        ?StoredOrder $stored,
        string $intentId,
        Resolution $resolution,
        Decider $decider,
    ): Decision {
        // O10
        if ($stored?->intentId !== $intentId || !self::isUnsettled($stored, $decider)) {
            return new Decision(outcome: self::outcomeOf($stored));
        }
        $store = self::resolved($stored, $resolution, $decider);
        return new Decision($store, self::outcomeOf($store));
    }

    /** Staff settle an order whose value is damaged: what they say becomes the order. */
    public static function onResolveUnreadable(
        Order $price,
        string $intentId,
        Resolution $resolution,
        Decider $decider,
    ): Decision {
        $order = self::newOrder($price)->with(id: $price->id, intentId: $intentId, sent: true);
        $store = self::resolved($order, $resolution, $decider);
        return new Decision($store, self::outcomeOf($store));
    }

    private static function resolved(
        StoredOrder $order,
        Resolution $resolution,
        Decider $decider,
    ): StoredOrder {
        return $resolution === Resolution::NotPaid
            ? self::withoutIntent($order)
            : self::asPaid($order, Status::from($resolution->value), $decider);
    }

    /** The shop gives the order up: to begin another one, or to be paid in another way. */
    public static function onWithdraw(
        ?StoredOrder $stored,
        Order $price,
        int $now,
        int $limitMs,
    ): Decision {
        // A key for a new order may be on its way.
        $order = $stored ?? self::newOrder($price)->with(id: $price->id);
        // An attempt has begun. Its card may be declined.
        if (self::isUnderWay($order, $now, $limitMs)) {
            return new Decision(next: Next::Wait);
        }
        $mayBeCharged = $order->state !== State::Open || $order->sent; // O20
        $store = $mayBeCharged ? null : $order->with(state: State::Withdrawn);
        return new Decision($store, next: Next::Answer);
    }

    /** What to look up of an order; null if nothing of it is unsettled. */
    public static function questionOf(?StoredOrder $stored, Decider $decider): ?Question
    {
        if ($stored?->intentId === null || !self::isUnsettled($stored, $decider)) {
            return null;
        }
        return new Question($stored->intentId, $stored->attempt?->token);
    }

    /** A look-up says that an intent is $found: a word of the service, or any other. */
    public static function onLookUp(
        ?StoredOrder $stored,
        Question $asked,
        mixed $found,
        Decider $decider,
    ): Decision {
        $store = self::afterLookUp($stored, $asked, $found, $decider);
        return new Decision($store, self::outcomeOf($store ?? $stored));
    }

    private static function afterLookUp(
        ?StoredOrder $stored,
        Question $asked,
        mixed $found,
        Decider $decider,
    ): ?StoredOrder {
        // O10
        $isAbout = $stored?->sent === true
            && $stored->state !== State::Paid
            && $stored->intentId === $asked->intentId;
        if (!$isAbout) {
            return null;
        }
        if ($found === 'committed' || $found === 'authorized') {
            return self::asPaid($stored, Status::from($found), $decider);
        }
        if (!self::isUnsettled($stored, $decider)) {
            return null;
        }
        if ($found === 'failed') {
            return self::declined($stored, null, $stored->attempt?->keyId);
        }
        if ($found === 'cancelled') {
            return self::withoutIntent($stored);
        }
        $isSameAttempt = $stored->attempt?->token === $asked->token;
        if ($found !== 'created' || !$isSameAttempt || $stored->state === State::Open) {
            return null;
        }
        return $stored->with(state: State::Open, attempt: null); // O11
    }

    /** O12: somebody sees the order, and would deliver it. */
    public static function onDeliver(?StoredOrder $stored, Decider $decider): Decision
    {
        $claim = $stored?->state === State::Paid ? $stored->delivery : null;
        if (!$claim instanceof Claim) {
            return new Decision();
        }
        // A claim that ends later than any can was made by a clock that was wrong.
        $isWrong = $claim->until > $decider->now + self::LONGEST_CLAIM_MS;
        if ($decider->now <= $claim->until && !$isWrong) {
            $isOwn = $claim->token === $decider->token;
            return $isOwn ? new Decision(order: $stored, claim: $claim) : new Decision();
        }
        $claim = self::claimOf($decider->token, $decider->now, $claim->tries + 1);
        return new Decision($stored->with(delivery: $claim), order: $stored, claim: $claim);
    }

    /** $onPaid has returned, in time or late, no matter who holds the claim. */
    public static function onDelivered(?StoredOrder $stored): Decision
    {
        $isDue = $stored?->state === State::Paid && $stored->delivery !== Delivery::Done;
        return $isDue ? new Decision($stored->with(delivery: Delivery::Done)) : new Decision();
    }

    /** The outcome for a shopper who has posted a block under this key. */
    public static function outcomeOfBlock(?StoredOrder $order, string $keyId): Outcome
    {
        // The store has never had, or has lost, the order of this block.
        if ($order === null) {
            return new Outcome(Status::NoOrder, keyId: $keyId);
        }
        $isAtRest = $order->state === State::Open || $order->state === State::Withdrawn;
        if (!$isAtRest) {
            return self::outcomeOf($order);
        }
        $key = $order->findKey($keyId);
        // The block is of another order; or the order has dropped its key.
        if ($key === null) {
            return new Outcome(Status::NoOrder, keyId: $keyId);
        }
        if ($order->sent) {
            return new Outcome(Status::RetryIsSafe);
        }
        if (self::hasTooManyDeclines($order)) {
            return self::lastDecline($order);
        }
        if ($key->block === BlockState::Declined) {
            return new Outcome(Status::Failed, reason: $key->reason);
        }
        return new Outcome(Status::NotPaid);
    }

    /** An order that is new; or one with another price, if nothing was sent for the old one. */
    private static function atPrice(?StoredOrder $stored, Order $price): StoredOrder
    {
        if ($stored === null) {
            return self::newOrder($price);
        }
        if ($stored->sent || self::isFor($stored, $price)) {
            return $stored; // O1
        }
        return $stored->with(
            amount: $price->amount,
            currency: $price->currency,
            captureMethod: $price->captureMethod,
            intentId: null,
        );
    }

    private static function newOrder(Order $price): StoredOrder
    {
        return new StoredOrder(
            State::Open,
            $price->amount,
            $price->currency,
            captureMethod: $price->captureMethod,
        );
    }

    private static function isUnsettled(StoredOrder $order, Decider $decider): bool
    {
        return $order->sent
            && $order->state !== State::Paid
            && !self::isUnderWay($order, $decider->now, $decider->limitMs);
    }

    private static function asPaid(StoredOrder $order, Status $paid, Decider $decider): StoredOrder
    {
        $store = $order->with(state: State::Paid, paid: $paid, attempt: null);
        if (!$decider->delivers) {
            return $store;
        }
        return $store->with(delivery: self::claimOf($decider->token, $decider->now, 1)); // O12
    }

    private static function declined(
        StoredOrder $order,
        ?string $reason,
        ?string $keyId,
    ): StoredOrder {
        return self::withoutIntent($order)->with(
            declines: $order->declines + 1,
            last: new Last(LastTry::Failed, $reason, $keyId),
        );
    }

    /** O1: the intent is dead, so that a new one may be made. The keys stay used. */
    private static function withoutIntent(StoredOrder $order): StoredOrder
    {
        return $order->with(
            state: State::Open,
            intentId: null,
            sent: false,
            attempt: null,
            keyErrors: 0,
            last: new Last(LastTry::NotPaid),
        );
    }

    /** The pause doubles with each try. */
    private static function claimOf(string $token, int $now, int $tries): Claim
    {
        $pause = min(self::FIRST_CLAIM_MS * 2 ** min($tries - 1, 20), self::LONGEST_CLAIM_MS);
        return new Claim($token, $now + $pause, $tries);
    }

    /** O13 */
    public static function hasTooManyDeclines(StoredOrder $order): bool
    {
        return !$order->sent && $order->declines >= self::MOST_DECLINES;
    }

    private static function lastDecline(StoredOrder $order): Outcome
    {
        return new Outcome(Status::Failed, reason: $order->last?->reason);
    }

    /** O15. An order of a build before 0.3.0 has no capture method: it is for either. */
    private static function isFor(StoredOrder $order, Order $price): bool
    {
        $captureMethod = $order->captureMethod ?? $price->captureMethod;
        return self::isShownAs($order->amount, $order->currency, $price)
            && $captureMethod === $price->captureMethod;
    }

    /** Whether both show the same sum. */
    private static function isShownAs(int $amount, string $currency, Order $price): bool
    {
        return $amount === $price->amount && $currency === $price->currency;
    }
}
