<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What became of the last try, while the order is open.
 *
 * @internal
 */
final class Last
{
    public function __construct(
        public readonly LastTry $status,
        public readonly ?string $reason = null,
    ) {
    }
}
