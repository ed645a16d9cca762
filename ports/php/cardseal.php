<?php

/**
 * The merchant's half of a card payment, in PHP 8.0 or later: one file, made to be copied.
 *
 * It needs no package: only the extensions openssl, for https, and PDO with the driver of your
 * database (pdo_sqlite for sqliteStore).
 *
 * - Checkout is what a shop uses: a key for each form, and one charge for each order.
 * - PdoStore, sqliteStore(): where the orders are kept.
 * - CardPayments is a client of the Card Payment Service.
 * - browserKey() picks what a browser may see of an encryption key.
 * - parseEncryptedCard() accepts the encrypted card that the browser posts, and nothing else.
 *
 * Your server never sees a card. It forwards an encrypted block that only the service can open.
 */

declare(strict_types=1);

namespace Cardseal;

const SCHEME = 'RSA_OAEP_SHA256_V1';

/** By scheme, in the order of the specification: field, fewest and most bytes. */
const FIELDS = [
    SCHEME => [
        ['Pan', 12, 19],
        ['Name', 1, 446],
        ['ExpMonth', 2, 2],
        ['ExpYear', 4, 4],
        ['Cvc', 3, 4],
    ],
];

/**
 * Why a key or a block was refused. The message is fixed text: nothing of the input is in it, nor
 * in the stack trace.
 */
final class CardEncryptionError extends \Exception
{
    /** @param string $errorCode invalid_key, unsupported_scheme or invalid_encrypted_card */
    public function __construct(public string $errorCode, string $message)
    {
        parent::__construct($message);
        forgetArguments($this);
    }
}

// --- The checkout -------------------------------------------------------------------------------

/**
 * One payment, one charge: by the rules further down, whatever network, shopper, tabs, processes
 * and restarts do.
 *
 *     $checkout = new Checkout(
 *         new CardPayments($baseUrl, $secretKey),
 *         sqliteStore('/var/lib/shop/orders.sqlite'),
 *     );
 *
 * An order is an array, which you take from your own database and never from the browser:
 *
 *     ['id' => '1001', 'amount' => 2490, 'currency' => 'USD']
 *
 * - id: your own id of the order, from the shopper's session: one id for one purchase.
 * - amount: minor units; 1000 is 10.00 in a two-decimal currency.
 * - description: free text for the intent, if you like.
 * - capture_method: automatic (unless given) or manual.
 *
 * An outcome is an array with a status. Tell the shopper:
 *
 * - committed or authorized: paid. reference is the id of the intent.
 * - failed: declined, not paid; another card may be tried. reason is the service's, or null.
 * - not_paid: not paid; the card may be entered again.
 * - retry_is_safe: perhaps charged, perhaps not, but another try cannot charge twice.
 * - not_certain: perhaps charged. Show no form; your staff find out and call resolve().
 * - invalid_encrypted_card: what was posted is no encrypted card. Answer with status 400.
 * - open, only from outcome() and resolve(): show the form. With the note retry_is_safe: and its
 *   text.
 */
final class Checkout
{
    /** How long to wait before the order is read again while another attempt is on its way. */
    private const POLL_MS = 250;

    /** A store that never lets anybody write is broken. */
    private const MOST_WRITES = 20;

    public function __construct(private CardPayments $payments, private OrderStore $store)
    {
    }

    /**
     * A fresh key for the form of an order. Returns the status and the body to answer with, as JSON
     * and with Cache-Control: no-store.
     *
     * - 200: body is the key. With note: show the text of retry_is_safe beside the form.
     * - 409: body is an outcome. Nothing is left to pay, or it is not certain: show no form.
     * - 429: too many requests. retryAfter is in seconds, for the header Retry-After.
     * - 502: the service gave no key.
     *
     * @param array{id: string, amount: int, currency: string, ...} $order
     * @return array{status: int, body: array, note?: string, retryAfter?: int}
     * @throws \InvalidArgumentException if $order is none
     */
    public function issueKey(array $order): array
    {
        assertOrder($order);
        try {
            $stored = $this->readSettled($order['id']);
            $decision = onKeyRequested($stored, $order);
            if (isset($decision['outcome'])) {
                if (($stored['state'] ?? null) === 'open') {
                    // Something was sent for another amount: nobody can pay until staff have
                    // settled it.
                    self::logUncertain($order['id'], $stored['intentId']);
                }
                return ['status' => 409, 'body' => $decision['outcome']];
            }
            $seconds = $this->secondsToWait($order['id']);
            if ($seconds > 0) {
                $body = ['status' => 'too_many'];
                return ['status' => 429, 'body' => $body, 'retryAfter' => $seconds];
            }
            return $this->keyFor($order, $decision['order']['intentId'] === null);
        } catch (\Exception $error) {
            self::log("No key for order {$order['id']}", $error);
            return ['status' => 502, 'body' => ['status' => 'no_key']];
        }
    }

    private function keyFor(array $order, bool $needsIntent): array
    {
        try {
            $key = $this->payments->createEncryptionKey();
            $body = browserKey($key);
            $draftId = $needsIntent ? $this->createDraft($order) : null;
        } catch (\Exception $error) {
            self::log("No key for order {$order['id']}", $error);
            $current = outcomeOf($this->read($order['id']));
            return $current['status'] === 'open'
                ? ['status' => 502, 'body' => ['status' => 'no_key']]
                : ['status' => 409, 'body' => $current];
        }
        $decision = $this->change(
            $order['id'],
            static fn ($stored) => onKeyArrived($stored, $order, $key, $draftId),
        );
        if (isset($decision['outcome'])) {
            return ['status' => 409, 'body' => $decision['outcome']];
        }
        $note = $decision['order']['sent'] ? ['note' => 'retry_is_safe'] : [];
        return ['status' => 200, 'body' => $body] + $note;
    }

    /**
     * Pays an order with the block that a browser has posted.
     *
     * @param mixed $posted what parseEncryptedCard() takes: $_POST['encrypted_card'] ?? null of a
     *     form, or file_get_contents('php://input') of a JSON request
     * @return array the outcome. Nothing that a browser can send makes it throw.
     * @throws \InvalidArgumentException if $order is none
     */
    public function pay(array $order, #[\SensitiveParameter] mixed $posted): array
    {
        assertOrder($order);
        $block = readBlock($posted, FIELDS[SCHEME]);
        if ($block === null) {
            error_log('Refused: invalid_encrypted_card');
            return ['status' => 'invalid_encrypted_card'];
        }
        // The outcome has to be stored even if the shopper closes the page.
        $before = ignore_user_abort(true);
        try {
            return $this->payWith($order, $block);
        } catch (\Exception $error) {
            self::log("Payment not certain, the store failed: order {$order['id']}", $error);
            return NOT_CERTAIN;
        } finally {
            ignore_user_abort((bool) $before);
        }
    }

    private function payWith(array $order, #[\SensitiveParameter] array $block): array
    {
        $orderId = $order['id'];
        $attempt = [
            'token' => bin2hex(random_bytes(16)),
            'keyId' => $block['key_id'],
            'price' => $order,
            'draftId' => null,
        ];
        while (true) {
            $attempt['now'] = nowInMilliseconds();
            $decision = $this->change(
                $orderId,
                static fn ($stored) => onBlock($stored, $attempt),
            );
            switch ($decision['next']) {
                case 'answer':
                    $status = $decision['outcome']['status'];
                    if ($status === 'not_paid' || $status === 'not_certain') {
                        error_log("Block not sent: order $orderId, $status");
                    }
                    return $decision['outcome'];
                case 'authorize':
                    $answer = $this->authorize($decision['intentId'], $block);
                    $settle = static fn ($stored) => onAnswer($stored, $attempt, $answer);
                    $outcome = $this->change($orderId, $settle)['outcome'];
                    if ($outcome === NOT_CERTAIN) {
                        self::logUncertain($orderId, $decision['intentId']);
                    }
                    return $outcome;
                case 'wait':
                    $stored = $this->readSettled($orderId);
                    if ($stored['state'] === 'paying') {
                        return NOT_CERTAIN;
                    }
                    break;
                case 'create_intent':
                    try {
                        $attempt['draftId'] = $this->createDraft($order);
                    } catch (\Exception $error) {
                        self::log("No intent for order $orderId", $error);
                        $this->readSettled($orderId); // the same block may have come twice
                        $refuse = static fn ($stored) => onRefusal($stored, $block['key_id']);
                        return $this->change($orderId, $refuse)['outcome'];
                    }
            }
        }
    }

    /** Returns the id of a new intent. */
    private function createDraft(array $order): string
    {
        $draft = $this->payments->createIntent(
            $order['amount'],
            $order['currency'],
            $order['capture_method'] ?? null,
            $order['description'] ?? null,
            bin2hex(random_bytes(16)),
        );
        if (!isFor($draft, $order)) {
            throw new \RuntimeException('The service made an intent for another price');
        }
        return $draft['id'];
    }

    /** Sends the card on. Returns what onAnswer() needs to know of the answer. */
    private function authorize(string $intentId, #[\SensitiveParameter] array $block): array
    {
        try {
            $idempotencyKey = rawurlencode("$intentId.{$block['key_id']}");
            $intent = $this->payments->authorize($intentId, $block, $idempotencyKey);
            return ['kind' => 'intent', 'intent' => $intent];
        } catch (\Exception $error) {
            self::log("Authorization failed: $intentId", $error);
            $isKeyError = $error instanceof CardPaymentsError && $error->errorCode !== null;
            return ['kind' => $isKeyError ? 'key_error' : 'unclear'];
        }
    }

    /** How the payment went: for a reload, a receipt, another tab. */
    public function outcome(string $orderId): array
    {
        try {
            return outcomeOf($this->readSettled($orderId));
        } catch (\Exception $error) {
            self::log("The store failed: order $orderId", $error);
            return NOT_CERTAIN;
        }
    }

    /**
     * For your staff, after not_certain: what has become of the intent.
     *
     * @param string $truth committed, authorized, or not_paid: only if you have seen the intent as
     *     failed or cancelled
     * @return array the outcome now
     * @throws \Exception that of the store
     */
    public function resolve(string $orderId, string $intentId, string $truth): array
    {
        if (!in_array($truth, ['committed', 'authorized', 'not_paid'], true)) {
            throw new \InvalidArgumentException('truth must be committed, authorized or not_paid');
        }
        $isUnderWay = fn ($stored) => $this->isUnderWay($stored);
        $decide = static fn ($stored) => onResolve(
            $stored,
            $intentId,
            $truth,
            $isUnderWay($stored),
        );
        return $this->change($orderId, $decide)['outcome'];
    }

    // -- The store and the clock --

    private function read(string $orderId): ?array
    {
        return self::parse($this->store->read($orderId));
    }

    /** A value that does not parse must never count as a new order. */
    private static function parse(?array $entry): ?array
    {
        if ($entry === null) {
            return null;
        }
        $stored = json_decode($entry['value'], true);
        $states = ['open', 'paying', 'uncertain', 'paid'];
        if (!in_array($stored['state'] ?? null, $states, true)) {
            throw new \UnexpectedValueException('The store gave something else');
        }
        return $stored;
    }

    /** Waits while an attempt is on its way: its shopper may have reloaded, or has two tabs. */
    private function readSettled(string $orderId): ?array
    {
        $begin = nowInMilliseconds();
        while (true) {
            $stored = $this->read($orderId);
            // By this clock, whatever another server's says.
            $isOver = nowInMilliseconds() > $begin + $this->limitMs();
            if ($isOver || !$this->isUnderWay($stored)) {
                if ($stored !== null && $stored['state'] === 'paying') {
                    // The process of the attempt may have ended: then it has logged nothing.
                    self::logUncertain($orderId, $stored['intentId']);
                }
                return $stored;
            }
            usleep(self::POLL_MS * 1000);
        }
    }

    private function isUnderWay(?array $stored): bool
    {
        return $stored !== null && $stored['state'] === 'paying'
            // A start in the future is that of a clock which was wrong.
            && abs(nowInMilliseconds() - $stored['attempt']['startedAt']) <= $this->limitMs();
    }

    /** By then an attempt has its answer, unless its process has ended. */
    private function limitMs(): int
    {
        return $this->payments->timeoutMs() + 5000;
    }

    /**
     * Reads, decides and writes, until nobody else has written in between. If the answer of a write
     * is lost, the order is read and decided again: the decision sees what became of the write.
     */
    private function change(string $orderId, callable $decide): array
    {
        for ($write = 0; $write < self::MOST_WRITES; $write++) {
            $entry = $this->store->read($orderId);
            $decision = $decide(self::parse($entry));
            if (!isset($decision['store'])) {
                return $decision;
            }
            $value = json_encode($decision['store'], JSON_THROW_ON_ERROR);
            try {
                if ($this->store->write($orderId, $value, $entry['version'] ?? 0)) {
                    return $decision;
                }
            } catch (\Exception $error) {
                self::log("A write failed: order $orderId", $error);
            }
        }
        throw new \RuntimeException('The order could not be written');
    }

    /** Takes one key request of the limits; 0, or in how many seconds to ask again. */
    private function secondsToWait(string $orderId): int
    {
        return $this->takeOne(KEYS_OF . $orderId, KEYS_PER_ORDER)
            ?: $this->takeOne(KEYS_OF, KEYS_IN_ALL);
    }

    /** @param array{burst: int, perSecond: float} $rate */
    private function takeOne(string $counterId, array $rate): int
    {
        for ($write = 0; $write < self::MOST_WRITES; $write++) {
            $entry = $this->store->read($counterId);
            $counter = $entry === null ? null : json_decode($entry['value'], true);
            [$counter, $seconds] = afterOneMore($counter, $rate, nowInMilliseconds());
            if ($seconds > 0) {
                return $seconds;
            }
            $value = json_encode($counter, JSON_THROW_ON_ERROR);
            if ($this->store->write($counterId, $value, $entry['version'] ?? 0)) {
                return 0;
            }
        }
        return 1; // so many are asking at this moment
    }

    /** For the staff, who look the intent up. */
    private static function logUncertain(string $orderId, string $intentId): void
    {
        error_log("Payment not certain: order $orderId, intent $intentId");
    }

    /** Codes and ids, and never a message: an error can repeat what was posted. */
    private static function log(string $what, \Exception $error): void
    {
        $codes = $error instanceof CardPaymentsError
            ? [$error->recovery, $error->status, $error->errorCode]
            : [get_class($error)];
        error_log(implode(', ', array_filter([$what, ...$codes])));
    }
}

function assertOrder(array $order): void
{
    $id = $order['id'] ?? null;
    $amount = $order['amount'] ?? null;
    $currency = $order['currency'] ?? null;
    if (!is_string($id) || $id === '' || str_starts_with($id, KEYS_OF)) {
        throw new \InvalidArgumentException('The id of the order must be text');
    }
    if (!is_int($amount) || $amount < 0 || $amount >= 2 ** 53) {
        throw new \InvalidArgumentException('The amount must be a whole number of minor units');
    }
    if (!is_string($currency) || $currency === '') {
        throw new \InvalidArgumentException('The currency must be text');
    }
}

// --- The rules of an order ----------------------------------------------------------------------

/*
 * These functions know no network and no store: each takes what is stored of the order and what has
 * happened, and returns what to store (store, if something changes) and what comes next. They are
 * the same, name for name, as in src/checkout/decide.ts of the package and in cardseal.py.
 *
 * Stored is JSON, the same in every language. Nothing of a card is in it.
 *
 * - state: open (nothing is on its way), paying (one attempt is on its way to the service),
 *   uncertain (a card may have been charged; only people can find out), paid (nothing replaces it).
 * - amount, currency: what the order costs.
 * - paid: committed or authorized; null unless paid.
 * - intentId: the intent that is, or may have been, charged. A draft until sent. The service
 *   charges an intent at most once, so an order keeps its intent until it is certain that this
 *   intent can no longer be charged.
 * - sent: whether a block may have reached the service under this intent.
 * - attempt: token (random: tells one call of pay() from every other), keyId, startedAt
 *   (milliseconds); null in open and paid.
 * - keyErrors: how often the service has answered this intent with one of its three key errors.
 * - keys: those that pages of this order have: id, amount, currency, expiresAt (milliseconds),
 *   block (what became of the block under it: none, sent, declined, error, not_settled), and
 *   reason (the service's, of a decline, or null).
 */

const NOT_CERTAIN = ['status' => 'not_certain'];

/** For outcome(), and for a page that gets no key. */
function outcomeOf(?array $order): array
{
    if ($order === null) {
        return ['status' => 'open'];
    }
    if ($order['state'] === 'paid') {
        return ['status' => $order['paid'], 'reference' => $order['intentId']];
    }
    if ($order['state'] !== 'open') {
        return NOT_CERTAIN;
    }
    return ['status' => 'open'] + ($order['sent'] ? ['note' => 'retry_is_safe'] : []);
}

/** The outcome for a shopper who has posted a block under this key. */
function outcomeOfBlock(?array $order, string $keyId): array
{
    // The store has never had, or has lost, the order of this block.
    if ($order === null) {
        return NOT_CERTAIN;
    }
    if ($order['state'] !== 'open') {
        return outcomeOf($order);
    }
    $key = findKey($order, $keyId);
    // A block of another order may have been charged there.
    if ($key === null) {
        return NOT_CERTAIN;
    }
    if ($order['sent']) {
        return ['status' => 'retry_is_safe'];
    }
    return $key['block'] === 'declined'
        ? ['status' => 'failed', 'reason' => $key['reason']]
        : ['status' => 'not_paid'];
}

/**
 * A key is requested, to pay the price: an array with amount and currency.
 *
 * @return array{order: array}|array{outcome: array}
 */
function onKeyRequested(?array $stored, array $price): array
{
    $order = atPrice($stored, $price);
    if ($order['state'] !== 'open') {
        return ['outcome' => outcomeOf($order)];
    }
    // Something was sent for the other amount: its intent must be settled before a new one exists.
    return isFor($order, $price) ? ['order' => $order] : ['outcome' => NOT_CERTAIN];
}

/**
 * A key has arrived, and a draft if the order had no intent. The state may be another by now.
 *
 * @param array $key the service's answer
 * @return array{order: array, store?: array}|array{outcome: array}
 */
function onKeyArrived(?array $stored, array $price, array $key, ?string $draftId): array
{
    $decision = onKeyRequested($stored, $price);
    if (isset($decision['outcome'])) {
        return $decision;
    }
    $order = $decision['order'];
    // Only the answer of the write was lost; or the service gave the same key twice.
    if (findKey($order, $key['id']) !== null) {
        return ['order' => $order];
    }
    $fresh = [
        'id' => $key['id'],
        'amount' => $price['amount'],
        'currency' => $price['currency'],
        'expiresAt' => $key['expires_at'],
        'block' => 'none',
        'reason' => null,
    ];
    $store = ['intentId' => $order['intentId'] ?? $draftId] + $order;
    $store['keys'] = [...newestKeys($order['keys']), $fresh];
    return ['order' => $order, 'store' => $store];
}

/**
 * A block has come. The state is checked before the block.
 *
 * @param array{token: string, keyId: string, price: array, now: int, draftId: ?string} $attempt
 *     draftId: of a draft that was made for the price, because the order had no intent
 * @return array{next: string, store?: array, intentId?: string, outcome?: array} next is
 *     authorize, create_intent (and decide again), wait (until no attempt is on its way, and decide
 *     again; after the limit: not certain) or answer
 */
function onBlock(?array $stored, array $attempt): array
{
    ['token' => $token, 'keyId' => $keyId, 'price' => $price, 'now' => $now] = $attempt;
    if ($stored !== null && $stored['state'] === 'paying') {
        // Our own: only the answer of the write was lost.
        return $stored['attempt']['token'] === $token
            ? ['next' => 'authorize', 'intentId' => $stored['intentId']]
            : ['next' => 'wait'];
    }
    $order = $stored === null ? null : atPrice($stored, $price);
    $key = $order === null ? null : findKey($order, $keyId);
    $isGood = $key !== null
        && $order['state'] === 'open'
        && $key['block'] === 'none'
        && $now <= $key['expiresAt']
        && isFor($key, $price)
        && isFor($order, $price);
    if (!$isGood) {
        return ['next' => 'answer'] + onRefusal($stored, $keyId);
    }
    $intentId = $order['intentId'] ?? $attempt['draftId'];
    if ($intentId === null) {
        return ['next' => 'create_intent'];
    }
    $paying = [
        'state' => 'paying',
        'intentId' => $intentId,
        'sent' => true,
        'attempt' => ['token' => $token, 'keyId' => $keyId, 'startedAt' => $now],
    ];
    $store = $paying + withBlock($order, $keyId, 'sent');
    return ['next' => 'authorize', 'intentId' => $intentId, 'store' => $store];
}

/**
 * A block is not sent now. The shopper may read that nothing was paid, so it must never be sent
 * later either: it may come again, or come twice at once.
 */
function onRefusal(?array $stored, string $keyId): array
{
    $outcome = outcomeOfBlock($stored, $keyId);
    $isOpen = $stored !== null && $stored['state'] === 'open';
    $isUnused = $isOpen && (findKey($stored, $keyId)['block'] ?? null) === 'none';
    return ($isUnused ? ['store' => withBlock($stored, $keyId, 'error')] : [])
        + ['outcome' => $outcome];
}

/**
 * The service has answered an attempt, or has not answered it in time.
 *
 * @param array $answer kind is intent (200 with the intent in question), key_error (one of the
 *     specification's three errors) or unclear (everything else, no answer included)
 * @return array{outcome: array, store?: array}
 */
function onAnswer(?array $stored, array $attempt, array $answer): array
{
    ['token' => $token, 'keyId' => $keyId] = $attempt;
    // A late answer of an attempt that was replaced, or a write whose answer was lost.
    if (($stored['attempt']['token'] ?? null) !== $token) {
        return ['outcome' => outcomeOfBlock($stored, $keyId)];
    }
    $store = afterAnswer($stored, $keyId, $answer);
    return ['store' => $store, 'outcome' => outcomeOfBlock($store, $keyId)];
}

function afterAnswer(array $order, string $keyId, array $answer): array
{
    ['kind' => $kind] = $answer;
    $intent = $answer['intent'] ?? null;
    if ($intent !== null && $intent['id'] === $order['intentId'] && isFor($order, $intent)) {
        ['status' => $status, 'failure_reason' => $reason] = $intent;
        if ($status === 'committed' || $status === 'authorized') {
            return asPaid($order, $status);
        }
        if ($status === 'failed') {
            return withoutIntent(withBlock($order, $keyId, 'declined', $reason));
        }
    }
    // A proxy may answer so after the charge. Then another try under the same intent cannot charge.
    if ($kind === 'key_error' && $order['keyErrors'] === 0) {
        return ['state' => 'open', 'attempt' => null, 'keyErrors' => 1]
            + withBlock($order, $keyId, 'error');
    }
    return ['state' => 'uncertain'] + withBlock($order, $keyId, 'not_settled');
}

/**
 * Staff say what became of an intent.
 *
 * @param string $truth committed, authorized, or not_paid: only after the intent was seen as failed
 *     or cancelled
 * @param bool $isUnderWay whether the answer of an attempt may still come
 * @return array{outcome: array, store?: array}
 */
function onResolve(?array $stored, string $intentId, string $truth, bool $isUnderWay): array
{
    $isUnsettled = $stored !== null
        && $stored['intentId'] === $intentId
        && $stored['sent']
        && $stored['state'] !== 'paid'
        && !$isUnderWay;
    if (!$isUnsettled) {
        return ['outcome' => outcomeOf($stored)];
    }
    $store = $truth === 'not_paid' ? withoutIntent($stored) : asPaid($stored, $truth);
    return ['store' => $store, 'outcome' => outcomeOf($store)];
}

/** An order that is new; or one with another price, if nothing was sent for the old one. */
function atPrice(?array $stored, array $price): array
{
    ['amount' => $amount, 'currency' => $currency] = $price;
    if ($stored === null) {
        return [
            'state' => 'open',
            'amount' => $amount,
            'currency' => $currency,
            'paid' => null,
            'intentId' => null,
            'sent' => false,
            'attempt' => null,
            'keyErrors' => 0,
            'keys' => [],
        ];
    }
    if ($stored['state'] !== 'open' || $stored['sent'] || isFor($stored, $price)) {
        return $stored;
    }
    return ['amount' => $amount, 'currency' => $currency, 'intentId' => null] + $stored;
}

function asPaid(array $order, string $paid): array
{
    return ['state' => 'paid', 'paid' => $paid, 'attempt' => null] + $order;
}

/** The intent is dead: a new one may be made. The keys stay used. */
function withoutIntent(array $order): array
{
    $open = ['state' => 'open', 'intentId' => null, 'sent' => false, 'attempt' => null];
    return $open + ['keyErrors' => 0] + $order;
}

function withBlock(array $order, string $keyId, string $block, ?string $reason = null): array
{
    foreach ($order['keys'] as $i => $key) {
        if ($key['id'] === $keyId) {
            $order['keys'][$i] = ['block' => $block, 'reason' => $reason] + $key;
        }
    }
    return $order;
}

function findKey(array $order, string $keyId): ?array
{
    foreach ($order['keys'] as $key) {
        if ($key['id'] === $keyId) {
            return $key;
        }
    }
    return null;
}

/** Whether two things have the same price. "==": 1000 and 1000.0 are the same number in JSON. */
function isFor(array $one, array $other): bool
{
    return $one['amount'] == $other['amount'] && $one['currency'] === $other['currency'];
}

/** More pages than these are not waiting for a card. Without a bound, the order would grow. */
const UNUSED_KEYS = 50;

/** All keys that took a card, and the newest of the others. */
function newestKeys(array $keys): array
{
    $isUnused = static fn ($key): bool => $key['block'] === 'none';
    $dropped = array_slice(array_filter($keys, $isUnused), 0, -UNUSED_KEYS);
    return array_values(array_filter($keys, static fn ($key): bool => !in_array($key, $dropped)));
}

// --- The limits of key requests -----------------------------------------------------------------

/*
 * Making a key costs the service work. One shopper must not keep the others waiting. PHP shares
 * nothing between two requests, so the counters are in the store, beside the orders.
 */

/** So many requests at once, and then so many in a second. */
const KEYS_PER_ORDER = ['burst' => 6, 'perSecond' => 0.2];
const KEYS_IN_ALL = ['burst' => 40, 'perSecond' => 10];

/** In the store, the counter of an order has this before its id. The counter of all is this. */
const KEYS_OF = 'cardseal-keys:';

/**
 * @param array{left: float, at: int}|null $counter what was left of the rate, at a time in
 *     milliseconds
 * @return array{array, int} the counter after one more request, and 0; or in how many seconds to
 *     ask again
 */
function afterOneMore(?array $counter, array $rate, int $now): array
{
    $left = $rate['burst'];
    if ($counter !== null) {
        $passed = abs($now - $counter['at']) / 1000; // a clock may be set back
        $left = min($left, $counter['left'] + $passed * $rate['perSecond']);
    }
    $seconds = $left < 1 ? (int) ceil((1 - $left) / $rate['perSecond']) : 0;
    return [['left' => $left - 1, 'at' => $now], $seconds];
}

// --- The stores ---------------------------------------------------------------------------------

/**
 * Where orders are kept. A store must keep what it has acknowledged: a cache that forgets is no
 * store. Every process of the shop must see the same one.
 */
interface OrderStore
{
    /**
     * The newest value of an order; null if the order was never written.
     *
     * @return array{value: string, version: int}|null
     */
    public function read(string $orderId): ?array;

    /**
     * Replaces the value, in one step, only if its version is still $version; 0 stands for an order
     * that was never written. The new version is higher, also over restarts.
     *
     * @param string $value JSON text of a few KiB. Nothing of a card is in it.
     * @return bool false if somebody else has written: nothing was changed
     */
    public function write(string $orderId, string $value, int $version): bool;
}

/**
 * Keeps orders in a database. Create the table once. PostgreSQL and SQLite:
 *
 *     CREATE TABLE cardseal_orders (
 *         id TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL)
 *
 * MySQL and MariaDB, where text is compared without regard to case unless you say otherwise:
 *
 *     CREATE TABLE cardseal_orders (
 *         id VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
 *         value MEDIUMTEXT NOT NULL, version INTEGER NOT NULL)
 *
 * The connection must reach the primary server, not a replica, and must have no transaction open:
 * what is written has to be in the database before the card is sent on.
 */
final class PdoStore implements OrderStore
{
    /** @throws \InvalidArgumentException if $pdo hides its errors */
    public function __construct(private \PDO $pdo)
    {
        if ($pdo->getAttribute(\PDO::ATTR_ERRMODE) !== \PDO::ERRMODE_EXCEPTION) {
            throw new \InvalidArgumentException('PDO must be in ERRMODE_EXCEPTION');
        }
    }

    public function read(string $orderId): ?array
    {
        $rows = $this->run('SELECT value, version FROM cardseal_orders WHERE id = ?', [$orderId]);
        $row = $rows->fetch(\PDO::FETCH_ASSOC);
        $rows->closeCursor();
        return $row === false
            ? null
            : ['value' => (string) $row['value'], 'version' => (int) $row['version']];
    }

    public function write(string $orderId, string $value, int $version): bool
    {
        if ($version > 0) {
            $update = 'UPDATE cardseal_orders SET value = ?, version = ? '
                . 'WHERE id = ? AND version = ?';
            $done = $this->run($update, [$value, $version + 1, $orderId, $version]);
            return $done->rowCount() === 1;
        }
        try {
            $insert = 'INSERT INTO cardseal_orders (id, value, version) VALUES (?, ?, 1)';
            $this->run($insert, [$orderId, $value]);
            return true;
        } catch (\PDOException $error) {
            if ($this->read($orderId) === null) {
                throw $error;
            }
            return false; // somebody else was first: an id comes only once
        }
    }

    private function run(string $sql, array $values): \PDOStatement
    {
        if ($this->pdo->inTransaction()) {
            throw new \LogicException('The store needs a connection without a transaction');
        }
        $statement = $this->pdo->prepare($sql);
        $statement->execute($values);
        return $statement;
    }
}

/**
 * Keeps orders in a file of SQLite, which it creates: for a shop on one machine.
 *
 * @param string $path a file that lasts, that the web server can write and does not send to anybody
 */
function sqliteStore(string $path): PdoStore
{
    $pdo = new \PDO("sqlite:$path", null, null, [
        \PDO::ATTR_ERRMODE => \PDO::ERRMODE_EXCEPTION,
        \PDO::ATTR_TIMEOUT => 10, // seconds, while another process writes
    ]);
    $pdo->exec('PRAGMA synchronous = FULL'); // what was acknowledged survives a loss of power
    $pdo->exec('CREATE TABLE IF NOT EXISTS cardseal_orders ('
        . 'id TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL)');
    return new PdoStore($pdo);
}

// --- The key ------------------------------------------------------------------------------------

/**
 * Returns what a browser may see of the service's answer: id, scheme and public_key.
 *
 * expires_at and everything else stay on the server: keep id and expires_at in the shopper's
 * session, for parseEncryptedCard().
 *
 * @param mixed $key the answer, as an array (CardPayments) or as an object (json_decode)
 * @param string[] $accepted the schemes that the page can encrypt under. A new scheme has to be
 *     added here, so that an update of the service never reaches a page that does not know it.
 * @return array{id: string, scheme: string, public_key: string}
 * @throws CardEncryptionError invalid_key if this is not the service's answer; unsupported_scheme
 *     if its scheme is not accepted, or this file does not know it
 */
function browserKey(mixed $key, array $accepted = [SCHEME]): array
{
    $answer = $key instanceof \stdClass ? get_object_vars($key) : $key;
    $picked = [];
    foreach (['id', 'scheme', 'public_key'] as $name) {
        $value = is_array($answer) ? ($answer[$name] ?? null) : null;
        if (!is_string($value) || $value === '') {
            throw new CardEncryptionError(
                'invalid_key',
                "This is not the service's answer: id, scheme and public_key must be text",
            );
        }
        $picked[$name] = $value;
    }
    $isAccepted = in_array($picked['scheme'], $accepted, true);
    if (!$isAccepted || !isset(FIELDS[$picked['scheme']])) {
        throw new CardEncryptionError(
            'unsupported_scheme',
            'The page does not know the scheme of this key',
        );
    }
    return $picked;
}

// --- The block ----------------------------------------------------------------------------------

/** A real block takes less than 1,200 characters. */
const MAX_TEXT = 4096;

/**
 * Returns the encrypted card that $body holds, as the body for CardPayments::authorize().
 *
 * Hand it what the browser posted before anything has parsed or logged it:
 * $_POST['encrypted_card'], or file_get_contents('php://input') of a JSON request. Text counts
 * only as the browser's JSON.stringify writes it: no spaces, no property twice. A value of
 * json_decode($text) is accepted, too. One of json_decode($text, true) is not: PHP's arrays no
 * longer say whether they were an object or a list.
 *
 * $keyId and $expiresAt are what the shopper's session remembers of the key: id and expires_at
 * (milliseconds) of the service's answer. null, for a session that has no key, matches nothing.
 *
 *     parseEncryptedCard(
 *         $_POST['encrypted_card'] ?? null,
 *         keyId: $_SESSION['key_id'] ?? null,
 *         expiresAt: $_SESSION['key_expires_at'] ?? null,
 *     );
 *
 * @return array{payload: string, key_id: string, layout: list<array{field: string, len: int}>}
 * @throws CardEncryptionError invalid_encrypted_card for everything else: above all for a card in
 *     clear text, for a block under another key, and after $expiresAt
 */
function parseEncryptedCard(
    #[\SensitiveParameter] mixed $body,
    ?string $keyId,
    int|float|null $expiresAt,
    string $scheme = SCHEME,
): array {
    $block = readBlock($body, FIELDS[$scheme] ?? null);
    if ($block === null) {
        throw refusal('This is not an encrypted card block, as the card form makes it');
    }
    if ($block['key_id'] !== $keyId) {
        throw refusal('The card was not encrypted under the key of this checkout');
    }
    // Written so that null and NAN count as expired.
    if ($expiresAt === null || !(nowInMilliseconds() <= $expiresAt)) {
        throw refusal('The key of this checkout has expired: start it again with a fresh one');
    }
    return $block;
}

function refusal(string $message): CardEncryptionError
{
    return new CardEncryptionError('invalid_encrypted_card', $message);
}

/**
 * The block, checked and copied; null if anything about it is wrong.
 *
 * @param list<array{string, int, int}>|null $fields
 */
function readBlock(#[\SensitiveParameter] mixed $body, ?array $fields): ?array
{
    $value = is_string($body) ? parseText($body) : $body;
    if ($fields === null || !hasExactly($value, ['payload', 'key_id', 'layout'])) {
        return null;
    }
    ['payload' => $payload, 'key_id' => $keyId, 'layout' => $entries] = get_object_vars($value);
    if (!is_string($payload) || !is_string($keyId) || $keyId === '' || !is_array($entries)) {
        return null;
    }
    // json_decode makes an array only of a JSON array: the numbers from 0 on are its keys.
    if (array_keys($entries) !== array_keys($fields)) {
        return null;
    }
    $layout = [];
    foreach ($fields as $i => [$field, $fewest, $most]) {
        if (!hasExactly($entries[$i], ['field', 'len'])) {
            return null;
        }
        $length = wholeNumber($entries[$i]->len);
        if ($entries[$i]->field !== $field || $length === null) {
            return null;
        }
        if ($length < $fewest || $length > $most) {
            return null;
        }
        $layout[] = ['field' => $field, 'len' => $length];
    }
    // RSA-OAEP with SHA-256 takes 66 bytes of the modulus for itself: RFC 8017, section 7.1.1.
    if (array_sum(array_column($layout, 'len')) > modulusLength($payload) - 66) {
        return null;
    }
    return ['payload' => $payload, 'key_id' => $keyId, 'layout' => $layout];
}

/**
 * The value of JSON text that is exactly what JavaScript's JSON.stringify would write, else null.
 *
 * Of a property that comes twice a parser keeps only the last one. The first could be a card
 * number on its way to your logs; here the text would not come out the same.
 */
function parseText(#[\SensitiveParameter] string $text): mixed
{
    if (strlen($text) > 3 * MAX_TEXT || utf16Length($text) > MAX_TEXT) {
        return null;
    }
    $value = json_decode($text);
    $asBrowsersWriteIt = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS;
    return json_encode($value, $asBrowsersWriteIt) === $text ? $value : null;
}

/** As JavaScript counts: UTF-16 units, of which most emoji are two. Needs no extension. */
function utf16Length(#[\SensitiveParameter] string $utf8): int
{
    // All bytes but the second and later ones of a character; and those of four bytes once more.
    return preg_match_all('/[^\x80-\xBF]/', $utf8) + preg_match_all('/[\xF0-\xF7]/', $utf8);
}

/** Exactly these properties: whatever else stands in a block could be a card in clear text. */
function hasExactly(#[\SensitiveParameter] mixed $value, array $names): bool
{
    if (!$value instanceof \stdClass) {
        return false;
    }
    $found = array_keys(get_object_vars($value));
    return count($found) === count($names) && array_diff($names, $found) === [];
}

/** 16 for 16 and for 16.0, which are the same number in JSON; null for anything else. */
function wholeNumber(mixed $value): ?int
{
    if (is_float($value) && floor($value) === $value && abs($value) < 2 ** 53) {
        return (int) $value;
    }
    return is_int($value) ? $value : null;
}

/** The length of the ciphertext in bytes; 0 if no key of 2048, 3072 or 4096 bits has it. */
function modulusLength(#[\SensitiveParameter] string $payload): int
{
    if (strlen($payload) > 684) {
        return 0;
    }
    $ciphertext = (string) base64_decode($payload, true);
    // Base64 can say the same in several ways; only one of them is what the browser makes.
    $isCanonical = base64_encode($ciphertext) === $payload;
    $length = strlen($ciphertext);
    return $isCanonical && in_array($length, [256, 384, 512], true) ? $length : 0;
}

function nowInMilliseconds(): int
{
    return (int) date_create()->format('Uv');
}

/**
 * PHP keeps the arguments of every function on the stack in the trace of an exception, and with
 * them a posted body or the secret key, unless php.ini has zend.exception_ignore_args=On. They
 * are removed here, so that no error page and no error tracker shows them.
 */
function forgetArguments(\Exception $error): void
{
    $trace = new \ReflectionProperty(\Exception::class, 'trace');
    if (PHP_VERSION_ID < 80100) {
        $trace->setAccessible(true);
    }
    $frames = [];
    foreach ($error->getTrace() as $frame) {
        unset($frame['args']);
        $frames[] = $frame;
    }
    $trace->setValue($error, $frames);
}

// --- The service --------------------------------------------------------------------------------

/**
 * A request that failed. The message is fixed text, without a secret and without a card.
 *
 * $recovery says what to do:
 *
 * - restart_checkout: request a new key and show the card form again. Only the shopper has the
 *   card.
 * - forward_key_id: fix your code. The id of the key must come back unmodified.
 * - check_layout: fix your code, or somebody changed the block on its way.
 * - resolve_intent: THE OUTCOME IS UNKNOWN. The shopper may have paid. Find out what became of the
 *   intent $intentId, and do not ask for the card again before that.
 * - ask_again: no key or draft came. Nobody was charged; it can be requested again.
 * - not_specified: refused for a reason that the specification does not show, see $status.
 */
final class CardPaymentsError extends \Exception
{
    /**
     * @param int|null $status the HTTP status, if there was an answer
     * @param string|null $errorCode one of the codes that the specification shows
     * @param string|null $intentId the intent that was to be authorized
     */
    public function __construct(
        string $message,
        public string $recovery,
        public ?int $status = null,
        public ?string $errorCode = null,
        public ?string $intentId = null,
    ) {
        parent::__construct($message);
        forgetArguments($this);
    }
}

/**
 * A client of the Card Payment Service.
 *
 * - A decline is an outcome, not an error: authorize() returns an intent in "failed".
 * - Nothing is ever tried again by itself: a second request could be a second payment.
 * - The secret key goes to the base address only, and is in no error and no log, nor in what
 *   print_r, var_dump, var_export or serialize show of this object.
 */
class CardPayments
{
    /** What to do about an error of authorize(), as the specification says it ("Errors"). */
    private const RECOVERIES = [
        'encryption_key_expired' => 'restart_checkout',
        'unknown_encryption_key' => 'forward_key_id',
        'invalid_encryption_block' => 'check_layout',
    ];

    /** The key, the intent and the errors of the specification take less than 2 KiB. */
    private const MAX_ANSWER_BYTES = 64 * 1024;

    /** Such as tls://api.example.com:443. */
    private string $address;
    private string $hostHeader;
    private string $path;
    private int $timeoutMs;
    /** Gives the header. A function, so that print_r, var_export or serialize cannot show it. */
    private \Closure $authorization;

    /**
     * @param string $baseUrl https, or http on localhost, 127.0.0.1 and [::1]
     * @param string $secretKey begins with sk_test_ or sk_live_
     * @param int $timeoutMs how long a request may take, with its answer, in milliseconds
     * @throws \InvalidArgumentException if one of them is not that
     */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        #[\SensitiveParameter] string $secretKey,
        int $timeoutMs = 30_000,
    ) {
        $host = '[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]';
        $url = "~^(https?)://($host)(?::(\d{1,5}))?((?:/[\w.\~-]*)*)$~D";
        $isUrl = preg_match($url, $baseUrl, $base) === 1;
        if (!$isUrl || !self::isSecure($base[1], $base[2])) {
            throw self::invalid('baseUrl must be https, or http to this machine, '
                . 'and have no credentials, query or fragment');
        }
        if (preg_match('/^sk_(test|live)_[!-~]+$/D', $secretKey) !== 1) {
            throw self::invalid('secretKey must begin with sk_test_ or sk_live_');
        }
        if ($timeoutMs < 1 || $timeoutMs > 600_000) {
            throw self::invalid('timeoutMs must be milliseconds, 600,000 at most');
        }
        $isHttps = $base[1] === 'https';
        $port = $base[3] !== '' ? $base[3] : ($isHttps ? '443' : '80');
        $this->address = ($isHttps ? 'tls' : 'tcp') . "://$base[2]:$port";
        $this->hostHeader = $base[3] !== '' ? "$base[2]:$port" : $base[2];
        $this->path = rtrim($base[4], '/');
        $this->timeoutMs = $timeoutMs;
        $this->authorization = static fn (): string => "Bearer $secretKey";
    }

    /** What var_dump and print_r show. */
    public function __debugInfo(): array
    {
        return [];
    }

    /** How long a request may take, with its answer, in milliseconds. */
    public function timeoutMs(): int
    {
        return $this->timeoutMs;
    }

    /**
     * A fresh encryption key, for one checkout session. Give the browser no more of it than
     * browserKey() returns.
     *
     * @return array{id: string, scheme: string, public_key: string, expires_at: int}
     * @throws CardPaymentsError
     */
    public function createEncryptionKey(): array
    {
        return $this->post('/payments/card/encryption-keys', 201, [self::class, 'isEncryptionKey']);
    }

    /**
     * A draft that fixes amount and currency. No card is involved.
     *
     * @param int $amount minor units: 1000 is 10.00 USD
     * @param string|null $captureMethod automatic unless given
     * @param string|null $idempotencyKey visible ASCII, such as bin2hex(random_bytes(16))
     * @return array the intent
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if the amount is none
     */
    public function createIntent(
        int $amount,
        string $currency,
        ?string $captureMethod = null,
        ?string $description = null,
        ?string $idempotencyKey = null,
    ): array {
        if ($amount < 0 || $amount >= 2 ** 53) {
            throw self::invalid('amount must be a whole number of minor units');
        }
        $draft = ['amount' => $amount, 'currency' => $currency];
        if ($captureMethod !== null) {
            $draft['capture_method'] = $captureMethod;
        }
        if ($description !== null) {
            $draft['description'] = $description;
        }
        $isIntent = [self::class, 'isIntent'];
        return $this->post('/payments/card', 201, $isIntent, $draft, $idempotencyKey);
    }

    /**
     * Charges or reserves the amount of an intent in "created", and returns the intent.
     *
     * Look at its status: "committed" (charged), "authorized" (reserved, with the capture method
     * "manual") or "failed" (declined; failure_reason says why).
     *
     * @param array $card what parseEncryptedCard() returned. Never log or keep it.
     * @return array the intent
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if the id is none of an intent
     */
    public function authorize(
        string $intentId,
        #[\SensitiveParameter] array $card,
        ?string $idempotencyKey = null,
    ): array {
        if (!self::isIntentId($intentId)) {
            throw self::invalid('intentId must be the id of a card payment intent');
        }
        $layout = [];
        foreach ($card['layout'] as $entry) {
            $layout[] = ['field' => $entry['field'], 'len' => $entry['len']];
        }
        return $this->post(
            "/payments/card/$intentId/authorize",
            200,
            static fn ($answer): bool => self::isIntent($answer) && $answer->id === $intentId,
            ['payload' => $card['payload'], 'key_id' => $card['key_id'], 'layout' => $layout],
            $idempotencyKey,
            $intentId,
        );
    }

    private function post(
        string $path,
        int $success,
        callable $isAnswer,
        #[\SensitiveParameter] ?array $body = null,
        ?string $idempotencyKey = null,
        ?string $intentId = null,
    ): array {
        if ($idempotencyKey !== null && preg_match('/^[!-~]+$/D', $idempotencyKey) !== 1) {
            throw self::invalid('idempotencyKey must be visible ASCII characters');
        }
        $content = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
        $headers = [
            'Host' => $this->hostHeader,
            'Authorization' => ($this->authorization)(),
            'Accept' => 'application/json',
            'Accept-Encoding' => 'identity', // without it, any is allowed
            'Content-Length' => strlen($content),
            'Connection' => 'close',
        ];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $request = "POST $this->path$path HTTP/1.1\r\n";
        foreach ($headers as $name => $value) {
            $request .= "$name: $value\r\n";
        }

        [$status, $text] = $this->exchange("$request\r\n$content");
        if ($status === $success && $text !== null && $isAnswer(json_decode($text))) {
            return json_decode($text, true);
        }
        if ($status >= 400 && $status < 500 && $text !== null) {
            $code = self::encryptionErrorCode($text);
            $recovery = self::RECOVERIES[$code] ?? 'not_specified';
            $message = 'The service refused the request';
            throw new CardPaymentsError($message, $recovery, $status, $code, $intentId);
        }
        // A lost answer may have been a payment. A lost key or draft charges nobody.
        $recovery = $intentId === null ? 'ask_again' : 'resolve_intent';
        $message = 'The service did not answer as specified, or not in time';
        throw new CardPaymentsError($message, $recovery, $status, null, $intentId);
    }

    /**
     * Sends one request and returns the status and the body of the answer, as readAnswer() does.
     *
     * By hand, because PHP's http:// streams have no limit for the whole exchange (theirs starts
     * again with each byte) and the curl extension is not everywhere.
     *
     * @return array{int|null, string|null}
     */
    private function exchange(#[\SensitiveParameter] string $request): array
    {
        $deadline = hrtime(true) + $this->timeoutMs * 1_000_000;
        $tls = ['verify_peer' => true, 'verify_peer_name' => true, 'allow_self_signed' => false];
        // "@": a warning would go to the log, or into the page.
        $socket = @stream_socket_client(
            $this->address,
            $errorNumber,
            $errorText,
            $this->timeoutMs / 1000,
            STREAM_CLIENT_CONNECT,
            stream_context_create(['ssl' => $tls]),
        );
        if ($socket === false) {
            return [null, null];
        }
        if (hrtime(true) >= $deadline) {
            // The connection and its TLS handshake may take that time each.
            fclose($socket);
            return [null, null];
        }
        $answer = '';
        $read = [null, null];
        $sent = @fwrite($socket, $request);
        while ($sent === strlen($request) && strlen($answer) <= self::MAX_ANSWER_BYTES) {
            $left = $deadline - hrtime(true);
            if ($left <= 0) {
                break;
            }
            $seconds = intdiv($left, 1_000_000_000);
            $microseconds = intdiv($left % 1_000_000_000, 1000);
            stream_set_timeout($socket, $seconds, max($microseconds, 1));
            $chunk = (string) @fread($socket, 8192);
            $answer .= $chunk;
            $isClosed = $chunk === ''
                && feof($socket)
                && !stream_get_meta_data($socket)['timed_out'];
            $read = self::readAnswer($answer, $isClosed);
            if ($chunk === '' || $read[1] !== null) {
                break;
            }
        }
        fclose($socket);
        return $read;
    }

    /**
     * The status and the body of an HTTP answer; the body is null if part of it is missing. An
     * answer says how long it is, or ends with the connection.
     * No redirect is followed: another host would get the secret key.
     *
     * @return array{int|null, string|null}
     */
    private static function readAnswer(string $answer, bool $isClosed): array
    {
        [$head, $body] = explode("\r\n\r\n", $answer, 2) + ['', null];
        if (preg_match('~^HTTP/1\.[01] (\d{3})\b~', $head, $line) !== 1) {
            return [null, null];
        }
        $status = (int) $line[1];
        if ($status >= 100 && $status < 200) {
            // An interim answer; the real one follows.
            return self::readAnswer($body ?? '', $isClosed);
        }
        if ($body === null) {
            return [$status, null];
        }
        if (preg_match('~\r\nTransfer-Encoding:[ \t]*chunked[ \t]*(\r|$)~i', $head) === 1) {
            return [$status, self::joinChunks($body)];
        }
        if (preg_match('~\r\nContent-Length:[ \t]*(\d+)[ \t]*(\r|$)~i', $head, $length) === 1) {
            $isWhole = strlen($body) >= (int) $length[1];
            return [$status, $isWhole ? substr($body, 0, (int) $length[1]) : null];
        }
        return [$status, $isClosed ? $body : null];
    }

    /** RFC 9112, section 7.1; null if the last chunk is missing. */
    private static function joinChunks(string $chunks): ?string
    {
        $body = '';
        $at = 0;
        while (preg_match('~\G([0-9A-Fa-f]{1,6})[^\r\n]*\r\n~', $chunks, $line, 0, $at) === 1) {
            $size = (int) hexdec($line[1]);
            if ($size === 0) {
                return $body;
            }
            $at += strlen($line[0]);
            $body .= substr($chunks, $at, $size);
            $at += $size;
            if (substr($chunks, $at, 2) !== "\r\n") {
                return null;
            }
            $at += 2;
        }
        return null;
    }

    /** The envelope of errors is not specified: the code may stand anywhere. Two are none. */
    private static function encryptionErrorCode(string $text): ?string
    {
        $found = [];
        $answer = [json_decode($text, true)];
        array_walk_recursive($answer, static function ($value) use (&$found): void {
            if (is_string($value) && isset(self::RECOVERIES[$value])) {
                $found[$value] = true;
            }
        });
        return count($found) === 1 ? array_key_first($found) : null;
    }

    private static function isSecure(string $protocol, string $host): bool
    {
        $loopback = ['localhost', '127.0.0.1', '[::1]'];
        return $protocol === 'https' || in_array(strtolower($host), $loopback, true);
    }

    private static function isIntentId(mixed $value): bool
    {
        return is_string($value) && preg_match('/^pi_card_[A-Za-z0-9_-]+$/D', $value) === 1;
    }

    private static function isEncryptionKey(mixed $value): bool
    {
        $isInteger = [self::class, 'isInteger'];
        return self::hasShape($value, [
            'id' => static fn ($id): bool => is_string($id) && str_starts_with($id, 'cek_'),
            'scheme' => 'is_string',
            'public_key' => 'is_string',
            'expires_at' => $isInteger,
        ]);
    }

    private static function isIntent(mixed $value): bool
    {
        $isInteger = [self::class, 'isInteger'];
        $isTextOrNull = static fn ($text): bool => $text === null || is_string($text);
        return self::hasShape($value, [
            'id' => [self::class, 'isIntentId'],
            'amount' => $isInteger,
            'amount_captured' => $isInteger,
            'amount_refunded' => $isInteger,
            'currency' => 'is_string',
            'status' => 'is_string',
            'status_at' => static fn ($at): bool => $at === null || self::isInteger($at),
            'processor_ref' => $isTextOrNull,
            'failure_reason' => $isTextOrNull,
            'cancellation_reason' => $isTextOrNull,
            'capture_method' => static fn ($method): bool =>
                $method === 'automatic' || $method === 'manual',
            'payment_method' => static fn ($method): bool => $method === null
                || self::hasShape($method, ['brand' => 'is_string', 'last4' => 'is_string']),
            'description' => $isTextOrNull,
            'statement_descriptor' => $isTextOrNull,
            'metadata' => static fn ($metadata): bool => $metadata instanceof \stdClass,
            'created' => $isInteger,
            'updated' => $isInteger,
            'livemode' => 'is_bool',
        ]);
    }

    /** @param array<string, callable> $checks */
    private static function hasShape(mixed $value, array $checks): bool
    {
        if (!$value instanceof \stdClass) {
            return false;
        }
        foreach ($checks as $name => $check) {
            if (!property_exists($value, $name) || !$check($value->$name)) {
                return false;
            }
        }
        return true;
    }

    private static function isInteger(mixed $value): bool
    {
        $number = wholeNumber($value);
        return $number !== null && abs($number) < 2 ** 53;
    }

    private static function invalid(string $message): \InvalidArgumentException
    {
        $error = new \InvalidArgumentException($message);
        forgetArguments($error);
        return $error;
    }
}
