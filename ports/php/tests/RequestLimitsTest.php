<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\PdoLimits;
use Cardseal\PdoStore;
use Cardseal\RequestLimits;
use PHPUnit\Framework\TestCase;

/** The rates themselves are PdoLimitsTest's. */
final class RequestLimitsTest extends TestCase
{
    private const NOW = 1_800_000_000_000;

    private RequestLimits $limits;

    protected function setUp(): void
    {
        $this->limits = new RequestLimits(PdoStore::sqlite(':memory:')->limits(), 10);
    }

    /** How many of so many requests get a key: each of another order, unless it is named. */
    private function keys(int $requests, int $now, ?string $sender, ?string $order = null): int
    {
        $keys = 0;
        for ($i = 0; $i < $requests; $i++) {
            $orderId = $order ?? bin2hex(random_bytes(8));
            $keys += $this->limits->takeKey($orderId, $sender, $now) === 0 ? 1 : 0;
        }
        return $keys;
    }

    public function testARequestThatTheLimitOfAllRefusesCostsItsOrderAndItsSenderNothing(): void
    {
        self::assertSame(3, $this->keys(3, self::NOW, Shop::SENDER)); // no newcomer any more
        self::assertSame(97, $this->keys(200, self::NOW, null));
        self::assertSame(0, $this->keys(100, self::NOW, Shop::SENDER, 'order-1'));

        self::assertSame(6, $this->keys(10, self::NOW + 1000, Shop::SENDER, 'order-1'));
        self::assertSame(4, $this->keys(10, self::NOW + 1000, Shop::SENDER));
    }

    public function testARequestThatIsRefusedWritesNothing(): void
    {
        $database = new \PDO('sqlite::memory:');
        $database->exec('CREATE TABLE cardseal_limits (name text PRIMARY KEY, remaining real, at int)');
        $this->limits = new RequestLimits(new PdoLimits($database), 10);
        self::assertSame(60, $this->keys(60, self::NOW, Shop::SENDER));
        $changes = static fn (): mixed => $database->query('SELECT total_changes()')->fetchColumn();
        $after60 = $changes();
        self::assertSame(0, $this->keys(50, self::NOW, Shop::SENDER)); // of its sender
        self::assertSame($after60, $changes());
        self::assertSame(40, $this->keys(40, self::NOW, null));
        $after100 = $changes();
        self::assertSame(0, $this->keys(50, self::NOW, null)); // of all
        self::assertSame($after100, $changes());
        self::assertSame(6, $this->keys(6, self::NOW + 10_000, null, 'order-1'));
        $after106 = $changes();
        self::assertSame(0, $this->keys(50, self::NOW + 10_000, null, 'order-1')); // of its order
        self::assertSame($after106, $changes());
    }

    public function testARequestThatTheLimitOfItsSenderRefusesCostsItsOrderNothing(): void
    {
        self::assertSame(60, $this->keys(100, self::NOW, Shop::SENDER));
        self::assertSame(0, $this->keys(100, self::NOW, Shop::SENDER, 'order-1'));
        self::assertSame(6, $this->keys(10, self::NOW, '203.0.113.8', 'order-1'));
    }

    public function testOnceTheKeysOfAllAreUsedUpANewcomerStillGetsThree(): void
    {
        self::assertSame(100, $this->keys(200, self::NOW, null));
        self::assertSame(3, $this->keys(10, self::NOW, Shop::SENDER));
    }
}
