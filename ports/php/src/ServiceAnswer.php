<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What the service made of an attempt.
 *
 * @internal
 */
final class ServiceAnswer
{
    private function __construct(
        public readonly ?Intent $intent = null,
        public readonly bool $isKeyError = false,
    ) {
    }

    /** 200 with an intent. */
    public static function intent(Intent $intent): self
    {
        return new self($intent);
    }

    /** One of the specification's three errors about the key or the block. */
    public static function keyError(): self
    {
        return new self(isKeyError: true);
    }

    /** Everything else, no response included. */
    public static function unclear(): self
    {
        return new self();
    }
}
