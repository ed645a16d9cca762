<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Entry;
use Cardseal\Order;
use Cardseal\PaidOrder;
use Cardseal\PaidOutcome;
use Cardseal\Resolution;
use Cardseal\Sender;
use Cardseal\Status;
use Cardseal\SweptOrder;
use PHPUnit\Framework\TestCase;

/** What the scenarios of the corpus do not say: delivery, sweep, limits. */
final class CheckoutTest extends TestCase
{
    protected function setUp(): void
    {
        ini_set('error_log', '/dev/null');
    }

    private static function pay(Shop $shop, string $orderId = 'order-1', string $keyId = 'cek_1'): Status
    {
        $order = Shop::order($orderId);
        $shop->checkout->issueKey($order, Shop::SENDER);
        return $shop->checkout->pay($order, Shop::posted($keyId), Shop::SENDER)->status;
    }

    public function testOnPaidIsCalledOnceForEachOrder(): void
    {
        $calls = [];
        $shop = new Shop(static function (PaidOrder $order, PaidOutcome $outcome) use (&$calls): void {
            $calls[] = [$order->id, $order->amount, $outcome->reference, $outcome->tries];
        });
        self::assertSame(Status::Committed, self::pay($shop));
        self::assertSame(Status::Committed, self::pay($shop));
        $shop->checkout->outcome('order-1');
        self::assertSame([['order-1', 2490, 'pi_card_1', 1]], $calls);
    }

    public function testOnPaidIsCalledAgainAfterAPauseUntilItReturns(): void
    {
        $tries = [];
        $shop = new Shop(static function (PaidOrder $order, PaidOutcome $outcome) use (&$tries): void {
            $tries[] = $outcome->tries;
            if (count($tries) < 3) {
                throw new \RuntimeException();
            }
        });
        self::assertSame(Status::Committed, self::pay($shop));
        $shop->checkout->outcome('order-1');
        self::assertSame([1], $tries);
        for ($i = 0; $i < 4; $i++) {
            $shop->clock->sleep(200_000);
            $shop->checkout->sweep();
        }
        self::assertSame([1, 2, 3], $tries);
    }

    public function testTenDeclinesEndAnOrder(): void
    {
        $shop = new Shop();
        $shop->service->status = 'failed';
        for ($i = 1; $i <= 10; $i++) {
            $shop->clock->sleep(3_600_000);
            self::assertSame(Status::Failed, self::pay($shop, keyId: "cek_$i"));
        }
        $shop->clock->sleep(3_600_000);
        $issued = $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        self::assertNull($issued->key);
        self::assertSame(Status::Failed, $issued->outcome?->status);
    }

    public function testManyDeclinesOfOneSenderEndBeforeTheServiceIsAsked(): void
    {
        $shop = new Shop();
        $shop->service->status = 'failed';
        for ($i = 1; $i <= 12; $i++) {
            self::pay($shop, "order-$i", "cek_$i");
        }
        self::assertCount(10, array_keys($shop->service->asked, 'authorize'));
    }

    public function testASweepSettlesWhatALookUpFinds(): void
    {
        $shop = new Shop();
        $shop->service->status = 'lost';
        self::assertSame(Status::NotCertain, self::pay($shop));
        $left = static fn (?\Closure $lookUp = null): array => array_map(
            static fn (SweptOrder $order): string => $order->left,
            $shop->checkout->sweep($lookUp),
        );
        self::assertSame(['look_up'], $left());
        self::assertSame(['cancel'], $left(static fn (): string => 'created'));
        self::assertSame(['nothing'], $left(static fn (): string => 'committed'));
        self::assertSame(Status::Committed, $shop->checkout->outcome('order-1')->status);
        self::assertSame([], $left());
    }

    public function testAResponseAboutAnotherAmountSaysNothing(): void
    {
        $shop = new Shop();
        $shop->service->amount = 1;
        self::assertSame(Status::NotCertain, self::pay($shop));
    }

    public function testStaffSettleAnOrderWhoseValueIsDamaged(): void
    {
        $shop = new Shop();
        $shop->store->write('order-1', '{"state":"pay', 0);
        self::assertSame(Status::NotCertain, $shop->checkout->outcome('order-1')->status);
        $outcome = $shop->checkout->resolve(Shop::order(), 'pi_card_1', Resolution::Committed);
        self::assertSame('pi_card_1', $outcome->reference);
    }

    public function testAnotherOrdersValueIsRefused(): void
    {
        $shop = new Shop();
        self::pay($shop);
        $entry = $shop->store->read('order-1');
        self::assertInstanceOf(Entry::class, $entry);
        $shop->store->write('ORDER-1', $entry->value, 0);
        self::assertSame(Status::NotCertain, $shop->checkout->outcome('ORDER-1')->status);
    }

    public function testOneSenderDoesNotUseUpTheKeysOfOthers(): void
    {
        $shop = new Shop();
        for ($i = 0; $i < 300; $i++) {
            $shop->checkout->issueKey(new Order("bot-$i", 1, 'USD'), '198.51.100.1');
        }
        for ($i = 0; $i < 40; $i++) {
            $issued = $shop->checkout->issueKey(new Order("shopper-$i", 1, 'USD'), "192.0.2.$i");
            self::assertNotNull($issued->key);
        }
    }

    /** @dataProvider senders */
    public function testASender(?string $address, ?string $sender): void
    {
        self::assertSame($sender, Sender::of($address));
    }

    /** @return iterable<array{string|null, string|null}> */
    public static function senders(): iterable
    {
        yield ['203.0.113.7', '203.0.113.7'];
        yield ['::ffff:203.0.113.7', '203.0.113.7'];
        yield ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'];
        yield ['10.1.2.3', null];
        yield ['127.0.0.1', null];
        yield ['100.64.0.1', null];
        yield ['fe80::1%eth0', null];
        yield ['::1', null];
        yield ['unknown', null];
        yield [null, null];
    }
}
