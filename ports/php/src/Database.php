<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * What PdoStore and PdoLimits share.
 *
 * @internal
 */
final class Database
{
    /**
     * Runs a statement. A name may stand in it several times, which not every driver takes.
     *
     * @param array<string, bool|float|int|string> $values by name
     * @throws \PDOException whatever the connection's error mode is
     */
    public static function run(\PDO $pdo, string $sql, array $values): \PDOStatement
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
