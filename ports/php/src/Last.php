<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What became of the last try, while the order is open. $keyId: the key of its block; null if staff
 * or a look-up have settled the order.
 *
 * @internal
 */
final class Last
{
    public function __construct(
        public readonly LastTry $status,
        public readonly ?string $reason = null,
        public readonly ?string $keyId = null,
    ) {
    }
}
