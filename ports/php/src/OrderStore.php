<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Where orders are kept. A store must keep what it has acknowledged, or a shopper can pay twice: a
 * cache that evicts is no store. Every process of the shop must see the same one. Ids are compared
 * exactly: "a" and "A" are two orders.
 */
interface OrderStore
{
    /** The newest value of an order; null if it was never written. */
    public function read(string $orderId): ?Entry;

    /**
     * Replaces the value, in one step, only if its version is still $version; 0 stands for an order
     * that was never written. The new version is higher, also over restarts.
     *
     * @param string $value JSON text of a few KiB, with nothing of a card in it
     * @param bool $due whether the order needs another look: it is unsettled, or paid and not
     *     delivered
     * @return bool false if somebody else has written: nothing was changed
     */
    public function write(string $orderId, string $value, int $version, bool $due = true): bool;

    /**
     * At most $limit orders that were last written with $due, by id, after $after.
     *
     * @return list<ListedOrder>
     */
    public function listDue(int $limit, string $after = ''): array;
}
