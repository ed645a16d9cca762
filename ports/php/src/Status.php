<?php

declare(strict_types=1);

namespace Cardseal;

/** How the payment of an order went. docs/outcomes.md has the words for the shopper. */
enum Status: string
{
    /** Show the form. $last and $reason say what became of the last try. */
    case Open = 'open';
    /** Paid. $reference is the id of the intent. */
    case Committed = 'committed';
    /** Paid: the amount is reserved, with the capture method "manual". */
    case Authorized = 'authorized';
    /** Declined, not paid. Another card may be tried, if the order gets a key. */
    case Failed = 'failed';
    /** Not paid. The card may be entered again. */
    case NotPaid = 'not_paid';
    /** Perhaps charged, perhaps not, but another try cannot charge twice. */
    case RetryIsSafe = 'retry_is_safe';
    /** Perhaps charged. Show no form; your staff find out and call resolve(). */
    case NotCertain = 'not_certain';
    /** What was posted is no encrypted card block. Answer with status 400. */
    case InvalidEncryptedCard = 'invalid_encrypted_card';
    /**
     * The block is of another order, of none that the store knows, or of one that was withdrawn.
     * Nothing was sent now. Also the outcome of an order that was withdrawn.
     */
    case NoOrder = 'no_order';

    public function isPaid(): bool
    {
        return $this === self::Committed || $this === self::Authorized;
    }
}
