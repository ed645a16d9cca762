<?php

/** A shop for the tests. */

declare(strict_types=1);

use Cardseal\CardPayments;
use Cardseal\Checkout;
use Cardseal\Handler;
use Cardseal\Order;
use Cardseal\PaidOrder;
use Cardseal\PaidOutcome;
use Cardseal\PdoStore;
use Cardseal\Request;

spl_autoload_register(static function (string $class): void {
    require getenv('PORT_FOLDER') . '/' . substr($class, strlen('Cardseal\\')) . '.php';
});

[$kind, $address] = explode('|', (string) getenv('STORE'), 2);
$store = match ($kind) {
    'sqlite' => PdoStore::sqlite($address),
    'mysql' => new PdoStore(static fn (): PDO => new PDO(
        "mysql:unix_socket=$address;dbname=shop;charset=utf8mb4",
        'root',
        '',
    )),
    default => new PdoStore(static fn (): PDO => new PDO($address)),
};
$checkout = new Checkout(
    new CardPayments(
        (string) getenv('CARD_PAYMENTS_URL'),
        (string) getenv('CARD_PAYMENTS_SECRET_KEY'),
        5000,
    ),
    $store,
    $store->limits(),
    onPaid: static function (PaidOrder $order, PaidOutcome $outcome): void {
        $line = "$order->id $outcome->reference\n";
        file_put_contents((string) getenv('DELIVERED'), $line, FILE_APPEND);
    },
    keysPerSecond: 1000,
);
if (PHP_SAPI === 'cli') {
    // The sandbox can be asked; the specification shows no way.
    $lookUp = static function (string $intentId): string {
        $header = 'Authorization: Bearer ' . getenv('CARD_PAYMENTS_SECRET_KEY');
        $context = stream_context_create(['http' => ['header' => $header, 'timeout' => 5]]);
        $url = getenv('CARD_PAYMENTS_URL') . "/payments/card/$intentId";
        return json_decode((string) file_get_contents($url, false, $context))->status;
    };
    echo json_encode($checkout->sweep($lookUp)), "\n";
    return;
}
$order = isset($_GET['order']) ? new Order((string) $_GET['order'], 2490, 'USD') : null;
(new Handler($checkout))->handle(Request::current('203.0.113.7'), $order)->send();
