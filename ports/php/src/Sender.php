<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * Who counts as one sender, for the limits.
 *
 * @internal
 */
final class Sender
{
    /** Networks whose addresses are a proxy's and not a shopper's: the address and its bits. */
    private const PRIVATE = [
        ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8],
        ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.168.0.0', 16],
        ['::', 16], ['fc00::', 7], ['fe80::', 10],
    ];

    /**
     * Who counts as one sender: an IPv4 address, or the first 64 bits of an IPv6 address; null if
     * the address is private or of this machine, or is none. Many lines have a /48 or a /56 of
     * IPv6, and so are many senders: docs/production.md#bots.
     */
    public static function of(?string $address): ?string
    {
        $plain = explode('%', trim($address ?? ''))[0];
        if (filter_var($plain, FILTER_VALIDATE_IP) === false) {
            return null;
        }
        $bytes = (string) inet_pton($plain);
        if (strlen($bytes) === 16 && str_starts_with($bytes, str_repeat("\0", 10) . "\xff\xff")) {
            $bytes = substr($bytes, 12); // an IPv4 address, written as one of IPv6
        }
        foreach (self::PRIVATE as [$network, $bits]) {
            if (self::isIn($bytes, (string) inet_pton($network), $bits)) {
                return null;
            }
        }
        $prefix = strlen($bytes) === 4 ? $bytes : substr($bytes, 0, 8) . str_repeat("\0", 8);
        return inet_ntop($prefix) . (strlen($bytes) === 4 ? '' : '/64');
    }

    private static function isIn(string $bytes, string $network, int $bits): bool
    {
        if (strlen($bytes) !== strlen($network)) {
            return false;
        }
        $whole = intdiv($bits, 8);
        if (substr($bytes, 0, $whole) !== substr($network, 0, $whole)) {
            return false;
        }
        $mask = 0xff00 >> ($bits % 8) & 0xff;
        return $mask === 0 || (ord($bytes[$whole]) & $mask) === (ord($network[$whole]) & $mask);
    }
}
