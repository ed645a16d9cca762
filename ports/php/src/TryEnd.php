<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * How a try to pay ended.
 *
 * @internal
 */
enum TryEnd
{
    case Declined;
    /** The service has answered with an error about the key or the block. */
    case Refused;
    case Paid;
    case Other;

    public static function of(ServiceAnswer $answer, Outcome $outcome): self
    {
        return match (true) {
            $answer->isKeyError => self::Refused, // also if it makes the order "not certain"
            $outcome->status === Status::Failed => self::Declined,
            $outcome->isPaid() => self::Paid,
            default => self::Other,
        };
    }
}
