<?php

declare(strict_types=1);

namespace Cardseal;

/** The order to pay. Take it from your own database, never from the browser. */
final class Order
{
    /**
     * @param string $id your own id of the order, from the shopper's session: one id for one
     *     purchase
     * @param int $amount minor units: 1000 is 10.00 in a two-decimal currency
     * @param string $currency as the service writes it, such as USD
     * @param string|null $description free text for the intent
     * @throws \InvalidArgumentException if one of them is not that
     */
    public function __construct(
        public readonly string $id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly ?string $description = null,
        public readonly CaptureMethod $captureMethod = CaptureMethod::Automatic,
    ) {
        if ($id === '') {
            throw new \InvalidArgumentException('The id of the order must be text');
        }
        if (!Numbers::isAmount($amount)) {
            throw new \InvalidArgumentException('The amount must be a whole number of minor units');
        }
        if ($currency === '') {
            throw new \InvalidArgumentException('The currency must be text');
        }
    }
}
