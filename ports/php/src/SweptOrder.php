<?php

declare(strict_types=1);

namespace Cardseal;

/** An order that needed a look. */
final class SweptOrder implements \JsonSerializable
{
    /**
     * @param string|null $intent the intent that is, or may have been, charged
     * @param string $status how the order stands now; "unreadable" if its stored value is damaged,
     *     or another order's
     * @param string $left what is left to do: nothing; wait (a payment or a delivery is under way,
     *     or is repeated later); cancel (the intent is still created: the shopper can try again; to
     *     close the order, cancel the intent, and call resolve() with NotPaid); look_up (look the
     *     intent up in the service's records, and call resolve()); repair (see the log)
     */
    public function __construct(
        public readonly string $order,
        public readonly ?string $intent,
        public readonly string $status,
        public readonly string $left,
    ) {
    }

    /** @return array<string, string|null> */
    public function jsonSerialize(): array
    {
        return get_object_vars($this);
    }
}
