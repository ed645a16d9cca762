<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Entry;
use Cardseal\ListedOrder;
use Cardseal\OrderStore;
use Cardseal\PdoStore;

/** A store of a merchant's own: each function that is given gets a store that is right, first. */
final class OwnStore implements OrderStore
{
    private readonly PdoStore $store;

    /**
     * @param (\Closure(PdoStore, string): ?Entry)|null $read
     * @param (\Closure(PdoStore, string, string, int, bool): bool)|null $write
     * @param (\Closure(PdoStore, int, string): list<ListedOrder>)|null $listDue
     */
    public function __construct(
        private readonly ?\Closure $read = null,
        private readonly ?\Closure $write = null,
        private readonly ?\Closure $listDue = null,
    ) {
        $this->store = PdoStore::sqlite(':memory:');
    }

    public function read(string $orderId): ?Entry
    {
        return $this->read === null
            ? $this->store->read($orderId)
            : ($this->read)($this->store, $orderId);
    }

    public function write(string $orderId, string $value, int $version, bool $due = true): bool
    {
        return $this->write === null
            ? $this->store->write($orderId, $value, $version, $due)
            : ($this->write)($this->store, $orderId, $value, $version, $due);
    }

    public function listDue(int $limit, string $after = ''): array
    {
        return $this->listDue === null
            ? $this->store->listDue($limit, $after)
            : ($this->listDue)($this->store, $limit, $after);
    }
}
