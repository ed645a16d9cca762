<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Keeps orders in SQLite, PostgreSQL, MySQL or MariaDB. Create the tables once.
 *
 * PostgreSQL:
 *
 *     CREATE TABLE cardseal_orders (
 *       id text COLLATE "C" PRIMARY KEY,
 *       value text NOT NULL,
 *       version integer NOT NULL,
 *       due boolean NOT NULL DEFAULT true,
 *       changed timestamptz NOT NULL DEFAULT now()
 *     );
 *     CREATE INDEX cardseal_orders_due ON cardseal_orders (id) WHERE due;
 *     CREATE TABLE cardseal_limits (
 *       name text PRIMARY KEY, remaining double precision NOT NULL, at bigint NOT NULL
 *     );
 *
 * MySQL and MariaDB, where text is compared without regard to case, accents or spaces at the end:
 *
 *     CREATE TABLE cardseal_orders (
 *       id varbinary(750) PRIMARY KEY,
 *       value longtext CHARACTER SET utf8mb4 NOT NULL,
 *       version integer NOT NULL,
 *       due boolean NOT NULL DEFAULT true,
 *       changed timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
 *       KEY cardseal_orders_due (due, id)
 *     ) ENGINE = InnoDB;
 *     CREATE TABLE cardseal_limits (
 *       name varbinary(800) PRIMARY KEY, remaining double NOT NULL, at bigint NOT NULL
 *     ) ENGINE = InnoDB;
 *
 * It must have a connection of its own, to the primary server: what is written has to be in the
 * database before the card is sent on. `synchronous_commit` and `innodb_flush_log_at_trx_commit`
 * must keep what was acknowledged.
 */
final class PdoStore implements OrderStore
{
    private const SQLITE = [
        'PRAGMA busy_timeout = 5000',
        'PRAGMA synchronous = FULL',
        'CREATE TABLE IF NOT EXISTS cardseal_orders (id TEXT NOT NULL PRIMARY KEY,'
        . ' value TEXT NOT NULL, version INTEGER NOT NULL, due INTEGER NOT NULL DEFAULT 1,'
        . ' changed TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP)',
        'CREATE INDEX IF NOT EXISTS cardseal_orders_due ON cardseal_orders (id) WHERE due = 1',
        'CREATE TABLE IF NOT EXISTS cardseal_limits (name TEXT NOT NULL PRIMARY KEY,'
        . ' remaining REAL NOT NULL, at INTEGER NOT NULL)',
    ];

    private readonly Database $database;

    /**
     * @param \PDO|(\Closure(): \PDO) $connection a closure connects before the first statement,
     *     and again after one that has failed: so a database that restarts during a payment loses
     *     no answer. A \PDO never connects again.
     */
    public function __construct(\PDO|\Closure $connection)
    {
        $this->database = new Database($connection);
    }

    /**
     * A file of SQLite, with its tables: for a shop on one machine.
     *
     * @param string $path a file that lasts, on a disk of this machine, and that no web server
     *     sends to anybody
     */
    public static function sqlite(string $path): self
    {
        $store = new self(new \PDO("sqlite:$path"));
        foreach (self::SQLITE as $sql) {
            $store->run($sql, []);
        }
        return $store;
    }

    /** Limits in the same database, for Checkout. */
    public function limits(): PdoLimits
    {
        return new PdoLimits($this->database);
    }

    public function read(string $orderId): ?Entry
    {
        $sql = 'SELECT id, value, version FROM cardseal_orders WHERE id = :id';
        $row = $this->run($sql, ['id' => $orderId])->fetch(\PDO::FETCH_NUM);
        if ($row === false) {
            return null;
        }
        if ($row[0] !== $orderId) {
            throw new StoreContractError(
                'The database takes two ids for one. Capital letters, accents and spaces at the end '
                . 'must count: in MySQL, use varbinary(750) for the column id',
            );
        }
        return new Entry((string) $row[1], (int) $row[2]);
    }

    public function write(string $orderId, string $value, int $version, bool $due = true): bool
    {
        if ($this->isInTransaction()) {
            throw new StoreContractError(
                'Other code has a transaction open on this connection, and could roll the order back',
            );
        }
        $values = ['value' => $value, 'new' => $version + 1, 'due' => $due, 'id' => $orderId];
        if ($version > 0) {
            $sql = 'UPDATE cardseal_orders SET value = :value, version = :new, due = :due,'
                . ' changed = CURRENT_TIMESTAMP WHERE id = :id AND version = :old';
            return $this->run($sql, $values + ['old' => $version])->rowCount() === 1;
        }
        $sql = 'INSERT INTO cardseal_orders (value, version, due, id)'
            . ' VALUES (:value, :new, :due, :id)';
        try {
            return $this->run($sql, $values)->rowCount() === 1;
        } catch (\PDOException $error) {
            if (!Database::isDuplicate($error)) {
                throw $error;
            }
            return false;
        }
    }

    public function listDue(int $limit, string $after = ''): array
    {
        $sql = 'SELECT id, value, version FROM cardseal_orders WHERE due = :due AND id > :after'
            . ' ORDER BY id LIMIT :limit';
        $rows = $this->run($sql, ['due' => true, 'after' => $after, 'limit' => $limit]);
        $listed = [];
        foreach ($rows->fetchAll(\PDO::FETCH_NUM) as [$id, $value, $version]) {
            $listed[] = new ListedOrder((string) $id, (string) $value, (int) $version);
        }
        return $listed;
    }

    /** Whether other code has left a transaction open. */
    private function isInTransaction(): bool
    {
        $pdo = $this->database->pdo();
        if ($pdo->getAttribute(\PDO::ATTR_DRIVER_NAME) !== 'sqlite') {
            return $pdo->inTransaction(); // as the server has last said
        }
        // Of SQLite, PDO only knows its own beginTransaction(), and not exec('BEGIN') (PHP 8.2). A
        // second BEGIN is refused, for no other reason. Neither statement touches the file.
        try {
            $this->run('BEGIN', []);
        } catch (\PDOException) {
            return true;
        }
        $this->run('COMMIT', []);
        return false;
    }

    /** @param array<string, bool|int|string> $values */
    private function run(string $sql, array $values): \PDOStatement
    {
        return $this->database->run($sql, $values);
    }
}
