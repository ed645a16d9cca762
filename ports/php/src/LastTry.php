<?php

declare(strict_types=1);

namespace Cardseal;

/** What became of the last try to pay an order that is still open. */
enum LastTry: string
{
    case Failed = 'failed';
    case NotPaid = 'not_paid';
    case RetryIsSafe = 'retry_is_safe';
}
