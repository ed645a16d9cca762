<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * The encryption schemes that this package knows.
 *
 * @internal
 */
final class Scheme
{
    public const RSA_OAEP_SHA256_V1 = 'RSA_OAEP_SHA256_V1';

    /** By scheme, in the order of the specification: field, fewest and most bytes. */
    public const FIELDS = [
        self::RSA_OAEP_SHA256_V1 => [
            ['Pan', 12, 19],
            ['Name', 1, 446],
            ['ExpMonth', 2, 2],
            ['ExpYear', 4, 4],
            ['Cvc', 3, 4],
        ],
    ];
}
