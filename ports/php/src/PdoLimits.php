<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Counts in a database, in the table cardseal_limits: see PdoStore. Each request is one statement,
 * so that many at once do not wait for each other.
 */
final class PdoLimits implements Limits
{
    /** Nothing that was left for so long counts any more. */
    private const FORGET_AFTER_MS = 2 * 3_600_000;
    /**
     * A row may be so many milliseconds ahead: another host has written it, whose clock is ahead.
     * Then no time has passed, and its time stays: else that host would count the difference as
     * time, again and again. A row further ahead is from before the clock was set back.
     */
    private const IS_AHEAD = 'at - :now BETWEEN 0 AND 60000';
    /** ABS: a clock that was set back by an hour counts as an hour, so that nobody waits for it. */
    private const PASSED = 'CASE WHEN ' . self::IS_AHEAD . ' THEN 0 ELSE ABS(:now - at) END';
    private const REFILLED = 'remaining + ' . self::PASSED . ' * :rate / 1000.0';
    private const LEFT =
        'CASE WHEN ' . self::REFILLED . ' < :burst THEN ' . self::REFILLED . ' ELSE :burst END';

    private readonly Database $database;

    /** @param \PDO|(\Closure(): \PDO)|Database $connection as PdoStore takes it, or its own */
    public function __construct(\PDO|\Closure|Database $connection)
    {
        $this->database = $connection instanceof Database ? $connection : new Database($connection);
    }

    public function take(string $name, float $burst, float $perSecond, int $now): int
    {
        if (random_int(1, 200) === 1) {
            $this->forget($now);
        }
        for ($try = 0; $try < 2; $try++) {
            $left = $this->find($name, $burst, $perSecond, $now);
            if ($left === null) {
                $this->begin($name, $burst, $now);
            } elseif ($left < 1) {
                return (int) ceil((1 - $left) / $perSecond);
            } elseif ($this->takeOne($name, $burst, $perSecond, $now)) {
                return 0;
            }
        }
        return $this->takeOne($name, $burst, $perSecond, $now) ? 0 : 1;
    }

    public function left(string $name, float $burst, float $perSecond, int $now): float
    {
        return $this->find($name, $burst, $perSecond, $now) ?? $burst;
    }

    public function giveBack(string $name, float $count, float $burst): void
    {
        $sql = 'UPDATE cardseal_limits SET remaining ='
            . ' CASE WHEN remaining + :count < :burst THEN remaining + :count ELSE :burst END'
            . ' WHERE name = :name';
        $this->run($sql, ['count' => $count, 'burst' => $burst, 'name' => $name]);
    }

    private function find(string $name, float $burst, float $perSecond, int $now): ?float
    {
        $sql = 'SELECT ' . self::LEFT . ' FROM cardseal_limits WHERE name = :name';
        $values = ['now' => $now, 'rate' => $perSecond, 'burst' => $burst, 'name' => $name];
        $left = $this->run($sql, $values)->fetchColumn();
        return $left === false ? null : (float) $left;
    }

    private function begin(string $name, float $burst, int $now): void
    {
        $sql = 'INSERT INTO cardseal_limits (name, remaining, at) VALUES (:name, :burst, :now)';
        try {
            $this->run($sql, ['name' => $name, 'burst' => $burst, 'now' => $now]);
        } catch (\PDOException $error) {
            if (!Database::isDuplicate($error)) { // else somebody else has begun it
                throw $error;
            }
        }
    }

    private function takeOne(string $name, float $burst, float $perSecond, int $now): bool
    {
        $values = ['now' => $now, 'rate' => $perSecond, 'burst' => $burst, 'name' => $name];
        $sql = 'UPDATE cardseal_limits SET remaining = ' . self::LEFT . ' - 1,'
            . ' at = CASE WHEN ' . self::IS_AHEAD . ' THEN at ELSE :now END'
            . ' WHERE name = :name AND ' . self::LEFT . ' >= 1';
        return $this->run($sql, $values)->rowCount() === 1;
    }

    /**
     * Scans the table: an index on "at" would have to be written by every take. The scan of 100,000
     * rows, which are 14 key requests a second for two hours, took 7 ms in SQLite and 0.2 s in
     * MariaDB.
     */
    private function forget(int $now): void
    {
        $sql = 'DELETE FROM cardseal_limits WHERE at NOT BETWEEN :oldest AND :latest';
        $this->run($sql, [
            'oldest' => $now - self::FORGET_AFTER_MS,
            'latest' => $now + self::FORGET_AFTER_MS,
        ]);
    }

    /** @param array<string, float|int|string> $values */
    private function run(string $sql, array $values): \PDOStatement
    {
        return $this->database->run($sql, $values);
    }
}
