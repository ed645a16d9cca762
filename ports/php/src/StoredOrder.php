<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What is stored of an order. Nothing of a card is in it.
 *
 * @internal
 */
final class StoredOrder
{
    /**
     * @param int $amount minor units
     * @param string|null $id the order's own id; null in what builds before 0.3.0 have written
     * @param CaptureMethod|null $captureMethod null in what builds before 0.3.0 have written: it is
     *     for either
     * @param Status|null $paid Committed or Authorized; null unless the state is Paid
     * @param string|null $intentId the intent that is, or may have been, charged; null until the
     *     first block is sent
     * @param bool $sent whether a block may have reached the service under this intent
     * @param Attempt|null $attempt the one that is on its way or was not settled
     * @param int $keyErrors how often the service has answered this intent with an error about the
     *     key or the block
     * @param list<StoredKey> $keys
     * @param Claim|Delivery|null $delivery only of a paid order, in a shop with $onPaid
     * @param array<string, mixed> $more what a newer version has stored in addition
     */
    public function __construct(
        public readonly State $state,
        public readonly int $amount,
        public readonly string $currency,
        public readonly ?string $id = null,
        public readonly ?CaptureMethod $captureMethod = null,
        public readonly ?Status $paid = null,
        public readonly ?string $intentId = null,
        public readonly bool $sent = false,
        public readonly ?Attempt $attempt = null,
        public readonly int $keyErrors = 0,
        public readonly array $keys = [],
        public readonly int $declines = 0,
        public readonly ?Last $last = null,
        public readonly Claim|Delivery|null $delivery = null,
        public readonly array $more = [],
    ) {
    }

    /** A copy with these properties: with(state: State::Open, attempt: null). */
    public function with(mixed ...$changes): self
    {
        return new self(...$changes + get_object_vars($this));
    }

    /** A copy, after something has become of the block under a key. */
    public function withBlock(string $keyId, BlockState $block, ?string $reason = null): self
    {
        $change = static fn (StoredKey $key): StoredKey =>
            $key->id === $keyId ? $key->withBlock($block, $reason) : $key;
        return $this->with(keys: array_map($change, $this->keys));
    }

    public function findKey(string $keyId): ?StoredKey
    {
        foreach ($this->keys as $key) {
            if ($key->id === $keyId) {
                return $key;
            }
        }
        return null;
    }
}
