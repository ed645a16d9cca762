<?php

declare(strict_types=1);

namespace Cardseal;

/** Whether an approved card is charged at once, or the amount is reserved. */
enum CaptureMethod: string
{
    case Automatic = 'automatic';
    case Manual = 'manual';
}
