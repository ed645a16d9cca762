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
     * @param Left $left what is left to do
     */
    public function __construct(
        public readonly string $order,
        public readonly ?string $intent,
        public readonly string $status,
        public readonly Left $left,
    ) {
    }

    /** @return array<string, string|null> */
    public function jsonSerialize(): array
    {
        return [
            'order' => $this->order,
            'intent' => $this->intent,
            'status' => $this->status,
            'left' => $this->left->value,
        ];
    }
}
