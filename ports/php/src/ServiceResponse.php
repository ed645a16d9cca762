<?php

declare(strict_types=1);

namespace Cardseal;

/** What the service has answered. The body is null if it did not come whole. */
final class ServiceResponse
{
    public function __construct(public readonly int $status, public readonly ?string $body)
    {
    }
}
