<?php

declare(strict_types=1);

namespace Cardseal;

/** An order that is paid, as it was stored. */
final class PaidOrder
{
    /** @param int $amount minor units */
    public function __construct(
        public readonly string $id,
        public readonly int $amount,
        public readonly string $currency,
    ) {
    }
}
