<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\PdoStore;
use Cardseal\Status;
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

    public function testAClosureConnectsAnewAfterTheConnectionIsGone(): void
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'orders');
        PdoStore::sqlite($path); // makes the tables
        $shop = null;
        $isCharged = static function () use (&$shop): bool {
            return in_array('authorize', $shop?->service->asked ?? [], true);
        };
        $connections = 0;
        $store = new PdoStore(static function () use ($path, $isCharged, &$connections): \PDO {
            $isFirst = ++$connections === 1;
            return self::server($path, $isFirst ? $isCharged : static fn (): bool => false);
        });
        $shop = new Shop(store: $store, limits: $store->limits());
        $shop->checkout->issueKey(Shop::order(), Shop::SENDER);
        $outcome = $shop->checkout->pay(Shop::order(), Shop::posted(), Shop::SENDER);
        unlink($path);
        self::assertSame(Status::Committed, $outcome->status);
        self::assertSame(2, $connections);
    }

    public function testAClosureConnectsOnceWhileNothingFails(): void
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'orders');
        PdoStore::sqlite($path);
        $connections = 0;
        $store = new PdoStore(static function () use ($path, &$connections): \PDO {
            $connections++;
            return new \PDO("sqlite:$path");
        });
        self::assertSame(0, $connections);
        self::assertTrue($store->write('order-1', '{}', 0));
        self::assertFalse($store->write('order-1', '{}', 0)); // it is there already
        self::assertSame(0, $store->limits()->take('a', 1, 1, 0));
        unlink($path);
        self::assertSame(1, $connections);
    }

    /**
     * A connection to a server that can be gone.
     *
     * @param \Closure(): bool $isGone
     */
    private static function server(string $path, \Closure $isGone): \PDO
    {
        return new class ($path, $isGone) extends \PDO {
            public function __construct(string $path, private readonly \Closure $isGone)
            {
                parent::__construct("sqlite:$path");
            }

            public function getAttribute(int $attribute): mixed
            {
                $isDriver = $attribute === \PDO::ATTR_DRIVER_NAME;
                return $isDriver ? 'mysql' : parent::getAttribute($attribute);
            }

            public function prepare(string $query, array $options = []): \PDOStatement|false
            {
                return ($this->isGone)()
                    ? throw new \PDOException('MySQL server has gone away')
                    : parent::prepare($query, $options);
            }
        };
    }

    /** @return iterable<string, array{\Closure(\PDO): mixed}> */
    public static function transactions(): iterable
    {
        yield 'of PDO' => [static fn (\PDO $pdo): bool => $pdo->beginTransaction()];
        yield 'of SQL' => [static fn (\PDO $pdo): mixed => $pdo->exec('BEGIN')];
        yield 'of a savepoint' => [static fn (\PDO $pdo): mixed => $pdo->exec('SAVEPOINT a')];
    }
}
