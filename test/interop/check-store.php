<?php

/** Tries the PHP port's store: check-store.php FOLDER DSN. Prints what is wrong with it. */

declare(strict_types=1);

require __DIR__ . '/autoload.php';

[, , $dsn] = $argv;
$store = new Cardseal\PdoStore(new PDO($dsn, 'root'));
for ($i = 0; $i < 2; $i++) { // the longest id of an order that the table takes
    if ($store->limits()->take('order:' . str_repeat('é', 375), 1, 0.001, 0) > 0 === ($i === 0)) {
        throw new Exception('The limit of a long id does not count');
    }
}
echo json_encode(Cardseal\CheckStore::problems($store), JSON_THROW_ON_ERROR), "\n";
