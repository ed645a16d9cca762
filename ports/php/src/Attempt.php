<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * One call of pay() that sends a block to the service.
 *
 * @internal
 */
final class Attempt
{
    /**
     * @param string $token random: tells this attempt from every other, also if the answer of a
     *     write was lost
     * @param int $startedAt Unix time in milliseconds
     */
    public function __construct(
        public readonly string $token,
        public readonly string $keyId,
        public readonly int $startedAt,
    ) {
    }
}
