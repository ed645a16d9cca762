<?php

declare(strict_types=1);

namespace Cardseal;

/** Tries a store for what its contract asks, and says what is wrong. */
final class CheckStore
{
    /**
     * Tries $store, and returns what is wrong with it: a sentence each, none if all is well.
     *
     * Run it in a test, or once against the database of the shop: it leaves a few orders under ids
     * that begin with "cardseal-check-". It cannot see whether the store forgets in a restart.
     *
     * @return list<string>
     */
    public static function problems(OrderStore $store): array
    {
        $prefix = 'cardseal-check-' . bin2hex(random_bytes(8)) . '-';
        $checks = [
            self::keepsWhatIsWritten(...),
            self::refusesAnOldVersion(...),
            self::comparesIdsExactly(...),
            self::keepsLongValues(...),
            self::keepsLongIds(...),
            self::listsWhatIsDue(...),
        ];
        $problems = [];
        foreach ($checks as $i => $check) {
            try {
                $problem = $check($store, "$prefix$i");
            } catch (\Throwable $error) {
                // Whole, unlike elsewhere: nothing of a shopper is in it.
                $problem = 'the store failed: ' . get_debug_type($error) . ": {$error->getMessage()}";
            }
            if ($problem !== null) {
                $problems[] = $problem;
            }
        }
        return $problems;
    }

    private static function keepsWhatIsWritten(OrderStore $store, string $id): ?string
    {
        if ($store->read($id) !== null) {
            return 'read() must return null for an order that was never written';
        }
        if (!$store->write($id, '{"a":  1}', 0, false)) {
            return 'write() must return true if it has written';
        }
        return $store->read($id)?->value === '{"a":  1}'
            ? null
            : 'the value comes back as another text: keep it in a column for text, not for JSON';
    }

    private static function refusesAnOldVersion(OrderStore $store, string $id): ?string
    {
        $store->write($id, '1', 0, false);
        if ($store->write($id, '2', 0, false)) {
            return 'write() must return false for version 0 if the order is there';
        }
        $first = $store->read($id)?->version ?? 0;
        $store->write($id, '2', $first, false);
        if ($store->write($id, '3', $first, false)) {
            return 'write() must return false for a version that is not the newest';
        }
        return $store->read($id)?->value === '2' ? null : 'a refused write must change nothing';
    }

    private static function comparesIdsExactly(OrderStore $store, string $id): ?string
    {
        $store->write("{$id}a", '1', 0, false);
        foreach (['A', 'a ', 'ä'] as $other) {
            if ($store->read("$id$other") !== null) {
                return "the ids \"a\" and \"$other\" must be two orders: compare ids exactly "
                    . '(MySQL: varbinary)';
            }
        }
        return null;
    }

    private static function keepsLongValues(OrderStore $store, string $id): ?string
    {
        $value = '"' . str_repeat('💳é', 20_000) . '"';
        $store->write($id, $value, 0, false);
        return $store->read($id)?->value === $value
            ? null
            : 'a long value with any characters must come back whole (MySQL: longtext, utf8mb4)';
    }

    private static function keepsLongIds(OrderStore $store, string $id): ?string
    {
        $longId = substr($id . '-' . str_repeat('x', 200), 0, 200);
        $store->write($longId, '1', 0, false);
        return $store->read($longId) === null ? 'an id of 200 characters must be kept' : null;
    }

    private static function listsWhatIsDue(OrderStore $store, string $id): ?string
    {
        [$a, $b, $c] = ["{$id}a", "{$id}b", "{$id}c"];
        try {
            foreach ([$a, $b, $c] as $order) {
                $store->write($order, '1', 0, true);
            }
            $store->write("{$a}a", '1', 0, false);
            $first = self::listed($store, 2, $id);
            $second = self::listed($store, 2, $a);
        } finally {
            foreach ([$a, $b, $c] as $order) { // else sweep() would find them
                $store->write($order, '1', $store->read($order)?->version ?? 0, false);
            }
        }
        $third = self::listed($store, 3, $id);
        return match (true) {
            count($first) > 2 => 'listDue() must return no more orders than $limit',
            $first !== [$a, $b] || array_intersect([$a, $b, $c], $third) !== [] =>
                'listDue() must return the orders that were last written as due, by id',
            $second !== [$b, $c] => 'listDue() must return the orders whose id comes after $after',
            default => null,
        };
    }

    /** @return list<string> the ids */
    private static function listed(OrderStore $store, int $limit, string $after): array
    {
        return array_map(
            static fn (ListedOrder $order): string => $order->orderId,
            $store->listDue($limit, $after),
        );
    }
}
