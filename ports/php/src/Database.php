<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The connection that PdoStore and PdoLimits share.
 *
 * @internal
 */
final class Database
{
    private ?\PDO $pdo = null;

    /** @param \PDO|(\Closure(): \PDO) $source a connection, or what connects */
    public function __construct(private readonly \PDO|\Closure $source)
    {
    }

    public function pdo(): \PDO
    {
        return $this->pdo ??= $this->source instanceof \PDO ? $this->source : ($this->source)();
    }

    /**
     * Runs a statement. If it fails, the connection may be gone: then a closure connects anew for
     * the next statement.
     *
     * @param array<string, bool|float|int|string> $values by name
     * @throws \PDOException whatever the connection's error mode is
     */
    public function run(string $sql, array $values): \PDOStatement
    {
        $pdo = $this->pdo();
        try {
            return self::runOn($pdo, $sql, $values);
        } catch (\Throwable $error) { // a framework makes an \ErrorException of a warning
            $isDuplicate = $error instanceof \PDOException && self::isDuplicate($error);
            if (!$isDuplicate) {
                $this->pdo = null;
            }
            throw $error;
        }
    }

    /**
     * A name may stand in the statement several times, which not every driver takes.
     *
     * @param array<string, bool|float|int|string> $values
     */
    private static function runOn(\PDO $pdo, string $sql, array $values): \PDOStatement
    {
        $ordered = [];
        $positional = preg_replace_callback(
            '/:(\w+)/',
            static function (array $match) use ($values, &$ordered): string {
                $value = $values[$match[1]];
                $ordered[] = $value;
                // PDO binds a float as text, and in SQLite text is more than any number.
                return is_float($value) ? '(0.0 + ?)' : '?';
            },
            $sql,
        );
        $mode = $pdo->getAttribute(\PDO::ATTR_ERRMODE);
        $pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
        try {
            $statement = $pdo->prepare((string) $positional);
            foreach ($ordered as $at => $value) {
                $statement->bindValue($at + 1, $value, self::typeOf($value));
            }
            $statement->execute();
            return $statement;
        } finally {
            $pdo->setAttribute(\PDO::ATTR_ERRMODE, $mode);
        }
    }

    /** Whether a row of this id is there already: SQLSTATE of class 23. */
    public static function isDuplicate(\PDOException $error): bool
    {
        return str_starts_with((string) $error->getCode(), '23');
    }

    private static function typeOf(bool|float|int|string $value): int
    {
        return match (true) {
            is_bool($value) => \PDO::PARAM_BOOL,
            is_int($value) => \PDO::PARAM_INT,
            default => \PDO::PARAM_STR,
        };
    }
}
