<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Attempt;
use Cardseal\CaptureMethod;
use Cardseal\EncryptedCard;
use Cardseal\Entry;
use Cardseal\LastTry;
use Cardseal\Left;
use Cardseal\Limits;
use Cardseal\ListedOrder;
use Cardseal\Order;
use Cardseal\OrderStore;
use Cardseal\PaidOrder;
use Cardseal\PaidOutcome;
use Cardseal\PdoStore;
use Cardseal\Resolution;
use Cardseal\Sender;
use Cardseal\State;
use Cardseal\Status;
use Cardseal\StoreContractError;
use Cardseal\StoredOrder;
use Cardseal\StoredValue;
use Cardseal\SweptOrder;
use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;

/** What the scenarios of the corpus do not say: delivery, sweep, limits. */
final class CheckoutTest extends TestCase
{
    private string $log;

    protected function setUp(): void
    {
        $this->log = (string) tempnam(sys_get_temp_dir(), 'log');
        ini_set('error_log', $this->log);
    }

    protected function tearDown(): void
    {
        unlink($this->log);
    }

    private function logged(): string
    {
        return (string) file_get_contents($this->log);
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

    /** @dataProvider paidOrNot */
    public function testAPageThatAsksForAKeyJustBeforeAnotherBeginsToPayWaits(bool $isPaid): void
    {
        $shop = null;
        $since = null;
        $read = static function (PdoStore $store, string $id) use (&$shop, &$since, $isPaid): ?Entry {
            $entry = $store->read($id);
            $keys = count($shop?->service->asked ?? []);
            if ($entry === null || $keys < 2) {
                return $entry;
            }
            $since ??= $shop->clock->now;
            $isPaying = $shop->clock->now < $since + 2000;
            $paying = ['token' => 't', 'keyId' => 'cek_1', 'startedAt' => $since];
            $sent = ['sent' => true, 'intentId' => 'pi_card_1'];
            $order = match (true) {
                $isPaying => ['state' => 'paying', 'attempt' => $paying] + $sent,
                $isPaid => ['state' => 'paid', 'paid' => 'committed'] + $sent,
                default => [],
            } + json_decode($entry->value, true);
            return new Entry(json_encode($order, JSON_THROW_ON_ERROR), $entry->version);
        };
        $shop = new Shop(store: new OwnStore(read: $read));
        $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        $second = $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        self::assertSame($isPaid ? Status::Committed : Status::Open, $second->outcome?->status);
        self::assertSame($isPaid, $second->key === null);
    }

    /** @return iterable<array{bool}> */
    public static function paidOrNot(): iterable
    {
        yield 'which is paid' => [true];
        yield 'which is declined' => [false];
    }

    public function testAClaimThatEndsLaterThanAnyCanIsMadeAnew(): void
    {
        $tries = [];
        $shop = new Shop(static function (PaidOrder $order, PaidOutcome $outcome) use (&$tries): void {
            $tries[] = $outcome->tries;
            if ($outcome->tries === 1) {
                throw new \RuntimeException();
            }
        });
        self::assertSame(Status::Committed, self::pay($shop));
        $shop->clock->sleep(-3_570_000); // it was ahead, and is set right
        $shop->checkout->outcome('order-1');
        self::assertSame([1], $tries); // the claim may be one of an hour
        $shop->clock->sleep(-1);
        $shop->checkout->outcome('order-1');
        self::assertSame([1, 2], $tries);
    }

    public function testAStoreThatIsSlowerThanTheClaimDoesNotKeepTheOrderFromDelivery(): void
    {
        $store = new class (PdoStore::sqlite(':memory:')) implements OrderStore {
            public ?FakeClock $clock = null;

            public function __construct(private readonly PdoStore $store)
            {
            }

            public function read(string $orderId): ?Entry
            {
                return $this->store->read($orderId);
            }

            public function write(string $id, string $value, int $version, bool $due = true): bool
            {
                if (preg_match('/"tries":[12]/', $value) === 1) {
                    $this->clock?->sleep(60_001);
                }
                return $this->store->write($id, $value, $version, $due);
            }

            public function listDue(int $limit, string $after = ''): array
            {
                return $this->store->listDue($limit, $after);
            }
        };
        $tries = [];
        $onPaid = static function (PaidOrder $order, PaidOutcome $outcome) use (&$tries): void {
            $tries[] = $outcome->tries;
        };
        $shop = new Shop($onPaid, $store);
        $store->clock = $shop->clock;
        self::assertSame(Status::Committed, self::pay($shop));
        self::assertSame([3], $tries); // the third claim, of the same call
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
        self::assertSame(1, substr_count($this->logged(), '10 cards of order "order-1"'));
        // Staff let an honest shopper go on.
        self::assertSame(Status::NoOrder, $shop->checkout->withdraw(Shop::order())->status);
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

    public function testBlocksThatTheServiceRefusesCountAsDeclinesOfTheirSender(): void
    {
        $shop = new Shop();
        $shop->service->status = 'refused';
        for ($i = 1; $i <= 10; $i += 2) {
            self::assertSame(Status::RetryIsSafe, self::pay($shop, "order-$i", "cek_$i"));
            $second = 'cek_' . ($i + 1); // of the same order: it counts, too
            self::assertSame(Status::NotCertain, self::pay($shop, "order-$i", $second));
        }
        self::assertSame(Status::NotPaid, self::pay($shop, 'order-11', 'cek_11'));
        self::assertCount(10, array_keys($shop->service->asked, 'authorize'));
    }

    public function testASweepSettlesWhatALookUpFinds(): void
    {
        $shop = new Shop();
        $shop->service->status = 'lost';
        self::assertSame(Status::NotCertain, self::pay($shop));
        $left = static fn (?\Closure $lookUp = null): array => array_map(
            static fn (SweptOrder $order): Left => $order->left,
            $shop->checkout->sweep($lookUp),
        );
        self::assertSame([Left::LookUp], $left());
        self::assertSame([Left::Cancel], $left(static fn (): string => 'created'));
        self::assertSame([Left::Nothing], $left(static fn (): string => 'committed'));
        self::assertSame(Status::Committed, $shop->checkout->outcome('order-1')->status);
        self::assertSame([], $left());
    }

    public function testALookUpThatFailsKeepsNoOtherOrderWaiting(): void
    {
        $shop = new Shop();
        $shop->service->status = 'lost';
        self::pay($shop);
        self::pay($shop, 'order-2', 'cek_2');
        // null for a string: a TypeError, which is no \Exception.
        $lookUp = static fn (string $intentId, string $orderId): string =>
            $orderId === 'order-1' ? null : 'committed';
        $left = array_column($shop->checkout->sweep($lookUp), 'left', 'order');
        self::assertSame(['order-1' => Left::LookUp, 'order-2' => Left::Nothing], $left);
        self::assertStringContainsString('of order "order-1" failed: TypeError at', $this->logged());
    }

    public function testASweptOrderIsTheSameJsonInEveryLanguage(): void
    {
        $expected = '{"order":"a","intent":null,"status":"unreadable","left":"look_up"}';
        $swept = new SweptOrder('a', null, 'unreadable', Left::LookUp);
        self::assertSame($expected, json_encode($swept));
    }

    public function testNothingIsSentUnderADraftWithAnotherCaptureMethod(): void
    {
        $shop = new Shop();
        $order = new Order('order-1', 2490, 'USD', captureMethod: CaptureMethod::Manual);
        $shop->checkout->issueKey($order, Shop::SENDER); // the service makes "automatic" of it
        $outcome = $shop->checkout->pay($order, Shop::posted(), Shop::SENDER);
        self::assertSame(Status::NotPaid, $outcome->status);
        self::assertSame(['key', 'intent'], $shop->service->asked);
        self::assertStringContainsString('another capture_method', $this->logged());
    }

    public function testAnIntentMayHoldANumberThatIsTooGreatForPhp(): void
    {
        $shop = new Shop();
        $shop->service->metadata = '{"score":1e999,"deep":{"list":[-1e999,{}]}}';
        self::assertSame(Status::Committed, self::pay($shop));
        $card = EncryptedCard::read(Shop::posted());
        self::assertInstanceOf(EncryptedCard::class, $card);
        $intent = $shop->payments->authorize('pi_card_1', $card);
        $expected = ['score' => INF, 'deep' => ['list' => [-INF, []]]];
        self::assertSame($expected, $intent->resource['metadata']);
    }

    public function testATransportThatBreaksLeavesNoOrderBeingPaid(): void
    {
        $shop = new Shop();
        $shop->service->status = 'broken'; // a TypeError, which is no \Exception
        self::assertSame(Status::NotCertain, self::pay($shop));
        self::assertStringContainsString('"state":"uncertain"', $shop->store->read('order-1')?->value);
        self::assertStringContainsString('intent "pi_card_1": TypeError at', $this->logged());
    }

    public function testALongReasonIsCutBetweenCharacters(): void
    {
        $shop = new Shop();
        $shop->service->status = 'failed';
        $shop->service->reason = str_repeat('é', 300);
        $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        $outcome = $shop->checkout->pay(Shop::order(), Shop::posted(), Shop::SENDER);
        self::assertSame(str_repeat('é', 200), $outcome->reason);
    }

    /** @dataProvider sums */
    public function testASum(mixed $amount, ?int $minorUnits): void
    {
        $shop = new Shop();
        // By reflection, as in a file without strict_types: PHP would make 24 of "24.90".
        $order = new \ReflectionClass(Order::class);
        try {
            $found = $order->newInstance('order-1', $amount, 'USD')->amount;
        } catch (\InvalidArgumentException) {
            $found = null;
        }
        self::assertSame($minorUnits, $found);
        if ($minorUnits === null) {
            $this->expectException(\InvalidArgumentException::class);
        }
        $create = new \ReflectionMethod($shop->payments, 'createIntent');
        self::assertSame('pi_card_1', $create->invoke($shop->payments, $amount, 'USD')->id);
    }

    /** @return iterable<array{mixed, int|null}> */
    public static function sums(): iterable
    {
        yield [2490, 2490];
        yield [round(100 * 24.9), 2490];
        yield ['2490', 2490];
        yield [24.9, null];
        yield ['24.90', null];
        yield [100 * 19.99, null]; // 1998.9999999999998
        yield [-1, null];
        yield [NAN, null];
        yield [INF, null];
    }

    public function testACounterThatFailsAfterTheChargeDoesNotHideIt(): void
    {
        $limits = new class () implements Limits {
            public function take(string $name, float $burst, float $perSecond, int $now): int
            {
                return 0;
            }

            public function left(string $name, float $burst, float $perSecond, int $now): float
            {
                return $burst;
            }

            public function giveBack(string $name, float $count, float $burst): void
            {
                throw new \PDOException('the database has gone');
            }
        };
        $paid = 0;
        $shop = new Shop(static function () use (&$paid): void {
            $paid++;
        }, limits: $limits);
        self::assertSame(Status::Committed, self::pay($shop));
        self::assertSame(1, $paid);
        self::assertStringContainsString('A limit could not be counted', $this->logged());
    }

    public function testACounterThatFailsBeforeTheCardIsSentLeavesTheOrderNotPaid(): void
    {
        $limits = new class () implements Limits {
            public function take(string $name, float $burst, float $perSecond, int $now): int
            {
                return str_starts_with($name, 'declines:') ? throw new \PDOException() : 0;
            }

            public function left(string $name, float $burst, float $perSecond, int $now): float
            {
                return $burst;
            }

            public function giveBack(string $name, float $count, float $burst): void
            {
            }
        };
        $shop = new Shop(limits: $limits);
        self::assertSame(Status::NotPaid, self::pay($shop));
        self::assertSame(['key'], $shop->service->asked);
        $line = 'Block not sent: order "order-1": a limit could not be counted: PDOException';
        self::assertStringContainsString($line, $this->logged());
    }

    /** @dataProvider outages */
    public function testAStoreThatFailsAfterTheChargeIsAskedAgain(int $failures, Status $status): void
    {
        $shop = null;
        $fail = static function () use (&$shop, &$failures): void {
            $isCharged = in_array('authorize', $shop?->service->asked ?? [], true);
            if ($isCharged && $failures-- > 0) {
                throw new \PDOException('the database has gone');
            }
        };
        $store = new OwnStore(
            read: static function (PdoStore $store, string $orderId) use ($fail): ?Entry {
                $fail();
                return $store->read($orderId);
            },
            write: static function (PdoStore $store, mixed ...$given) use ($fail): bool {
                $fail();
                return $store->write(...$given);
            },
        );
        $shop = new Shop(store: $store);
        self::assertSame($status, self::pay($shop));
        $line = 'Answer not stored: order "order-1", intent "pi_card_1", status "committed"';
        $isTold = str_contains($this->logged(), $line);
        self::assertSame($status === Status::NotCertain, $isTold);
    }

    /** @return iterable<array{int, Status}> so many reads and writes fail */
    public static function outages(): iterable
    {
        yield 'for a moment' => [1, Status::Committed];
        yield 'for 5 s' => [10, Status::Committed];
        yield 'for longer than 10 s' => [100, Status::NotCertain];
    }

    public function testAnOrderThatIsWithdrawnGetsNoKeyAndNoBlockOfItIsSent(): void
    {
        $shop = new Shop();
        $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        self::assertSame(Status::NoOrder, $shop->checkout->withdraw(Shop::order())->status);
        $issued = $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        self::assertNull($issued->key);
        self::assertSame(Status::NoOrder, $issued->outcome?->status);
        $outcome = $shop->checkout->pay(Shop::order(), Shop::posted(), Shop::SENDER);
        self::assertSame(Status::NotPaid, $outcome->status);
        self::assertStringContainsString('or the order was withdrawn', $this->logged());
        self::assertSame(Status::NoOrder, $shop->checkout->outcome('order-1')->status);
        self::assertSame(Status::NoOrder, $shop->checkout->withdraw(Shop::order())->status);
        self::assertSame(['key'], $shop->service->asked);
    }

    public function testAnOrderIsWithdrawnBeforeItsFirstKey(): void
    {
        $shop = new Shop();
        self::assertSame(Status::NoOrder, $shop->checkout->withdraw(Shop::order())->status);
        self::assertNull($shop->checkout->issueKey(Shop::order(), Shop::SENDER)->key);
        self::assertSame([], $shop->service->asked);
    }

    /** @dataProvider sent */
    public function testAnOrderThatMayBeChargedIsNotWithdrawn(string $answer, Status $status): void
    {
        $shop = new Shop();
        $shop->service->status = $answer;
        self::pay($shop);
        $stored = $shop->store->read('order-1');
        self::assertSame($status, $shop->checkout->withdraw(Shop::order())->status);
        self::assertEquals($stored, $shop->store->read('order-1'));
    }

    /** @return iterable<array{string, Status}> what the service answers, and the outcome */
    public static function sent(): iterable
    {
        yield ['committed', Status::Committed];
        yield ['authorized', Status::Authorized];
        yield ['lost', Status::NotCertain];
    }

    public function testAnOrderThatIsOpenForASafeRetryIsNotWithdrawn(): void
    {
        $shop = new Shop();
        $shop->service->status = 'lost';
        self::pay($shop);
        $shop->checkout->sweep(static fn (): string => 'created');
        $outcome = $shop->checkout->withdraw(Shop::order());
        self::assertSame([Status::Open, LastTry::RetryIsSafe], [$outcome->status, $outcome->last]);
    }

    public function testAnOrderIsWithdrawnAfterADecline(): void
    {
        $shop = new Shop();
        $shop->service->status = 'failed';
        self::pay($shop);
        self::assertSame(Status::NoOrder, $shop->checkout->withdraw(Shop::order())->status);
    }

    public function testABlockThatWaitsForItsDraftIsNotSentAfterTheOrderIsWithdrawn(): void
    {
        $shop = new Shop();
        $withdrawn = null;
        $shop->service->duringDraft = static function () use ($shop, &$withdrawn): void {
            self::assertSame(Status::Open, $shop->checkout->outcome('order-1')->status);
            $withdrawn = $shop->checkout->withdraw(Shop::order())->status;
        };
        self::assertSame(Status::NotPaid, self::pay($shop));
        self::assertSame(Status::NoOrder, $withdrawn);
        self::assertSame(['key', 'intent'], $shop->service->asked);
    }

    public function testAnOrderIsNotCertainIfTheStoreFailsToWithdrawIt(): void
    {
        $shop = new Shop(store: new OwnStore(write: static fn (): bool => throw new \PDOException()));
        $outcome = $shop->checkout->withdraw(Shop::order());
        self::assertSame(Status::NotCertain, $outcome->status);
        self::assertSame('order-1', $outcome->order);
        self::assertStringContainsString('The store failed: order "order-1"', $this->logged());
    }

    /** @dataProvider manyCards */
    public function testManyMoreDeclinesThanPaymentsAreNotedOnce(int $paidOfThree, int $notes): void
    {
        $shop = new Shop();
        for ($i = 1; $i <= 120; $i++) {
            $shop->service->status = $i % 3 < $paidOfThree ? 'committed' : 'failed';
            $order = Shop::order("order-$i");
            $shop->checkout->issueKey($order, "203.0.113.$i");
            $shop->checkout->pay($order, Shop::posted("cek_$i"), "203.0.113.$i");
        }
        self::assertSame($notes, substr_count($this->logged(), 'More cards are declined than paid'));
    }

    /** @return iterable<array{int, int}> */
    public static function manyCards(): iterable
    {
        yield 'none paid' => [0, 1];
        yield 'two of three paid' => [2, 0];
    }

    public function testALoggerGetsTheIdsAsContextAndNoError(): void
    {
        $logger = new class () extends AbstractLogger {
            /** @var list<array{mixed, string, array<mixed>}> */
            public array $lines = [];

            public function log($level, $message, array $context = []): void
            {
                $this->lines[] = [$level, (string) $message, $context];
            }
        };
        $shop = new Shop(logger: $logger);
        $shop->service->status = 'lost';
        self::pay($shop);
        [[$level, $line, $context], [, , $uncertain]] = $logger->lines;
        self::assertSame(['warning', ['intent' => 'pi_card_1']], [$level, $context]);
        self::assertStringStartsWith('Authorization failed: intent "pi_card_1": The service', $line);
        self::assertSame(['order' => 'order-1', 'intent' => 'pi_card_1'], $uncertain);
        self::assertSame('', $this->logged());
    }

    public function testATableThatIsMissingIsSaidByItsSqlstate(): void
    {
        $pdo = new \PDO('sqlite::memory:');
        $shop = new Shop(limits: (new PdoStore($pdo))->limits());
        self::assertNull($shop->checkout->issueKey(Shop::order(), Shop::SENDER)->outcome);
        self::assertMatchesRegularExpression(
            '/No key for order "order-1": PDOException HY000 1 at \w+\.php:\d+/',
            $this->logged(),
        );
    }

    public function testACounterThatCannotBeBegunIsAnErrorAndNoWait(): void
    {
        $pdo = new \PDO('sqlite::memory:');
        // As for a user who may read and update, but not insert.
        $pdo->exec("CREATE VIEW cardseal_limits AS SELECT 'a' AS name, 1 AS remaining, 0 AS at");
        $pdo->exec('CREATE TRIGGER updates INSTEAD OF UPDATE ON cardseal_limits BEGIN SELECT 1; END');
        $this->expectException(\PDOException::class);
        (new PdoStore($pdo))->limits()->take('order:1', 1, 1, 0);
    }

    /** @dataProvider postedWithoutBlock */
    public function testALineSaysWhetherNothingWasPostedOrWhatIsNoBlock(mixed $posted, string $why): void
    {
        $shop = new Shop();
        $outcome = $shop->checkout->pay(Shop::order(), $posted, Shop::SENDER);
        self::assertSame(Status::InvalidEncryptedCard, $outcome->status);
        self::assertStringContainsString("order \"order-1\": $why", $this->logged());
    }

    /** @return iterable<array{mixed, string}> */
    public static function postedWithoutBlock(): iterable
    {
        yield [null, 'no field encrypted_card was posted'];
        yield ['', 'no field encrypted_card was posted'];
        yield ['4242', 'what was posted is no block'];
    }

    public function testAnUnknownSenderIsNotedOnceAnHour(): void
    {
        $shop = new Shop();
        for ($minute = 0; $minute < 70; $minute++) {
            $shop->checkout->issueKey(Shop::order("order-$minute"), '10.0.0.1');
            $shop->clock->sleep(60_000);
        }
        self::assertSame(2, substr_count($this->logged(), 'No limits by sender: the sender is'));
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

    /** An order that is not certain for each id, by a service that does not answer. */
    private static function uncertain(Shop $shop, string ...$ids): void
    {
        $shop->service->status = 'lost';
        foreach ($ids as $at => $id) {
            self::assertSame(Status::NotCertain, self::pay($shop, $id, 'cek_' . ($at + 1)));
        }
    }

    public function testASweepDeliversWhatIsPaidBeforeItLooksAnythingUp(): void
    {
        $events = [];
        $shop = new Shop(static function (PaidOrder $order, PaidOutcome $outcome) use (&$events): void {
            $events[] = "deliver $order->id";
            if ($outcome->tries === 1) {
                throw new \RuntimeException();
            }
        });
        self::uncertain($shop, 'order-1');
        $shop->service->status = 'committed';
        self::pay($shop, 'order-2', 'cek_2');
        $shop->clock->sleep(200_000);
        $events = [];
        $shop->checkout->sweep(static function (string $_, string $orderId) use (&$events): string {
            $events[] = "look up $orderId";
            throw new \RuntimeException();
        });
        self::assertSame(['deliver order-2', 'look up order-1'], $events);
    }

    public function testASweepWaitsForAStoreThatFailsAndReportsADamagedValue(): void
    {
        $value = StoredValue::of(new StoredOrder(State::Open, 2490, 'USD'));
        $listed = [
            new ListedOrder('order-1', $value, 1),
            new ListedOrder('order-2', '{', 1),
        ];
        foreach ([new \PDOException(), new StoreContractError(), new \TypeError()] as $error) {
            $store = new OwnStore(
                read: static fn (): ?Entry => throw $error,
                listDue: static fn (): array => $listed,
            );
            $expected = [
                new SweptOrder('order-1', null, 'not_certain', Left::Wait),
                new SweptOrder('order-2', null, 'unreadable', Left::Repair),
            ];
            self::assertEquals($expected, (new Shop(store: $store))->checkout->sweep());
        }
        self::assertStringContainsString('Sweep: order "order-1": PDOException', $this->logged());
        $damaged = 'Sweep: order "order-2": its stored value is damaged';
        self::assertStringContainsString($damaged, $this->logged());
    }

    /** @dataProvider endlessLists */
    public function testASweepEndsWhateverAListGives(StoredOrder $stored, int $length): void
    {
        $value = StoredValue::of($stored);
        $list = [];
        for ($i = 0; $i < $length; $i++) {
            $list[] = new ListedOrder("order-$i", $value, 1);
        }
        $calls = 0;
        $listDue = static function () use ($list, &$calls): array {
            return ++$calls < 5 ? $list : throw new \LogicException('It goes on');
        };
        $shop = new Shop(store: new OwnStore(listDue: $listDue));
        $this->expectException(StoreContractError::class);
        $shop->checkout->sweep();
    }

    /** @return iterable<array{StoredOrder, int}> each order, and how many there are */
    public static function endlessLists(): iterable
    {
        $open = new StoredOrder(State::Open, 2490, 'USD');
        $uncertain = $open->with(
            state: State::Uncertain,
            intentId: 'pi_card_1',
            sent: true,
            attempt: new Attempt('token', 'cek_1', 0),
        );
        yield [$open, 100];
        yield [$uncertain, 100];
        yield [$open, 101]; // more than were asked for
    }

    public function testASweepAsksNoMoreAfterThreeLookUpsInARowWithoutAnAnswer(): void
    {
        $shop = new Shop();
        self::uncertain($shop, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
        $asked = [];
        $lookUp = static function (string $_, string $orderId) use (&$asked): string {
            $asked[] = $orderId;
            return $orderId === 'c' ? 'unknown' : throw new \RuntimeException();
        };
        $swept = $shop->checkout->sweep($lookUp);
        self::assertSame(['a', 'b', 'c', 'd', 'e', 'f'], $asked); // the answer of c counts
        self::assertSame(array_fill(0, 8, Left::LookUp), array_column($swept, 'left'));
        $asked = [];
        $shop->clock->now += 3;
        $shop->checkout->sweep($lookUp);
        self::assertSame(['d', 'e', 'f'], $asked); // each time from another place on
    }
}
