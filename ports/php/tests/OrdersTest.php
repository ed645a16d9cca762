<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Attempt;
use Cardseal\Decision;
use Cardseal\Entry;
use Cardseal\Orders;
use Cardseal\PdoStore;
use Cardseal\State;
use Cardseal\StoredOrder;
use Cardseal\StoredValue;
use PHPUnit\Framework\TestCase;

final class OrdersTest extends TestCase
{
    /** @dataProvider writes */
    public function testGivesUpAfterTwentyWritesOrTenSeconds(
        int $writeMs,
        bool $fails,
        int $expected,
    ): void {
        $clock = new FakeClock();
        $writes = 0;
        $write = static function () use ($clock, $writeMs, $fails, &$writes): bool {
            $writes++;
            $clock->sleep($writeMs);
            return $fails ? throw new \PDOException('Lock wait timeout') : false;
        };
        $orders = self::ordersIn(new OwnStore(write: $write), $clock);
        try {
            $orders->change('order-1', self::decide(...));
            self::fail('It was written');
        } catch (\RuntimeException $error) {
            self::assertSame('The order could not be written', $error->getMessage());
        }
        self::assertSame($expected, $writes);
    }

    /** @return iterable<string, array{int, bool, int}> milliseconds of a write, and how many */
    public static function writes(): iterable
    {
        yield 'quick, lost to others' => [1, false, 20];
        yield 'quick, failed' => [1, true, 20];
        yield 'of half a second' => [500, true, 10];
        yield 'of a second' => [1000, true, 7];
        yield 'of 5 s' => [5000, true, 2];
        yield 'of 50 s' => [50_000, true, 1];
    }

    public function testASlowWriteWhoseAnswerWasLostIsSeen(): void
    {
        $clock = new FakeClock();
        $write = static function (PdoStore $store, mixed ...$given) use ($clock): bool {
            $store->write(...$given);
            $clock->sleep(50_000);
            throw new \PDOException('The server has gone away');
        };
        $orders = self::ordersIn(new OwnStore(write: $write), $clock);
        self::assertNull($orders->change('order-1', self::decide(...))->store);
    }

    public function testTheFirstWriteFollowsAReadHoweverSlow(): void
    {
        $clock = new FakeClock();
        $read = static function () use ($clock): mixed {
            $clock->sleep(50_000);
            return null;
        };
        $orders = self::ordersIn(new OwnStore(read: $read), $clock);
        self::assertNotNull($orders->change('order-1', self::decide(...))->store);
    }

    public function testAReadThatFailsOnceIsTriedAgain(): void
    {
        $clock = new FakeClock();
        $begin = $clock->now;
        $reads = 0;
        $read = static function () use (&$reads): mixed {
            $reads++;
            return $reads === 1 ? throw new \PDOException('The server has gone away') : null;
        };
        self::assertNull(self::ordersIn(new OwnStore(read: $read), $clock)->read('order-1'));
        self::assertSame(500, $clock->now - $begin);
    }

    public function testReadsThatGoOnFailingAreGivenUpAlsoByAClockThatIsSetBack(): void
    {
        $clock = new FakeClock();
        $read = static function () use ($clock): mixed {
            $clock->now -= 3_600_000;
            throw new \PDOException('The server has gone away');
        };
        $this->expectExceptionMessage('The server has gone away');
        self::ordersIn(new OwnStore(read: $read), $clock)->readSettled('order-1');
    }

    public function testWhoWaitsForAnAttemptWaitsAnewForTheNextOne(): void
    {
        $clock = new FakeClock();
        $begin = $clock->now;
        $read = static function () use ($clock, $begin): Entry {
            $passed = $clock->now - $begin;
            $startedAt = $begin + ($passed >= 30_000 ? 30_000 : 0);
            $order = new StoredOrder(
                $passed < 60_000 ? State::Paying : State::Open,
                2490,
                'USD',
                id: 'order-1',
                intentId: 'pi_card_1',
                sent: true,
                attempt: $passed < 60_000 ? new Attempt((string) $startedAt, 'cek_1', $startedAt) : null,
            );
            return new Entry(StoredValue::of($order), 1);
        };
        $orders = self::ordersIn(new OwnStore(read: $read), $clock, limitMs: 35_000);
        self::assertSame(State::Open, $orders->readSettled('order-1')->state);
    }

    private static function ordersIn(OwnStore $store, FakeClock $clock, int $limitMs = 0): Orders
    {
        $log = static fn (string $line, mixed ...$parts): mixed => null;
        return new Orders($store, $limitMs, $log, $clock);
    }

    /** Writes an order that is not there. */
    private static function decide(?StoredOrder $stored): Decision
    {
        return $stored === null
            ? new Decision(store: new StoredOrder(State::Open, 2490, 'USD'))
            : new Decision();
    }
}
