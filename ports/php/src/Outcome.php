<?php

declare(strict_types=1);

namespace Cardseal;

/** How the payment of an order went. */
final class Outcome implements \JsonSerializable
{
    /**
     * @param string|null $reference the id of the intent, if it is paid: one for each paid order
     * @param LastTry|null $last of an open order: what became of the last try
     * @param string|null $reason the service's reason for a decline
     * @param string|null $order with NotCertain: the order's id, which the shopper needs to ask
     * @param string|null $keyId with NoOrder, if a block was posted: the id of its key, which
     *     leads to its order; beside $last: the key of the block of that try, if it is known
     */
    public function __construct(
        public readonly Status $status,
        public readonly ?string $reference = null,
        public readonly ?LastTry $last = null,
        public readonly ?string $reason = null,
        public readonly ?string $order = null,
        public readonly ?string $keyId = null,
    ) {
    }

    public function isPaid(): bool
    {
        return $this->status->isPaid();
    }

    /**
     * As the page reads it: the same in every language.
     *
     * @return array<string, string|null>
     */
    public function jsonSerialize(): array
    {
        $found = ['status' => $this->status->value];
        if ($this->last !== null) {
            $found['last'] = $this->last->value;
        }
        if ($this->status === Status::Failed || $this->last === LastTry::Failed) {
            $found['reason'] = $this->reason;
        }
        $more = [
            'reference' => $this->reference,
            'order' => $this->order,
            'key_id' => $this->keyId,
        ];
        return $found + array_filter($more, static fn (?string $text): bool => $text !== null);
    }

    /**
     * The shopper needs the order's id to ask about it.
     *
     * @internal
     */
    public function named(string $orderId): self
    {
        return $this->status === Status::NotCertain
            ? new self(Status::NotCertain, order: $orderId)
            : $this;
    }
}
