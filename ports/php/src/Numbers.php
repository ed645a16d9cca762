<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Numbers as JSON and JavaScript know them.
 *
 * @internal
 */
final class Numbers
{
    /** 16 for 16 and for 16.0, which are the same number in JSON; null for anything else. */
    public static function whole(mixed $value): ?int
    {
        if (is_float($value) && floor($value) === $value && abs($value) < 2 ** 53) {
            return (int) $value;
        }
        return is_int($value) ? $value : null;
    }

    /** A sum in minor units; null if it is none. 24.9 is none: PHP's `int` would make it 24. */
    public static function amount(int|float $value): ?int
    {
        $whole = self::whole($value);
        return self::isAmount($whole) ? $whole : null;
    }

    /** Minor units, as the specification and JavaScript can count them. */
    public static function isAmount(mixed $value): bool
    {
        return is_int($value) && $value >= 0 && $value < 2 ** 53;
    }
}
