<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The orders of a store, read and written by the rules of the versions.
 *
 * @internal
 */
final class Orders
{
    /** How long to wait before an order is read again while another attempt is under way. */
    private const POLL_MS = 250;
    /** A store that never lets anybody write is broken. */
    private const MOST_TRIES = 20;
    /** A change is not tried again after so many milliseconds: each try may fail slowly. */
    private const LAST_TRY_MS = 10_000;
    /** How long to wait after the store has failed: a database that restarts is back soon. */
    private const PAUSE_MS = 500;

    /**
     * @param int $limitMs how long an attempt is waited for
     * @param \Closure $log a line with a %s for each named id or error that follows
     */
    public function __construct(
        private readonly OrderStore $store,
        private readonly int $limitMs,
        private readonly \Closure $log,
        private readonly Clock $clock,
    ) {
    }

    public function read(string $orderId): ?StoredOrder
    {
        $entry = $this->store->read($orderId);
        return $entry === null ? null : StoredValue::read($entry->value, $orderId);
    }

    /** Waits while an attempt is under way: its shopper may have reloaded, or has two tabs. */
    public function readSettled(string $orderId): ?StoredOrder
    {
        $begin = $this->clock->now();
        while (true) {
            $stored = $this->read($orderId);
            $now = $this->clock->now();
            // By this clock, whatever another process's says.
            $isOver = $now > $begin + $this->limitMs;
            if ($isOver || !Decide::isUnderWay($stored, $now, $this->limitMs)) {
                return $stored;
            }
            $this->clock->sleep(self::POLL_MS);
        }
    }

    /**
     * Reads, decides and writes, until nobody else has written in between. If the store fails, or
     * the answer of a write is lost, the order is read and decided again: the decision sees what
     * became of the write.
     *
     * @param \Closure(StoredOrder|null): Decision $decide
     * @param (\Closure(): Decision)|null $repair decides instead if the stored value is damaged
     */
    public function change(string $orderId, \Closure $decide, ?\Closure $repair = null): Decision
    {
        $begin = $this->clock->now();
        $hasWritten = false;
        for ($tries = 1; ; $tries++) {
            $isOver = fn (): bool => $tries > self::MOST_TRIES
                || $this->clock->now() - $begin >= self::LAST_TRY_MS;
            try {
                $entry = $this->store->read($orderId);
            } catch (\Throwable $error) {
                if ($error instanceof StoreContractError || $isOver()) {
                    throw $error;
                }
                $this->clock->sleep(self::PAUSE_MS);
                continue;
            }
            try {
                $stored = $entry === null ? null : StoredValue::read($entry->value, $orderId);
                $decision = $decide($stored);
            } catch (UnreadableOrder $error) {
                if ($repair === null) {
                    throw $error;
                }
                $decision = $repair();
            }
            if ($decision->store === null) {
                return $decision;
            }
            if ($hasWritten && $isOver()) {
                throw new \RuntimeException('The order could not be written');
            }
            $hasWritten = true;
            if ($this->isWritten($orderId, $decision->store, $entry?->version ?? 0)) {
                return $decision;
            }
        }
    }

    /** false also if the answer of the store was lost: then the value may be written. */
    private function isWritten(string $orderId, StoredOrder $order, int $version): bool
    {
        $due = Decide::isDue($order);
        try {
            return $this->store->write($orderId, StoredValue::of($order), $version, $due);
        } catch (StoreContractError $error) {
            throw $error;
        } catch (\Throwable $error) {
            ($this->log)('A write of the store failed: order %s: %s', order: $orderId, error: $error);
            $this->clock->sleep(self::PAUSE_MS);
            return false;
        }
    }
}
