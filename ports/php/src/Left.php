<?php

declare(strict_types=1);

namespace Cardseal;

/** What is left to do with an order that was swept. */
enum Left: string
{
    case Nothing = 'nothing';
    /** A payment or a delivery is under way or is repeated later, or the store has failed. */
    case Wait = 'wait';
    /**
     * The intent is still "created", and the shopper can try again. To close the order, cancel the
     * intent: the next sweep finds that.
     */
    case Cancel = 'cancel';
    /** Look the intent up in the service's records, and call resolve(). */
    case LookUp = 'look_up';
    /** The stored value is damaged, or another order's: the log says what to do. */
    case Repair = 'repair';

    /** Whether one of your staff has to act. */
    public function isForStaff(): bool
    {
        return $this !== self::Nothing && $this !== self::Wait;
    }
}
