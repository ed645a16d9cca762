<?php

declare(strict_types=1);

namespace Cardseal;

/** No response came in time. The service may have done what it was asked to do. */
final class NoResponse extends \Exception
{
    public function __construct()
    {
        parent::__construct('The service did not respond in time');
        Trace::forgetArguments($this);
    }
}
