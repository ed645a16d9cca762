<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\CheckStore;
use Cardseal\Entry;
use Cardseal\ListedOrder;
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
        $lower = static fn (PdoStore $store, string $id): ?Entry => $store->read(strtolower($id));
        yield [new OwnStore(read: $lower), 'compare ids exactly'];
        $always = static fn (PdoStore $store, mixed ...$given): bool =>
            $store->write(...$given) || true;
        yield [new OwnStore(write: $always), 'must return false'];
        $cutting = static fn (PdoStore $store, string $id, string $value, mixed ...$rest): bool =>
            $store->write($id, substr($value, 0, 1000), ...$rest);
        yield [new OwnStore(write: $cutting), 'come back whole'];
        $json = static fn (PdoStore $store, string $id, string $value, mixed ...$rest): bool =>
            $store->write($id, str_replace('  ', ' ', $value), ...$rest);
        yield [new OwnStore(write: $json), 'not for JSON'];
    }

    /**
     * @dataProvider faultyLists
     * @param \Closure(PdoStore, int, string): list<ListedOrder> $listDue
     */
    public function testFindsOfAList(\Closure $listDue, string $words): void
    {
        $problems = CheckStore::problems(new OwnStore(listDue: $listDue));
        self::assertSame(["listDue() must return $words"], $problems);
    }

    /** @return iterable<array{\Closure(PdoStore, int, string): list<ListedOrder>, string}> */
    public static function faultyLists(): iterable
    {
        $anyAfter = static fn (PdoStore $store, int $limit): array => $store->listDue($limit);
        yield [$anyAfter, 'the orders whose id comes after $after'];
        $from = static fn (PdoStore $store, int $limit, string $after): array =>
            $store->listDue($limit, substr($after, 0, -1));
        yield [$from, 'the orders whose id comes after $after'];
        $anyLimit = static fn (PdoStore $store, int $limit, string $after): array =>
            $store->listDue(100, $after);
        yield [$anyLimit, 'no more orders than $limit'];
        $none = static fn (): array => [];
        yield [$none, 'the orders that were last written as due, by id'];
    }

    public function testLeavesNoOrderDueIfTheListFails(): void
    {
        $due = [];
        $write = static function (PdoStore $store, string $id, mixed ...$given) use (&$due): bool {
            $due[$id] = $given[2];
            return $store->write($id, ...$given);
        };
        $failing = static fn (): array => throw new \RuntimeException('no list');
        self::assertNotSame([], CheckStore::problems(new OwnStore(write: $write, listDue: $failing)));
        self::assertNotContains(true, $due);
    }

    public function testFindsAListThatForgetsThatAnOrderIsNotDueAnyMore(): void
    {
        $write = static fn (PdoStore $store, string $id, string $value, int $version, bool $due): bool =>
            $store->write($id, $value, $version, $due || $version > 0);
        $problems = CheckStore::problems(new OwnStore(write: $write));
        $words = 'listDue() must return the orders that were last written as due, by id';
        self::assertContains($words, $problems);
    }
}
