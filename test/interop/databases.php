<?php

/**
 * Tries what the PHP port asks of a database: databases.php FOLDER DSN, in a database with the
 * tables. Prints what it found.
 */

declare(strict_types=1);

require __DIR__ . '/autoload.php';

use Cardseal\PdoStore;
use Cardseal\StoreContractError;

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

$isMysql = str_starts_with($argv[2], 'mysql:');
$connect = static fn (): PDO => new PDO($argv[2], $isMysql ? 'root' : null);
$pdo = $connect();
$store = new PdoStore($pdo);
$limits = $store->limits();

/** How many can be taken at once of 60 and one a second. */
$atOnce = static function (string $name, int $now) use ($limits): int {
    for ($taken = 0; $taken < 200 && $limits->take($name, 60, 1, $now) === 0; $taken++);
    return $taken;
};
$found = [
    'at first' => $atOnce('a', NOW),
    'after 10 s' => $atOnce('a', NOW + 10_000),
    'after an hour' => $atOnce('a', NOW + HOUR_MS),
    'by a clock that was set back' => $atOnce('a', NOW),
    'on a host that is 15 s behind' => $atOnce('a', NOW - 15_000),
];
$limits->giveBack('a', 2.5, 60);
$found['after 2.5 were given back'] = $atOnce('a', NOW);
$limits->giveBack('a', 1000, 60);
$found['after 1000 were given back'] = $limits->left('a', 60, 1, NOW);

/** What a store says that is to write. */
$written = static function () use ($store): string {
    $version = $store->read('order-1')?->version ?? 0;
    try {
        return json_encode($store->write('order-1', '{}', $version), JSON_THROW_ON_ERROR);
    } catch (StoreContractError) {
        return 'refused';
    }
};
$found['written'] = $written();
foreach (['BEGIN', 'START TRANSACTION'] as $begin) {
    $pdo->exec($begin);
    $found["written after $begin"] = $written();
    $pdo->exec('ROLLBACK');
}
$pdo->beginTransaction();
$found['written after beginTransaction()'] = $written();
$pdo->rollBack();
$found['written at last'] = $written();
$found['version'] = $store->read('order-1')?->version;

$connection = null;
$lasting = new PdoStore(static function () use ($connect, &$connection): PDO {
    return $connection = $connect();
});
$lasting->read('order-1');
[$ask, $cut] = $isMysql
    ? ['SELECT connection_id()', 'KILL %d']
    : ['SELECT pg_backend_pid()', 'SELECT pg_terminate_backend(%d, 5000)'];
$pdo->exec(sprintf($cut, $connection->query($ask)->fetchColumn()));
try {
    $found['read after a cut'] = $lasting->read('order-1')?->version;
} catch (PDOException) {
    $found['read after a cut'] = 'failed';
}
$found['read again after a cut'] = $lasting->read('order-1')?->version;
echo json_encode($found, JSON_THROW_ON_ERROR), "\n";
