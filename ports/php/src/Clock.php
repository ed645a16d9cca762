<?php

declare(strict_types=1);

namespace Cardseal;

/** The time. Tests give Checkout a clock of their own. */
interface Clock
{
    /** Unix time in milliseconds. */
    public function now(): int;

    public function sleep(int $ms): void;
}
