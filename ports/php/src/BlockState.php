<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What became of the block under a key.
 *
 * @internal
 */
enum BlockState: string
{
    case None = 'none';
    case Sent = 'sent';
    case Declined = 'declined';
    case Error = 'error';
    case NotSettled = 'not_settled';
}
