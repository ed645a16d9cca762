<?php

declare(strict_types=1);

namespace Cardseal;

/** What to do about a request that failed. */
enum Recovery: string
{
    /** Request a new key and show the card form again. Only the shopper has the card. */
    case RestartCheckout = 'restart_checkout';
    /** Fix your code. The id of the key must come back unmodified. */
    case ForwardKeyId = 'forward_key_id';
    /** Fix your code, or somebody changed the block on its way. */
    case CheckLayout = 'check_layout';
    /** The outcome is unknown: the shopper may have paid. Find out what became of the intent. */
    case ResolveIntent = 'resolve_intent';
    /** No key or draft came. Nobody was charged; it can be requested again. */
    case AskAgain = 'ask_again';
    /** Refused for a reason that the specification does not show: see the status. */
    case NotSpecified = 'not_specified';
}
