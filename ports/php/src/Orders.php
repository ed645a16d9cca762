<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The orders of a store, read and written by the rules of the versions. If the store fails, each
 * method tries again for a while: a database that restarts is back soon.
 *
 * @internal
 */
final class Orders
{
    /** How long to wait before an order is read again while another attempt is under way. */
    private const POLL_MS = 250;
    /** A store that never lets anybody write is broken. */
    private const MOST_WRITES = 20;
    /** Nothing is tried again after so many milliseconds: each try may fail slowly. */
    private const LAST_TRY_MS = 10_000;
    /** How long to wait after the store has failed. */
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
        $entry = $this->entry($orderId, $this->clock->now());
        return $entry === null ? null : StoredValue::read($entry->value, $orderId);
    }

    /** Waits while an attempt is under way: its shopper may have reloaded, or has two tabs. */
    public function readSettled(string $orderId): ?StoredOrder
    {
        $begin = $this->clock->now();
        $stored = $this->read($orderId);
        while (Decide::isUnderWay($stored, $this->clock->now(), $this->limitMs)) {
            // By this clock, whatever another process's says.
            if ($this->clock->now() > $begin + $this->limitMs) {
                break;
            }
            $this->clock->sleep(self::POLL_MS);
            $next = $this->read($orderId);
            if ($next?->attempt?->token !== $stored?->attempt?->token) {
                $begin = $this->clock->now(); // it is another attempt
            }
            $stored = $next;
        }
        return $stored;
    }

    /**
     * Reads, decides and writes, until nobody else has written in between. If a write fails, or its
     * answer is lost, the order is read and decided again: the decision sees what became of the
     * write.
     *
     * @param \Closure(StoredOrder|null): Decision $decide
     * @param (\Closure(): Decision)|null $repair decides instead if the stored value is damaged
     */
    public function change(string $orderId, \Closure $decide, ?\Closure $repair = null): Decision
    {
        $begin = $this->clock->now();
        for ($writes = 0; ; $writes++) {
            $entry = $this->entry($orderId, $begin);
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
            if ($writes === self::MOST_WRITES || ($writes > 0 && $this->isOver($begin))) {
                throw new \RuntimeException('The order could not be written');
            }
            if ($this->isWritten($orderId, $decision->store, $entry?->version ?? 0)) {
                return $decision;
            }
        }
    }

    /**
     * Tries again while the store fails.
     *
     * @param int $begin when the first try of all began
     */
    private function entry(string $orderId, int $begin): ?Entry
    {
        while (true) {
            try {
                return $this->store->read($orderId);
            } catch (\Throwable $error) {
                if ($error instanceof StoreContractError || $this->isOver($begin)) {
                    throw $error;
                }
                $this->clock->sleep(self::PAUSE_MS);
            }
        }
    }

    private function isOver(int $begin): bool
    {
        // A clock may be set back.
        return abs($this->clock->now() - $begin) >= self::LAST_TRY_MS;
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
