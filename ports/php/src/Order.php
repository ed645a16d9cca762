<?php

declare(strict_types=1);

namespace Cardseal;

/** The order to pay. Take it from your own database, never from the browser. */
final class Order
{
    /** Minor units. */
    public readonly int $amount;

    /**
     * @param string $id your own id of the order, from the shopper's session: one id for one
     *     purchase
     * @param int|float $amount minor units: 2490 is 24.90 in a two-decimal currency. A float must be
     *     whole, as round(100 * $total) is: of 24.9, PHP would charge 24
     * @param string $currency as the service writes it, such as USD
     * @param string|null $description free text for the intent
     * @throws \InvalidArgumentException if one of them is not that
     */
    public function __construct(
        public readonly string $id,
        int|float $amount,
        public readonly string $currency,
        public readonly ?string $description = null,
        public readonly CaptureMethod $captureMethod = CaptureMethod::Automatic,
    ) {
        if ($id === '') {
            throw new \InvalidArgumentException('The id of the order must be text');
        }
        $this->amount = Numbers::amount($amount) ?? throw new \InvalidArgumentException(
            'The amount must be a whole number of minor units: 2490 for 24.90',
        );
        if ($currency === '') {
            throw new \InvalidArgumentException('The currency must be text');
        }
    }
}
