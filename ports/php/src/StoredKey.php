<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * A key that a page of an order has, with the sum that the page shows.
 *
 * @internal
 */
final class StoredKey
{
    /**
     * @param int $expiresAt Unix time in milliseconds
     * @param string|null $reason the service's, of a decline
     */
    public function __construct(
        public readonly string $id,
        public readonly int $amount,
        public readonly string $currency,
        public readonly int $expiresAt,
        public readonly BlockState $block = BlockState::None,
        public readonly ?string $reason = null,
    ) {
    }

    public function withBlock(BlockState $block, ?string $reason): self
    {
        return new self(
            $this->id,
            $this->amount,
            $this->currency,
            $this->expiresAt,
            $block,
            $reason,
        );
    }
}
