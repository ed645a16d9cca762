<?php

/**
 * Uses the PHP port's store: store.php FOLDER DSN COUNT. Adds 1 to the number in the order
 * "counter" COUNT times, and prints what it found at the end. With COUNT 0 it only reads.
 */

declare(strict_types=1);

require __DIR__ . '/autoload.php';

[, , $dsn, $count] = $argv;
$store = str_starts_with($dsn, 'sqlite:')
    ? Cardseal\PdoStore::sqlite(substr($dsn, strlen('sqlite:')))
    : new Cardseal\PdoStore(new PDO($dsn));

for ($done = 0; $done < (int) $count;) {
    $found = $store->read('counter');
    $next = (string) (1 + (int) ($found?->value ?? 0));
    $done += (int) $store->write('counter', $next, $found?->version ?? 0);
}
$found = $store->read('counter');
if ($found !== null && $store->write('counter', 'lost', $found->version - 1)) {
    throw new Exception('A write under an old version was taken');
}
echo json_encode($found), "\n";
