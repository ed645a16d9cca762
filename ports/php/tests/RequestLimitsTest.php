<?php

declare(strict_types=1);

namespace Cardseal\Tests;

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
