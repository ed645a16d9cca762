<?php

declare(strict_types=1);

namespace Cardseal;

/** The encrypted card block, checked. Never log or keep it. */
final class EncryptedCard implements \JsonSerializable
{
    /** A real block takes less than 1,200 characters. */
    private const MOST_CHARACTERS = 4096;

    /** RSA-OAEP with SHA-256 takes these of the modulus for itself: RFC 8017, section 7.1.1. */
    private const PADDING_BYTES = 66;

    /** @param list<array{field: string, len: int}> $layout */
    private function __construct(
        private readonly string $payload,
        public readonly string $keyId,
        private readonly array $layout,
    ) {
    }

    /**
     * The encrypted card that was posted, checked.
     *
     * Text counts only as the browser's JSON.stringify writes it: no spaces, no property twice. A
     * value of json_decode($text) is accepted, too. One of json_decode($text, true) is not: PHP's
     * arrays no longer say whether they were an object or a list.
     *
     * @param mixed $posted what the browser posted, before anything has parsed or logged it:
     *     $_POST['encrypted_card'], or file_get_contents('php://input')
     * @param string|null $keyId the id of the key that the shopper's session remembers; null
     *     matches nothing
     * @param int|float|null $expiresAt its expires_at: Unix time in milliseconds
     * @param int|null $now Unix time in milliseconds; by this machine's clock unless given
     * @throws CardEncryptionError invalid_encrypted_card for everything else: above all for a card
     *     in clear text, for a block under another key, and after $expiresAt
     */
    public static function parse(
        #[\SensitiveParameter] mixed $posted,
        ?string $keyId,
        int|float|null $expiresAt,
        string $scheme = Scheme::RSA_OAEP_SHA256_V1,
        ?int $now = null,
    ): self {
        $card = self::read($posted, $scheme);
        if ($card === null) {
            throw self::refusal('This is not an encrypted card block, as the card form makes it');
        }
        if ($card->keyId !== $keyId) {
            throw self::refusal('The card was not encrypted under the key of this checkout');
        }
        // Written so that null and NAN count as expired.
        if ($expiresAt === null || !(($now ?? (new SystemClock())->now()) <= $expiresAt)) {
            throw self::refusal(
                'The key of this checkout has expired: start it again with a fresh one',
            );
        }
        return $card;
    }

    /** The block, checked and copied; null if anything about it is wrong. Never throws. */
    public static function read(
        #[\SensitiveParameter] mixed $posted,
        string $scheme = Scheme::RSA_OAEP_SHA256_V1,
    ): ?self {
        $fields = Scheme::FIELDS[$scheme] ?? null;
        $value = is_string($posted) ? self::parseText($posted) : $posted;
        if ($fields === null || !self::hasExactly($value, ['payload', 'key_id', 'layout'])) {
            return null;
        }
        ['payload' => $payload, 'key_id' => $keyId, 'layout' => $entries] = get_object_vars($value);
        if (!is_string($payload) || !is_string($keyId) || $keyId === '' || !is_array($entries)) {
            return null;
        }
        $layout = self::readLayout($entries, $fields);
        if ($layout === null) {
            return null;
        }
        $plaintextBytes = array_sum(array_column($layout, 'len'));
        if ($plaintextBytes > self::modulusBytes($payload) - self::PADDING_BYTES) {
            return null;
        }
        return new self($payload, $keyId, $layout);
    }

    /** @return array{payload: string, key_id: string, layout: list<array{field: string, len: int}>} */
    public function jsonSerialize(): array
    {
        return ['payload' => $this->payload, 'key_id' => $this->keyId, 'layout' => $this->layout];
    }

    /**
     * What var_dump and print_r show.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return [];
    }

    /**
     * @param array<mixed> $entries
     * @param list<array{string, int, int}> $fields
     * @return list<array{field: string, len: int}>|null
     */
    private static function readLayout(#[\SensitiveParameter] array $entries, array $fields): ?array
    {
        // json_decode makes an array only of a JSON array: the numbers from 0 on are its keys.
        if (array_keys($entries) !== array_keys($fields)) {
            return null;
        }
        $layout = [];
        foreach ($fields as $i => [$field, $fewest, $most]) {
            $entry = $entries[$i];
            if (!self::hasExactly($entry, ['field', 'len']) || $entry->field !== $field) {
                return null;
            }
            $length = Numbers::whole($entry->len);
            if ($length === null || $length < $fewest || $length > $most) {
                return null;
            }
            $layout[] = ['field' => $field, 'len' => $length];
        }
        return $layout;
    }

    /**
     * The value of JSON text that is exactly what JavaScript's JSON.stringify would write, else null.
     *
     * Of a property that comes twice, a parser keeps only the last one. The first could be a card
     * number on its way to your logs; here the text would not come out the same.
     */
    private static function parseText(#[\SensitiveParameter] string $text): mixed
    {
        $isShort = strlen($text) <= 3 * self::MOST_CHARACTERS;
        if (!$isShort || self::utf16Length($text) > self::MOST_CHARACTERS) {
            return null;
        }
        $value = json_decode($text);
        $asBrowsersWriteIt = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
            | JSON_UNESCAPED_LINE_TERMINATORS;
        return json_encode($value, $asBrowsersWriteIt) === $text ? $value : null;
    }

    /** As JavaScript counts: UTF-16 units, of which most emoji are two. Needs no extension. */
    private static function utf16Length(#[\SensitiveParameter] string $utf8): int
    {
        // All bytes but the second and later ones of a character; and those of four bytes once more.
        return preg_match_all('/[^\x80-\xBF]/', $utf8) + preg_match_all('/[\xF0-\xF7]/', $utf8);
    }

    /**
     * Exactly these properties: whatever else stands in a block could be a card in clear text.
     *
     * @param list<string> $names
     * @phpstan-assert-if-true \stdClass $value
     */
    private static function hasExactly(#[\SensitiveParameter] mixed $value, array $names): bool
    {
        if (!$value instanceof \stdClass) {
            return false;
        }
        $found = array_keys(get_object_vars($value));
        return count($found) === count($names) && array_diff($names, $found) === [];
    }

    /** The length of the ciphertext; 0 if no key of 2048, 3072 or 4096 bits has it. */
    private static function modulusBytes(#[\SensitiveParameter] string $payload): int
    {
        if (strlen($payload) > 684) {
            return 0;
        }
        $ciphertext = (string) base64_decode($payload, true);
        // Base64 can say the same in several ways; only one of them is what the browser makes.
        $isCanonical = base64_encode($ciphertext) === $payload;
        $length = strlen($ciphertext);
        return $isCanonical && in_array($length, [256, 384, 512], true) ? $length : 0;
    }

    private static function refusal(string $message): CardEncryptionError
    {
        return new CardEncryptionError(CardEncryptionErrorCode::InvalidEncryptedCard, $message);
    }
}
