<?php

declare(strict_types=1);

namespace Cardseal;

/** How an order was paid. */
final class PaidOutcome
{
    /**
     * @param string $reference the id of the intent, the same whenever $onPaid is repeated
     * @param int $tries 1 at the first call for this order
     */
    public function __construct(
        public readonly Status $status,
        public readonly string $reference,
        public readonly int $tries,
    ) {
    }
}
