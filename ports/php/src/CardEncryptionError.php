<?php

declare(strict_types=1);

namespace Cardseal;

/** A key or a block was refused. The message is fixed text: nothing of the input is in it. */
final class CardEncryptionError extends \Exception
{
    public function __construct(public readonly CardEncryptionErrorCode $errorCode, string $message)
    {
        parent::__construct($message);
        Trace::forgetArguments($this);
    }
}
