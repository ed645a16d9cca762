<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Sends one request to the service. Replace it to use another HTTP client, such as one of PSR-18.
 *
 * It must send the request once: no retry, no redirect. The time limit is for everything, from the
 * look-up of the name to the last byte.
 */
interface Transport
{
    /**
     * POSTs $body.
     *
     * @param array<string, string> $headers they hold the secret key
     * @throws NoResponse for whatever goes wrong, and no other error: it can repeat what was sent
     */
    public function post(
        string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        int $timeoutMs,
    ): ServiceResponse;
}
