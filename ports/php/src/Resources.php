<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Reads what the service answers. A response that is not as specified is none.
 *
 * @internal
 */
final class Resources
{
    public static function key(mixed $value): ?EncryptionKey
    {
        $isKey = self::hasShape($value, [
            'id' => static fn ($id): bool => is_string($id) && str_starts_with($id, 'cek_'),
            'scheme' => is_string(...),
            'public_key' => is_string(...),
            'expires_at' => self::isInteger(...),
        ]);
        if (!$isKey) {
            return null;
        }
        $expiresAt = (int) $value->expires_at;
        return new EncryptionKey($value->id, $value->scheme, $value->public_key, $expiresAt);
    }

    public static function intent(mixed $value): ?Intent
    {
        $isTextOrNull = static fn ($text): bool => $text === null || is_string($text);
        $isMethod = static fn ($method): bool => $method === null
            || self::hasShape($method, ['brand' => is_string(...), 'last4' => is_string(...)]);
        $isIntent = self::hasShape($value, [
            'id' => self::isIntentId(...),
            'amount' => self::isInteger(...),
            'amount_captured' => self::isInteger(...),
            'amount_refunded' => self::isInteger(...),
            'currency' => is_string(...),
            'status' => is_string(...),
            'status_at' => static fn ($at): bool => $at === null || self::isInteger($at),
            'processor_ref' => $isTextOrNull,
            'failure_reason' => $isTextOrNull,
            'cancellation_reason' => $isTextOrNull,
            'capture_method' => static fn ($method): bool =>
                is_string($method) && CaptureMethod::tryFrom($method) !== null,
            'payment_method' => $isMethod,
            'description' => $isTextOrNull,
            'statement_descriptor' => $isTextOrNull,
            'metadata' => static fn ($metadata): bool => $metadata instanceof \stdClass,
            'created' => self::isInteger(...),
            'updated' => self::isInteger(...),
            'livemode' => is_bool(...),
        ]);
        if (!$isIntent) {
            return null;
        }
        return new Intent(
            $value->id,
            (int) $value->amount,
            $value->currency,
            $value->status,
            CaptureMethod::from($value->capture_method),
            $value->failure_reason,
            self::plain($value),
        );
    }

    public static function isIntentId(mixed $value): bool
    {
        return is_string($value) && preg_match('/^pi_card_[A-Za-z0-9_-]+$/D', $value) === 1;
    }

    /** Arrays for objects. Not by json_encode, which refuses what json_decode makes of 1e999. */
    private static function plain(mixed $value): mixed
    {
        if ($value instanceof \stdClass) {
            $value = get_object_vars($value);
        }
        return is_array($value) ? array_map(self::plain(...), $value) : $value;
    }

    /**
     * @param array<string, callable(mixed): bool> $checks
     * @phpstan-assert-if-true \stdClass $value
     */
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
        $number = Numbers::whole($value);
        return $number !== null && abs($number) < 2 ** 53;
    }
}
