<?php

declare(strict_types=1);

namespace Cardseal;

/** The newest value of an order in a store, and its version. */
final class Entry
{
    public function __construct(public readonly string $value, public readonly int $version)
    {
    }
}
