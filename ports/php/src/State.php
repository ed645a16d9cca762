<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What an order is: see Decide.
 *
 * @internal
 */
enum State: string
{
    case Open = 'open';
    case Paying = 'paying';
    case Uncertain = 'uncertain';
    case Paid = 'paid';
    case Withdrawn = 'withdrawn';
}
