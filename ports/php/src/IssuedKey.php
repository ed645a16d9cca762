<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What became of a request for a key. Ask for the key first: with one, there is an outcome, too.
 * Nothing is set if the service or the store has failed: answer 502.
 */
final class IssuedKey
{
    /**
     * @param BrowserKey|null $key the key for the form
     * @param Outcome|null $outcome with a key: what became of the last try; without one: show it,
     *     and no form
     * @param int|null $retryAfter too many requests: seconds, for the header Retry-After
     */
    public function __construct(
        public readonly ?BrowserKey $key = null,
        public readonly ?Outcome $outcome = null,
        public readonly ?int $retryAfter = null,
    ) {
    }
}
