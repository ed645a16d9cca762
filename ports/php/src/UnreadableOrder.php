<?php

declare(strict_types=1);

namespace Cardseal;

/** The stored value is damaged: staff have to say what became of the order. */
final class UnreadableOrder extends Problem
{
    public function __construct()
    {
        parent::__construct(
            'its stored value is damaged. Find out what became of the order, and call '
            . 'resolve(new Order(...), intent id, committed, authorized or not_paid)',
        );
    }
}
