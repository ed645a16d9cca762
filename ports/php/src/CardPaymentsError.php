<?php

declare(strict_types=1);

namespace Cardseal;

/** A request that failed. The message is fixed text, without a secret and without a card. */
final class CardPaymentsError extends \Exception
{
    /**
     * @param int|null $status the HTTP status, if there was a response
     * @param string|null $intentId the intent that was to be authorized
     */
    public function __construct(
        string $message,
        public readonly Recovery $recovery,
        public readonly ?int $status = null,
        public readonly ?EncryptionErrorCode $errorCode = null,
        public readonly ?string $intentId = null,
    ) {
        parent::__construct($message);
        Trace::forgetArguments($this);
    }
}
