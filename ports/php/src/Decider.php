<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Who makes a decision, and when: for the claim that comes with a paid order.
 *
 * @internal
 */
final class Decider
{
    /**
     * @param string $token random, one for each call
     * @param int $now Unix time in milliseconds
     * @param int $limitMs how long an attempt may be under way
     * @param bool $delivers whether the shop has $onPaid
     */
    public function __construct(
        public readonly string $token,
        public readonly int $now,
        public readonly int $limitMs,
        public readonly bool $delivers,
    ) {
    }
}
