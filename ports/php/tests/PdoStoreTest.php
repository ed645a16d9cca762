<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\PdoStore;
use Cardseal\StoreContractError;
use PHPUnit\Framework\TestCase;

/** In SQLite. test/interop/databases.php tries the same in the other databases. */
final class PdoStoreTest extends TestCase
{
    /**
     * @dataProvider transactions
     * @param \Closure(\PDO): mixed $begin
     */
    public function testWritesNothingIntoATransactionOfOtherCode(\Closure $begin): void
    {
        $pdo = new \PDO('sqlite::memory:');
        $pdo->exec('CREATE TABLE cardseal_orders (id TEXT NOT NULL PRIMARY KEY,'
            . ' value TEXT NOT NULL, version INTEGER NOT NULL, due INTEGER NOT NULL DEFAULT 1,'
            . ' changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)');
        $store = new PdoStore($pdo);
        self::assertTrue($store->write('order-1', '{}', 0));
        $begin($pdo);
        try {
            $store->write('order-1', '{"a":1}', 1);
            self::fail('It has written');
        } catch (StoreContractError) {
            $pdo->exec('ROLLBACK');
        }
        self::assertTrue($store->write('order-1', '{"a":2}', 1));
        self::assertSame('{"a":2}', $store->read('order-1')?->value);
    }

    /** @return iterable<string, array{\Closure(\PDO): mixed}> */
    public static function transactions(): iterable
    {
        yield 'of PDO' => [static fn (\PDO $pdo): bool => $pdo->beginTransaction()];
        yield 'of SQL' => [static fn (\PDO $pdo): mixed => $pdo->exec('BEGIN')];
        yield 'of a savepoint' => [static fn (\PDO $pdo): mixed => $pdo->exec('SAVEPOINT a')];
    }
}
