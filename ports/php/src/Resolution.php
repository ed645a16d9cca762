<?php

declare(strict_types=1);

namespace Cardseal;

/** What staff have found out about an intent. */
enum Resolution: string
{
    case Committed = 'committed';
    case Authorized = 'authorized';
    /** Only if the intent was seen as failed or cancelled. */
    case NotPaid = 'not_paid';
}
