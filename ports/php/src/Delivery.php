<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What has become of a delivery that nobody claims any more.
 *
 * @internal
 */
enum Delivery: string
{
    case Done = 'done';
}
