<?php

declare(strict_types=1);

namespace Cardseal;

/** Something that this package has found itself: its message is fixed words, and may be logged. */
class Problem extends \RuntimeException
{
}
