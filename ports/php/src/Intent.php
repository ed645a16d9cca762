<?php

declare(strict_types=1);

namespace Cardseal;

/** A card payment intent: what the rules of an order need, and all of it in $resource. */
final class Intent
{
    /**
     * @param int $amount minor units: 1000 is 10.00 in a two-decimal currency
     * @param string $status created, authorized, committed, failed or a word that is not specified
     * @param array<string, mixed> $resource
     */
    public function __construct(
        public readonly string $id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly string $status,
        public readonly CaptureMethod $captureMethod,
        public readonly ?string $failureReason,
        public readonly array $resource,
    ) {
    }
}
