<?php

declare(strict_types=1);

namespace Cardseal;

/** Sends requests with ext-curl, each on a connection of its own. */
final class CurlTransport implements Transport
{
    /** The key, the intent and the errors of the specification take less than 2 KiB. */
    private const MOST_BYTES = 64 * 1024;

    public function post(
        string $url,
        #[\SensitiveParameter] array $headers,
        #[\SensitiveParameter] string $body,
        int $timeoutMs,
    ): ServiceResponse {
        // What curl adds by itself: a wait of a second before the body, and a type of its own.
        $lines = ['Expect:', ...(isset($headers['Content-Type']) ? [] : ['Content-Type:'])];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $received = '';
        $curl = curl_init();
        curl_setopt_array($curl, [
            CURLOPT_URL => $url,
            CURLOPT_POST => true,
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_TIMEOUT_MS => $timeoutMs, // for everything, the look-up of the name included
            CURLOPT_NOSIGNAL => true, // else a limit of less than a second ends the request at once
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_FOLLOWLOCATION => false, // another host would get the secret key
            CURLOPT_FORBID_REUSE => true,
            CURLOPT_FRESH_CONNECT => true, // curl sends a POST again if a connection was closed
            CURLOPT_PROXY => '',
            CURLOPT_WRITEFUNCTION => static function ($_, string $chunk) use (&$received): int {
                $received .= $chunk;
                return strlen($received) <= self::MOST_BYTES ? strlen($chunk) : 0;
            },
        ]);
        $isWhole = curl_exec($curl) !== false;
        $status = (int) curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        if ($status === 0) {
            throw new NoResponse();
        }
        return new ServiceResponse($status, $isWhole ? $received : null);
    }
}
