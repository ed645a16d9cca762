<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\CardPayments;
use Cardseal\Checkout;
use Cardseal\Limits;
use Cardseal\Order;
use Cardseal\OrderStore;
use Cardseal\PdoStore;
use Psr\Log\LoggerInterface;

/** A shop with a service of the test's and a database in memory. */
final class Shop
{
    public const SENDER = '203.0.113.7';

    public readonly FakeClock $clock;
    public readonly FakeTransport $service;
    public readonly OrderStore $store;
    public readonly CardPayments $payments;
    public readonly Checkout $checkout;

    public function __construct(
        ?\Closure $onPaid = null,
        ?OrderStore $store = null,
        ?Limits $limits = null,
        ?LoggerInterface $logger = null,
    ) {
        $this->clock = new FakeClock();
        $this->service = new FakeTransport($this->clock);
        $orders = PdoStore::sqlite(':memory:');
        $this->store = $store ?? $orders;
        $this->payments = new CardPayments('https://service', 'sk_test_1', transport: $this->service);
        $this->checkout = new Checkout(
            $this->payments,
            $this->store,
            $limits ?? $orders->limits(),
            $onPaid,
            $logger,
            clock: $this->clock,
        );
    }

    public static function order(string $id = 'order-1'): Order
    {
        return new Order($id, 2490, 'USD');
    }

    /** What a page posts, encrypted under a key. */
    public static function posted(string $keyId = 'cek_1'): string
    {
        $layout = [];
        $lengths = ['Pan' => 16, 'Name' => 12, 'ExpMonth' => 2, 'ExpYear' => 4, 'Cvc' => 3];
        foreach ($lengths as $field => $len) {
            $layout[] = ['field' => $field, 'len' => $len];
        }
        $block = ['payload' => str_repeat('BwcH', 85) . 'Bw==', 'key_id' => $keyId];
        return json_encode($block + ['layout' => $layout], JSON_THROW_ON_ERROR);
    }
}
