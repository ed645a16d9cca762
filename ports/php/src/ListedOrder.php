<?php

declare(strict_types=1);

namespace Cardseal;

/** An order that a store has listed. Its value may be damaged: nobody has parsed it. */
final class ListedOrder
{
    public function __construct(
        public readonly string $orderId,
        public readonly string $value,
        public readonly int $version,
    ) {
    }
}
