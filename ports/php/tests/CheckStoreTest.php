<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\CheckStore;
use Cardseal\Entry;
use Cardseal\OrderStore;
use Cardseal\PdoStore;
use PHPUnit\Framework\TestCase;

final class CheckStoreTest extends TestCase
{
    public function testFindsNothingWrongWithSqlite(): void
    {
        self::assertSame([], CheckStore::problems(PdoStore::sqlite(':memory:')));
    }

    /** @dataProvider faulty */
    public function testFinds(OrderStore $store, string $words): void
    {
        self::assertStringContainsString($words, implode("\n", CheckStore::problems($store)));
    }

    /** @return iterable<array{OrderStore, string}> */
    public static function faulty(): iterable
    {
        $faulty = static fn (\Closure $read, \Closure $write): OrderStore => new class (
            PdoStore::sqlite(':memory:'),
            $read,
            $write,
        ) implements OrderStore {
            public function __construct(
                private readonly PdoStore $store,
                private readonly \Closure $read,
                private readonly \Closure $write,
            ) {
            }

            public function read(string $orderId): ?Entry
            {
                return ($this->read)($this->store, $orderId);
            }

            public function write(string $id, string $value, int $version, bool $due = true): bool
            {
                return ($this->write)($this->store, $id, $value, $version, $due);
            }

            public function listDue(int $limit, string $after = ''): array
            {
                return $this->store->listDue($limit, $after);
            }
        };
        $read = static fn (PdoStore $store, string $id): ?Entry => $store->read($id);
        $write = static fn (PdoStore $store, mixed ...$given): bool => $store->write(...$given);
        $lower = static fn (PdoStore $store, string $id): ?Entry => $store->read(strtolower($id));
        yield [$faulty($lower, $write), 'compare ids exactly'];
        $always = static fn (PdoStore $store, mixed ...$given): bool =>
            $store->write(...$given) || true;
        yield [$faulty($read, $always), 'must return false'];
        $cutting = static fn (PdoStore $store, string $id, string $value, mixed ...$rest): bool =>
            $store->write($id, substr($value, 0, 1000), ...$rest);
        yield [$faulty($read, $cutting), 'come back whole'];
        $json = static fn (PdoStore $store, string $id, string $value, mixed ...$rest): bool =>
            $store->write($id, str_replace('  ', ' ', $value), ...$rest);
        yield [$faulty($read, $json), 'not for JSON'];
    }
}
