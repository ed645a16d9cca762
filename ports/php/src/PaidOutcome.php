<?php

declare(strict_types=1);

namespace Cardseal;

/** How an order was paid. */
final class PaidOutcome
{
    /**
     * @param string $reference the id of the intent, the same whenever $onPaid is repeated
     * @param int $tries how often the delivery was claimed: after a crash, the first call may have
     *     more than 1
     */
    public function __construct(
        public readonly Status $status,
        public readonly string $reference,
        public readonly int $tries,
    ) {
    }
}
