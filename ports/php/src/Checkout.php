<?php

declare(strict_types=1);

namespace Cardseal;

use Psr\Log\LoggerInterface;

/**
 * One payment, one charge, one delivery: does what Decide says.
 *
 *     $store = PdoStore::sqlite('/var/lib/shop/orders.sqlite');
 *     $checkout = new Checkout(new CardPayments($baseUrl, $secretKey), $store, $store->limits());
 */
final class Checkout
{
    /** A draft takes a service that is there less than a second. Nothing was sent before it. */
    private const DRAFT_LIMIT_MS = 10_000;
    /** How many orders sweep() reads at once. */
    private const SWEPT_AT_ONCE = 100;
    /** After so many look-ups in a row without an answer, sweep() asks for no more. */
    private const MOST_UNANSWERED = 3;

    private const NO_BLOCK = 'what was posted is no block, in the text that JSON.stringify writes. Give '
        . 'pay() the text that the page has posted, before a parser or a gateway has changed it';
    private const NOTHING_POSTED = 'no field encrypted_card was posted: a script has sent the form '
        . 'without a press, or the form is not bound. See "The server gets no block" in '
        . 'docs/troubleshooting.md';
    private const REFUSALS = [
        'not_paid' => 'its key has expired, was used before, or is for another price, or the order '
            . 'was withdrawn',
        'not_certain' => 'the order is not certain, and nobody has settled it',
        'no_order' => 'the order has no such key. The session has lost its order, or has begun '
            . 'another one. The order whose stored value has this key is the one that the shopper '
            . 'means',
    ];

    private readonly Orders $orders;
    private readonly RequestLimits $limits;
    private readonly int $limitMs;
    /** How many of the last look-ups of a sweep, in a row, got no answer. */
    private int $unanswered = 0;

    /**
     * @param Limits $limits counts key requests and declines: $store->limits() of a PdoStore
     * @param (\Closure(PaidOrder, PaidOutcome): void)|null $onPaid sends the mail, tells the
     *     warehouse. It is called once if nothing crashes; and again, from any process that sees the
     *     order, until it has returned once. So let the outcome's reference be the idempotency key
     *     of whatever it does. Give it a limit of 20 seconds.
     * @param LoggerInterface|null $logger gets a warning for each event that needs a look, with the
     *     ids "order", "intent", "key" and "sender" as its context; PHP's error log unless given
     * @param float $keysPerSecond how many keys a second all shoppers may request when they have
     *     used up what they may request at once: docs/production.md#bots
     */
    public function __construct(
        private readonly CardPayments $payments,
        private readonly OrderStore $store,
        Limits $limits,
        private readonly ?\Closure $onPaid = null,
        private readonly ?LoggerInterface $logger = null,
        float $keysPerSecond = 10,
        private readonly Clock $clock = new SystemClock(),
    ) {
        // After this time an attempt has its answer, unless its process has ended or the store is
        // slow.
        $this->limitMs = $payments->timeoutMs + 5000;
        $this->orders = new Orders($store, $this->limitMs, $this->log(...), $clock);
        $this->limits = new RequestLimits($limits, $keysPerSecond);
    }

    /**
     * A fresh key for the form of an order.
     *
     * @param string|null $sender the address of the client, as your own outermost proxy saw it. One
     *     sender cannot use up what others need.
     * @throws StoreContractError if the store does not do what it must
     */
    public function issueKey(Order $order, ?string $sender = null): IssuedKey
    {
        try {
            $known = $this->senderOf($sender);
            $retryAfter = $this->limits->takeKey($order->id, $known, $this->clock->now());
            if ($retryAfter > 0) {
                return new IssuedKey(retryAfter: $retryAfter);
            }
            return $this->outcomeInsteadOfKey($order) ?? $this->keyFor($order);
        } catch (StoreContractError $error) {
            throw $error;
        } catch (\Throwable $error) {
            $this->log('No key for order %s: %s', order: $order->id, error: $error);
            return new IssuedKey();
        }
    }

    private function keyFor(Order $order): IssuedKey
    {
        try {
            $key = $this->payments->createEncryptionKey();
            $public = BrowserKey::of($key);
        } catch (\Throwable $error) {
            $this->log('No key for order %s: %s', order: $order->id, error: $error);
            return $this->outcomeInsteadOfKey($order) ?? new IssuedKey();
        }
        for (;;) {
            $decision = $this->orders->change(
                $order->id,
                static fn (?StoredOrder $stored): Decision =>
                    Decide::onKeyArrived($stored, $order, $key->id, $key->expiresAt),
            );
            if ($decision->outcome === null) {
                return new IssuedKey($public, Decide::outcomeOf($decision->order));
            }
            // Another page has begun to pay meanwhile. If its card is declined, the key is of use.
            $instead = $this->outcomeInsteadOfKey($order);
            if ($instead !== null) {
                return $instead;
            }
        }
    }

    /** What a page gets that needs no key; null if it needs one. */
    private function outcomeInsteadOfKey(Order $order): ?IssuedKey
    {
        $stored = $this->readSettled($order->id);
        $outcome = Decide::onKeyRequested($stored, $order)->outcome;
        return $outcome === null ? null : $this->noKey($order->id, $stored, $outcome);
    }

    private function noKey(string $orderId, ?StoredOrder $stored, Outcome $outcome): IssuedKey
    {
        // Something was sent for another amount: nobody can pay until staff have settled it.
        if ($outcome->status === Status::NotCertain && $stored?->state === State::Open) {
            $this->logUncertain($orderId, $stored->intentId);
        }
        if ($outcome->isPaid()) {
            $this->deliver($orderId, self::randomId());
        }
        return new IssuedKey(outcome: $outcome->named($orderId));
    }

    /**
     * Pays an order with the block that a browser has posted. It waits for $onPaid, and returns the
     * outcome whatever becomes of that. Nothing that a browser can send makes it throw.
     *
     * @param mixed $posted $_POST['encrypted_card'] ?? null, or file_get_contents('php://input')
     * @param string|null $sender as in issueKey()
     */
    public function pay(
        Order $order,
        #[\SensitiveParameter] mixed $posted,
        ?string $sender = null,
    ): Outcome {
        $token = self::randomId();
        try {
            $card = EncryptedCard::read($posted);
            $outcome = $card === null
                ? $this->payWithoutBlock($order->id, $posted === null || $posted === '')
                : $this->payWith($order, $card, Sender::of($sender), $token);
            if ($outcome->isPaid()) {
                $this->deliver($order->id, $token);
            }
            return $outcome->named($order->id);
        } catch (\Throwable $error) {
            $this->log(
                'Payment not certain, the store failed: order %s: %s. '
                . 'If a card was sent, sweep() finds the order',
                order: $order->id,
                error: $error,
            );
            return (new Outcome(Status::NotCertain))->named($order->id);
        }
    }

    private function payWithoutBlock(string $orderId, bool $isMissing): Outcome
    {
        $stored = $this->orders->read($orderId);
        $outcome = Decide::onNoBlock($stored, $this->clock->now(), $this->limitMs);
        if ($outcome->status === Status::InvalidEncryptedCard) {
            $problem = $isMissing ? self::NOTHING_POSTED : self::NO_BLOCK;
            $this->log("Refused: invalid_encrypted_card: order %s: $problem", order: $orderId);
        }
        return $outcome;
    }

    private function payWith(
        Order $order,
        #[\SensitiveParameter] EncryptedCard $card,
        ?string $sender,
        string $token,
    ): Outcome {
        if (!$this->beginTry($order->id, $sender)) {
            return $this->refuse($order->id, $card->keyId);
        }
        $end = TryEnd::Other;
        try {
            [$outcome, $end] = $this->attempt($order, $card, $token);
            return $outcome;
        } finally {
            $this->endTry($order->id, $sender, $end);
        }
    }

    /** Whether the sender may try a card. If a counter fails: no, for nothing was sent yet. */
    private function beginTry(string $orderId, ?string $sender): bool
    {
        try {
            if ($this->limits->beginTry($sender, $this->clock->now())) {
                return true;
            }
            $line = 'Block not sent: order %s: too many cards of the sender %s were declined or refused';
            $this->log($line, order: $orderId, sender: $sender);
        } catch (\Throwable $error) {
            $line = 'Block not sent: order %s: a limit could not be counted: %s';
            $this->log($line, order: $orderId, error: $error);
        }
        return false;
    }

    /** A counter that fails must not hide from the shopper how the payment went. */
    private function endTry(string $orderId, ?string $sender, TryEnd $end): void
    {
        try {
            if ($this->limits->endTry($sender, $end, $this->clock->now())) {
                $this->log(
                    'More cards are declined than paid: somebody may be testing stolen cards',
                );
            }
        } catch (\Throwable $error) {
            $line = 'A limit could not be counted: order %s: %s';
            $this->log($line, order: $orderId, error: $error);
        }
    }

    /** @return array{Outcome, TryEnd} */
    private function attempt(
        Order $order,
        #[\SensitiveParameter] EncryptedCard $card,
        string $token,
    ): array {
        $draftId = null;
        while (true) {
            $now = $this->clock->now();
            $attempt = new NewAttempt($token, $card->keyId, $order, $now, $draftId);
            $decision = $this->orders->change(
                $order->id,
                static fn (?StoredOrder $stored): Decision => Decide::onBlock($stored, $attempt),
            );
            switch ($decision->next) {
                case Next::Authorize:
                    $intentId = (string) $decision->intentId;
                    return $this->authorize($order->id, $intentId, $card, $token);
                case Next::Wait:
                    $stored = $this->readSettled($order->id);
                    if ($stored?->state === State::Paying) {
                        return [Decide::outcomeOf($stored), TryEnd::Other];
                    }
                    break;
                case Next::CreateIntent:
                    $draftId = $this->createDraft($order);
                    if ($draftId === null) {
                        return [$this->refuse($order->id, $card->keyId), TryEnd::Other];
                    }
                    break;
                default:
                    $this->logRefusal($order->id, $card->keyId, $decision->outcome());
                    return [$decision->outcome(), TryEnd::Other];
            }
        }
    }

    /** Marks the block as never to be sent. */
    private function refuse(string $orderId, string $keyId): Outcome
    {
        $this->readSettled($orderId); // the same block may have come twice
        return $this->orders->change(
            $orderId,
            static fn (?StoredOrder $stored): Decision => Decide::onRefusal($stored, $keyId),
        )->outcome();
    }

    /** The id of a new intent; null if there is none: nothing was sent. */
    private function createDraft(Order $order): ?string
    {
        try {
            $draft = $this->payments->createIntent(
                $order->amount,
                $order->currency,
                $order->captureMethod,
                $order->description,
                self::randomId(),
                self::DRAFT_LIMIT_MS,
            );
            self::assertAsked($draft, $order);
            return $draft->id;
        } catch (\Throwable $error) {
            $line = 'Block not sent: order %s: no draft from the service: %s';
            $this->log($line, order: $order->id, error: $error);
            return null;
        }
    }

    /**
     * O16: a draft is used only if it is for what was asked.
     *
     * @throws Problem if it is not
     */
    private static function assertAsked(Intent $draft, Order $order): void
    {
        if ($draft->amount !== $order->amount) {
            throw new Problem('it made a draft for another amount');
        }
        if ($draft->currency !== $order->currency) {
            throw new Problem('it made a draft in another currency: '
                . 'write the currency as the service does, such as USD');
        }
        if ($draft->captureMethod !== $order->captureMethod) {
            throw new Problem('it made a draft with another capture_method');
        }
    }

    /** @return array{Outcome, TryEnd} */
    private function authorize(
        string $orderId,
        string $intentId,
        #[\SensitiveParameter] EncryptedCard $card,
        string $token,
    ): array {
        $answer = $this->askToAuthorize($intentId, $card);
        $decider = $this->decider($token);
        $keyId = $card->keyId;
        try {
            $decision = $this->orders->change(
                $orderId,
                static fn (?StoredOrder $stored): Decision =>
                    Decide::onAnswer($stored, $token, $keyId, $answer, $decider),
            );
        } catch (\Throwable $error) {
            if ($answer->intent !== null) {
                $line = 'Answer not stored: order %s, intent %s, status %s';
                $this->log($line, order: $orderId, intent: $intentId, status: $answer->intent->status);
            }
            throw $error;
        }
        $this->logDeclines($orderId, $decision);
        $outcome = $decision->outcome();
        if ($outcome->status === Status::NotCertain) {
            $this->logUncertain($orderId, $intentId);
        }
        return [$outcome, TryEnd::of($answer, $outcome)];
    }

    private function askToAuthorize(
        string $intentId,
        #[\SensitiveParameter] EncryptedCard $card,
    ): ServiceAnswer {
        try {
            $key = rawurlencode("$intentId.$card->keyId");
            return ServiceAnswer::intent($this->payments->authorize($intentId, $card, $key));
        } catch (\Throwable $error) {
            $line = 'Authorization failed: intent %s: %s';
            $this->log($line, intent: $intentId, error: $error);
            $isKeyError = $error instanceof CardPaymentsError && $error->errorCode !== null;
            return $isKeyError ? ServiceAnswer::keyError() : ServiceAnswer::unclear();
        }
    }

    /** How the payment went: for a reload, a receipt, another tab. It delivers what is due. */
    public function outcome(string $orderId): Outcome
    {
        try {
            $outcome = Decide::outcomeOf($this->readSettled($orderId));
            if ($outcome->isPaid()) {
                $this->deliver($orderId, self::randomId());
            }
            return $outcome->named($orderId);
        } catch (\Throwable $error) {
            return $this->storeFailed($orderId, $error);
        }
    }

    /**
     * Gives an order up for good, so that another order can take its place, or its money can come
     * in another way. Afterwards it gets no key, and no block of it is sent. It waits while a
     * payment of the order is under way.
     *
     * @return Outcome NoOrder if the order is withdrawn. Every other outcome says that it is not:
     *     it is paid, or may have been, or the store has failed.
     */
    public function withdraw(Order $order): Outcome
    {
        try {
            do {
                $this->readSettled($order->id); // its card may be declined
                $now = $this->clock->now();
                $decision = $this->orders->change(
                    $order->id,
                    fn (?StoredOrder $stored): Decision =>
                        Decide::onWithdraw($stored, $order, $now, $this->limitMs),
                );
            } while ($decision->next === Next::Wait);
            $store = $decision->store;
            return $store === null ? $this->outcome($order->id) : Decide::outcomeOf($store);
        } catch (\Throwable $error) {
            return $this->storeFailed($order->id, $error);
        }
    }

    private function storeFailed(string $orderId, \Throwable $error): Outcome
    {
        $this->log('The store failed: order %s: %s', order: $orderId, error: $error);
        return (new Outcome(Status::NotCertain))->named($orderId);
    }

    /**
     * For your staff, after "not certain": what has become of the intent. It changes nothing if the
     * order has another intent, is settled, or is being paid at the moment.
     *
     * @param string|Order $order its id; the whole order if its stored value is damaged
     * @throws Problem if the stored value is damaged, or another order's
     * @throws \Exception whatever the store throws: PDOException with PdoStore
     */
    public function resolve(string|Order $order, string $intentId, Resolution $resolution): Outcome
    {
        $orderId = is_string($order) ? $order : $order->id;
        $decider = $this->decider(self::randomId());
        $repair = is_string($order) ? null : static fn (): Decision =>
            Decide::onResolveUnreadable($order, $intentId, $resolution, $decider);
        $outcome = $this->orders->change(
            $orderId,
            static fn (?StoredOrder $stored): Decision =>
                Decide::onResolve($stored, $intentId, $resolution, $decider),
            $repair,
        )->outcome();
        if ($outcome->isPaid()) {
            $this->deliver($orderId, $decider->token);
        }
        return $outcome->named($orderId);
    }

    /**
     * Settles and delivers what it can, and reports every order that needed a look. Run it every
     * few minutes. It delivers what is paid before it looks anything up.
     *
     * @param (\Closure(string, string): string)|null $lookUp asks the service, or its records, for
     *     the status of an intent: it gets the intent's id and the order's. It says committed,
     *     authorized, failed or cancelled only if that is final; created opens the order for
     *     another try. If it throws, or says another word, nothing is concluded. After it has
     *     thrown three times in a row, this sweep asks no more. Without it, paid orders are
     *     delivered and the others reported.
     * @return list<SweptOrder>
     * @throws \Exception what the store throws if it cannot list orders: PDOException with PdoStore
     * @throws StoreContractError if the store lists an order again
     */
    public function sweep(?\Closure $lookUp = null): array
    {
        $swept = [];
        $unsettled = [];
        $seen = [];
        $after = '';
        do {
            $listed = $this->store->listDue(self::SWEPT_AT_ONCE, $after);
            foreach ($listed as $one) {
                $after = $one->orderId;
                if (isset($seen[$after])) {
                    throw new StoreContractError(
                        'listDue() must return only orders whose id comes after $after',
                    );
                }
                $seen[$after] = true;
                // Last: a service that does not answer must not hold up what is paid.
                if ($this->isUnsettled($one)) {
                    $unsettled[] = $one;
                } else {
                    $swept[] = $this->sweepOne($one, $lookUp);
                }
            }
        } while (count($listed) >= self::SWEPT_AT_ONCE);
        // Each time from another place on: three orders without an answer stop no others.
        $first = $this->clock->now() % max(1, count($unsettled));
        $inTurn = [...array_slice($unsettled, $first), ...array_slice($unsettled, 0, $first)];
        $this->unanswered = 0;
        foreach ($inTurn as $one) {
            $mayAsk = $this->unanswered < self::MOST_UNANSWERED;
            $swept[] = $this->sweepOne($one, $mayAsk ? $lookUp : null);
        }
        return $swept;
    }

    private function isUnsettled(ListedOrder $listed): bool
    {
        try {
            $stored = StoredValue::read($listed->value, $listed->orderId);
            return Decide::questionOf($stored, $this->decider('')) !== null;
        } catch (\Throwable) {
            return false; // sweepOne() reports what cannot be read
        }
    }

    private function sweepOne(ListedOrder $listed, ?\Closure $lookUp): SweptOrder
    {
        $orderId = $listed->orderId;
        $token = self::randomId();
        try {
            $stored = StoredValue::read($listed->value, $orderId);
            $found = $this->settleByLookUp($orderId, $stored, $lookUp, $token);
            $this->deliver($orderId, $token);
            return $this->reported($orderId, $this->orders->read($orderId), $found);
        } catch (\Throwable $error) {
            $this->log('Sweep: order %s: %s', order: $orderId, error: $error);
            $isUnreadable = $error instanceof Problem && !$error instanceof StoreContractError;
            return $isUnreadable
                ? new SweptOrder($orderId, null, 'unreadable', Left::Repair)
                : new SweptOrder($orderId, null, Status::NotCertain->value, Left::Wait);
        }
    }

    /** What the look-up said, if one was needed. */
    private function settleByLookUp(
        string $orderId,
        StoredOrder $listed,
        ?\Closure $lookUp,
        string $token,
    ): mixed {
        $decider = $this->decider($token);
        $question = Decide::questionOf($listed, $decider);
        if ($question === null || $lookUp === null) {
            return null;
        }
        try {
            $found = $lookUp($question->intentId, $orderId);
            $this->unanswered = 0;
        } catch (\Throwable $error) {
            $this->unanswered++;
            $line = 'The look-up of intent %s of order %s failed: %s';
            $this->log($line, intent: $question->intentId, order: $orderId, error: $error);
            return null;
        }
        $later = $this->decider($token);
        $decision = $this->orders->change(
            $orderId,
            static fn (?StoredOrder $stored): Decision =>
                Decide::onLookUp($stored, $question, $found, $later),
        );
        $this->logDeclines($orderId, $decision);
        return $found;
    }

    private function reported(string $orderId, ?StoredOrder $stored, mixed $found): SweptOrder
    {
        $status = Decide::outcomeOf($stored)->status->value;
        $intent = $stored?->intentId;
        if ($stored === null || !Decide::isDue($stored)) {
            return new SweptOrder($orderId, $intent, $status, Left::Nothing);
        }
        if (Decide::questionOf($stored, $this->decider('')) === null) {
            return new SweptOrder($orderId, $intent, $status, Left::Wait);
        }
        if ($stored->state === State::Open && $found === 'created') {
            return new SweptOrder($orderId, $intent, $status, Left::Cancel);
        }
        $this->logUncertain($orderId, $intent);
        return new SweptOrder($orderId, $intent, $status, Left::LookUp);
    }

    /**
     * Delivers a paid order, unless it is delivered, or somebody else does it just now. It never
     * throws: the next call that sees the order delivers it.
     */
    private function deliver(string $orderId, string $token): void
    {
        if ($this->onPaid === null) {
            return;
        }
        try {
            $decider = $this->decider($token);
            $decision = $this->orders->change(
                $orderId,
                static fn (?StoredOrder $stored): Decision => Decide::onDeliver($stored, $decider),
            );
            $order = $decision->order;
            $claim = $decision->claim;
            if ($order === null || $claim === null) {
                return;
            }
            // O12: the store may have been slow. Then somebody else may deliver by now.
            if ($this->clock->now() > $claim->until) {
                $this->deliver($orderId, $token);
                return;
            }
            ($this->onPaid)(
                new PaidOrder($orderId, $order->amount, $order->currency),
                new PaidOutcome($order->paid, (string) $order->intentId, $claim->tries),
            );
            $this->orders->change($orderId, Decide::onDelivered(...));
        } catch (\Throwable $error) {
            $this->log(
                'Not delivered yet: order %s: %s. $onPaid is called again when somebody asks for '
                . 'the order, or by sweep()',
                order: $orderId,
                error: $error,
            );
        }
    }

    /** Waits while an attempt is under way. */
    private function readSettled(string $orderId): ?StoredOrder
    {
        $stored = $this->orders->readSettled($orderId);
        if ($stored?->state === State::Paying) {
            // The process of the attempt may have ended: then it has logged nothing.
            $this->logUncertain($orderId, $stored->intentId);
        }
        return $stored;
    }

    /** Who counts as one sender; null if that is not known: then the log says so once an hour. */
    private function senderOf(?string $address): ?string
    {
        $sender = Sender::of($address);
        if ($sender === null && $this->limits->takeNote($this->clock->now())) {
            $this->log(
                'No limits by sender: '
                . ($address === null ? '' : 'the sender is a private address, or none. ')
                . 'Give the address of the client, as your outermost proxy saw it',
            );
        }
        return $sender;
    }

    private function decider(string $token): Decider
    {
        return new Decider($token, $this->clock->now(), $this->limitMs, $this->onPaid !== null);
    }

    /** For the staff, who look the intent up. */
    private function logUncertain(string $orderId, ?string $intentId): void
    {
        $this->log(
            'Payment not certain: order %s, intent %s. Find out what became of the intent: '
            . 'sweep(), or resolve()',
            order: $orderId,
            intent: $intentId,
        );
    }

    /** O13: for the staff, when the last card that may be tried is declined. */
    private function logDeclines(string $orderId, Decision $decision): void
    {
        $store = $decision->store;
        if ($store === null || !Decide::hasTooManyDeclines($store)) {
            return;
        }
        $this->log(
            $store->declines . ' cards of order %s were declined: no more are taken. '
            . 'Look at it, and withdraw it if the shopper is honest: then another order can begin',
            order: $orderId,
        );
    }

    private function logRefusal(string $orderId, string $keyId, Outcome $outcome): void
    {
        $why = self::REFUSALS[$outcome->status->value] ?? null;
        if ($why !== null) {
            $this->log("Block not sent: order %s, key %s: $why", order: $orderId, key: $keyId);
        }
    }

    /**
     * A line with ids, which are quoted, and errors, of which only codes are told. A logger gets the
     * ids as the context, too.
     *
     * @internal Handler has lines, too
     */
    public function log(string $line, string|\Throwable|null ...$parts): void
    {
        $texts = array_map(
            static fn (string|\Throwable|null $part): string =>
                $part instanceof \Throwable ? Lines::described($part) : Lines::quoted($part),
            array_values($parts),
        );
        $text = $parts === [] ? $line : sprintf($line, ...$texts);
        try {
            $this->logger === null
                ? error_log("Cardseal: $text")
                : $this->logger->warning($text, array_filter($parts, is_string(...)));
        } catch (\Throwable) {
            // A log that fails must not leave an order half done.
        }
    }

    private static function randomId(): string
    {
        return bin2hex(random_bytes(16));
    }
}
