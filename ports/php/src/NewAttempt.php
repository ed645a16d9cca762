<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What a block is sent with.
 *
 * @internal
 */
final class NewAttempt
{
    /**
     * @param int $now Unix time in milliseconds
     * @param string|null $draftId of a draft that was made for $price, because the order had no
     *     intent
     */
    public function __construct(
        public readonly string $token,
        public readonly string $keyId,
        public readonly Order $price,
        public readonly int $now,
        public readonly ?string $draftId = null,
    ) {
    }
}
