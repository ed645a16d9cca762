<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\State;
use Cardseal\StoredKey;
use Cardseal\StoredOrder;
use Cardseal\StoredValue;
use Cardseal\UnreadableOrder;
use PHPUnit\Framework\TestCase;

final class StoredValueTest extends TestCase
{
    private static function value(int $expiresAt): string
    {
        $key = new StoredKey('cek_1', 2490, 'USD', $expiresAt);
        return StoredValue::of(new StoredOrder(State::Open, 2490, 'USD', keys: [$key]));
    }

    public function testAnOrderThatWasSentCannotBeWithdrawn(): void
    {
        $order = new StoredOrder(State::Withdrawn, 2490, 'USD', intentId: 'pi_card_1');
        self::assertEquals($order, StoredValue::read(StoredValue::of($order), 'order-1'));
        $this->expectException(UnreadableOrder::class);
        StoredValue::read(StoredValue::of($order->with(sent: true)), 'order-1');
    }

    /** @dataProvider times */
    public function testATimeIsAnyWholeNumberThatJsonKeeps(int $expiresAt): void
    {
        $read = StoredValue::read(self::value($expiresAt), 'order-1');
        self::assertSame($expiresAt, $read->keys[0]->expiresAt);
    }

    /** @return iterable<array{int}> */
    public static function times(): iterable
    {
        yield [-(2 ** 53) + 1];
        yield [-1];
        yield [0];
        yield [2 ** 53 - 1];
    }

    /** @dataProvider others */
    public function testNothingElseIsATime(string $expiresAt): void
    {
        $value = str_replace('"expiresAt":0', "\"expiresAt\":$expiresAt", self::value(0));
        $this->expectException(UnreadableOrder::class);
        StoredValue::read($value, 'order-1');
    }

    /** @return iterable<array{string}> JSON */
    public static function others(): iterable
    {
        foreach (['-9007199254740992', '9007199254740992', '0.5', '"0"', 'true', 'null'] as $json) {
            yield $json => [$json];
        }
    }
}
