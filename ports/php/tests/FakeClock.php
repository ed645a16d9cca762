<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Clock;

/** A clock that stands still. */
final class FakeClock implements Clock
{
    public int $now = 1_800_000_000_000;

    public function now(): int
    {
        return $this->now;
    }

    public function sleep(int $ms): void
    {
        $this->now += $ms;
    }
}
