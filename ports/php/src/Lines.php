<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Log lines for the shop's operator: fixed words, codes and ids. An error can repeat what was posted,
 * so its message is never in a line.
 *
 * @internal
 */
final class Lines
{
    private const LONGEST_ID = 200;

    /** An id in a line: quoted, so that no line break in it can forge another line. */
    public static function quoted(?string $id): string
    {
        $text = json_encode(substr($id ?? 'none', 0, self::LONGEST_ID), JSON_INVALID_UTF8_SUBSTITUTE);
        return (string) $text;
    }

    /**
     * What may be logged of an error: fixed words of ours, or its class, its place and the database's
     * code.
     */
    public static function described(\Throwable $error): string
    {
        if ($error instanceof Problem) {
            return $error->getMessage();
        }
        if ($error instanceof CardPaymentsError) {
            $codes = [$error->recovery->value, $error->status, $error->errorCode?->value];
            $known = array_filter($codes, static fn ($code): bool => $code !== null);
            return $error->getMessage() . ' (' . implode(', ', $known) . ')';
        }
        $code = $error instanceof \PDOException ? self::databaseCode($error) : '';
        $place = basename($error->getFile()) . ':' . $error->getLine();
        return get_debug_type($error) . "$code at $place";
    }

    /** SQLSTATE, and the driver's own number. */
    private static function databaseCode(\PDOException $error): string
    {
        $codes = array_unique([(string) $error->getCode(), (string) ($error->errorInfo[1] ?? '')]);
        return rtrim(' ' . implode(' ', $codes));
    }
}
