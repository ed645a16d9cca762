<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The JSON of an order in the store: the same in every language.
 *
 * @internal
 */
final class StoredValue
{
    private const NAMES = [
        'state', 'amount', 'currency', 'id', 'capture_method', 'paid', 'intentId', 'sent',
        'attempt', 'keyErrors', 'keys', 'declines', 'last', 'delivery',
    ];

    /** The text to store. */
    public static function of(StoredOrder $order): string
    {
        $stored = [
            'state' => $order->state->value,
            'amount' => $order->amount,
            'currency' => $order->currency,
            'paid' => $order->paid?->value,
            'intentId' => $order->intentId,
            'sent' => $order->sent,
            'attempt' => $order->attempt === null ? null : [
                'token' => $order->attempt->token,
                'keyId' => $order->attempt->keyId,
                'startedAt' => $order->attempt->startedAt,
            ],
            'keyErrors' => $order->keyErrors,
            'keys' => array_map(self::keyJson(...), $order->keys),
            'declines' => $order->declines,
            'last' => $order->last === null ? null : [
                'status' => $order->last->status->value,
                'reason' => $order->last->reason,
            ] + ($order->last->keyId === null ? [] : ['keyId' => $order->last->keyId]),
        ];
        if ($order->id !== null) {
            $stored['id'] = $order->id;
        }
        if ($order->captureMethod !== null) {
            $stored['capture_method'] = $order->captureMethod->value;
        }
        if ($order->delivery instanceof Claim) {
            $stored['delivery'] = [
                'token' => $order->delivery->token,
                'until' => $order->delivery->until,
                'tries' => $order->delivery->tries,
            ];
        } elseif ($order->delivery !== null) {
            $stored['delivery'] = $order->delivery->value;
        }
        return json_encode($stored + $order->more, JSON_THROW_ON_ERROR);
    }

    /**
     * O14: what the store has given for an order, checked. A value that is not of this order must
     * never count as a new order, and never be overwritten.
     *
     * @throws Problem if it is the value of another order
     * @throws UnreadableOrder if it is no value of an order
     */
    public static function read(string $value, string $orderId): StoredOrder
    {
        try {
            $stored = json_decode($value, true, 64, JSON_THROW_ON_ERROR);
            $order = is_array($stored) ? self::orderOf($stored) : null;
        } catch (\JsonException | \TypeError | \ValueError) {
            $order = null;
        }
        if ($order === null || !self::fitsTogether($order)) {
            throw new UnreadableOrder();
        }
        if ($order->id !== null && $order->id !== $orderId) {
            throw new Problem(
                'the store gave the value of order ' . Lines::quoted($order->id) . '. It must '
                . 'compare ids exactly: capital letters, accents and spaces at the end count',
            );
        }
        return $order;
    }

    /**
     * @param array<mixed> $stored
     * @throws \TypeError if a property is missing, or has another type
     * @throws \ValueError if a word is not known
     */
    private static function orderOf(array $stored): StoredOrder
    {
        $captureMethod = $stored['capture_method'] ?? null;
        $paid = self::at($stored, 'paid');
        return new StoredOrder(
            State::from(self::at($stored, 'state')),
            self::count(self::at($stored, 'amount')),
            self::at($stored, 'currency'),
            $stored['id'] ?? null,
            $captureMethod === null ? null : CaptureMethod::from($captureMethod),
            $paid === null ? null : Status::from($paid),
            self::at($stored, 'intentId'),
            self::at($stored, 'sent'),
            self::attemptOf(self::at($stored, 'attempt')),
            self::count(self::at($stored, 'keyErrors')),
            array_map(self::keyOf(...), self::at($stored, 'keys')),
            self::count($stored['declines'] ?? 0),
            self::lastOf($stored['last'] ?? null),
            self::deliveryOf($stored['delivery'] ?? null),
            array_diff_key($stored, array_flip(self::NAMES)),
        );
    }

    private static function fitsTogether(StoredOrder $order): bool
    {
        $isSent = $order->sent && $order->intentId !== null;
        return match ($order->state) {
            State::Open => $order->attempt === null && ($isSent || !$order->sent),
            State::Withdrawn => $order->attempt === null && !$order->sent,
            State::Paid => $order->paid?->isPaid() === true && $order->intentId !== null,
            State::Paying, State::Uncertain => $isSent && $order->attempt !== null,
        };
    }

    /** @param array<mixed>|null $stored */
    private static function attemptOf(?array $stored): ?Attempt
    {
        if ($stored === null) {
            return null;
        }
        $startedAt = self::time(self::at($stored, 'startedAt'));
        return new Attempt(self::at($stored, 'token'), self::at($stored, 'keyId'), $startedAt);
    }

    /** @param array<mixed> $stored */
    private static function keyOf(array $stored): StoredKey
    {
        return new StoredKey(
            self::at($stored, 'id'),
            self::count(self::at($stored, 'amount')),
            self::at($stored, 'currency'),
            self::time(self::at($stored, 'expiresAt')),
            BlockState::from(self::at($stored, 'block')),
            $stored['reason'] ?? null,
        );
    }

    /** @return array<string, mixed> */
    private static function keyJson(StoredKey $key): array
    {
        return [
            'id' => $key->id,
            'amount' => $key->amount,
            'currency' => $key->currency,
            'expiresAt' => $key->expiresAt,
            'block' => $key->block->value,
            'reason' => $key->reason,
        ];
    }

    /** @param array<mixed>|null $stored */
    private static function lastOf(?array $stored): ?Last
    {
        if ($stored === null) {
            return null;
        }
        $status = LastTry::from(self::at($stored, 'status'));
        return new Last($status, $stored['reason'] ?? null, $stored['keyId'] ?? null);
    }

    /** @param array<mixed>|string|null $stored */
    private static function deliveryOf(array|string|null $stored): Claim|Delivery|null
    {
        if ($stored === null) {
            return null;
        }
        if (is_string($stored)) {
            return Delivery::from($stored);
        }
        $until = self::time(self::at($stored, 'until'));
        $tries = self::count(self::at($stored, 'tries'));
        return new Claim(self::at($stored, 'token'), $until, $tries);
    }

    /** @param array<mixed> $stored */
    private static function at(array $stored, string $name): mixed
    {
        return array_key_exists($name, $stored) ? $stored[$name] : throw new \ValueError();
    }

    private static function count(mixed $value): int
    {
        return Numbers::isAmount($value) ? $value : throw new \ValueError();
    }

    /** A service may say that a key expired before 1970: what is written must be readable. */
    private static function time(mixed $value): int
    {
        return is_int($value) && abs($value) < 2 ** 53 ? $value : throw new \ValueError();
    }
}
