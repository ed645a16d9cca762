<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Counts by rate. PHP's processes share nothing, so the counters are in a database: see PdoLimits.
 */
interface Limits
{
    /**
     * Takes one of a rate: $burst at once, and then $perSecond.
     *
     * @param int $now Unix time in milliseconds
     * @return int 0, or the seconds to wait before the next try
     */
    public function take(string $name, float $burst, float $perSecond, int $now): int;

    /** What is left of a rate, without taking any. */
    public function left(string $name, float $burst, float $perSecond, int $now): float;

    /** Gives some back, up to $burst. */
    public function giveBack(string $name, float $count, float $burst): void;
}
