<?php

declare(strict_types=1);

namespace Cardseal;

/** The time of this machine. */
final class SystemClock implements Clock
{
    public function now(): int
    {
        return (int) (new \DateTimeImmutable())->format('Uv');
    }

    public function sleep(int $ms): void
    {
        usleep($ms * 1000);
    }
}
