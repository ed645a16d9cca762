<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What a look-up is about.
 *
 * @internal
 */
final class Question
{
    /** @param string|null $token the attempt before the look-up; null in Open */
    public function __construct(
        public readonly string $intentId,
        public readonly ?string $token,
    ) {
    }
}
