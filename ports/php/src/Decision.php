<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What Decide says. Each property is null where it does not apply; $store is null if nothing
 * changes.
 *
 * @internal
 */
final class Decision
{
    /**
     * @param StoredOrder|null $store what to write
     * @param Outcome|null $outcome what the shopper gets
     * @param StoredOrder|null $order the order that may get a key, or that is to be delivered
     * @param Next|null $next only of onBlock()
     * @param string|null $intentId with Next::Authorize: under which intent
     * @param Claim|null $claim only of onDeliver(): call $onPaid while it lasts
     */
    public function __construct(
        public readonly ?StoredOrder $store = null,
        public readonly ?Outcome $outcome = null,
        public readonly ?StoredOrder $order = null,
        public readonly ?Next $next = null,
        public readonly ?string $intentId = null,
        public readonly ?Claim $claim = null,
    ) {
    }

    /** For callers that know that there is one. */
    public function outcome(): Outcome
    {
        return $this->outcome ?? throw new \LogicException('The decision has no outcome');
    }
}
