<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Who delivers a paid order, and until when. After $until, anyone may claim it.
 *
 * @internal
 */
final class Claim
{
    /**
     * @param int $until Unix time in milliseconds
     * @param int $tries 1 for the first claim
     */
    public function __construct(
        public readonly string $token,
        public readonly int $until,
        public readonly int $tries,
    ) {
    }
}
