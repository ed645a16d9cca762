<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What comes next for a block.
 *
 * @internal
 */
enum Next
{
    /** Send it to the service, under the decision's intent. */
    case Authorize;
    /** Create a draft intent for this price, and decide again. */
    case CreateIntent;
    /** Another attempt is on its way: wait, and decide again. After the limit: not certain. */
    case Wait;
    /** Answer with the decision's outcome. */
    case Answer;
}
