<?php

declare(strict_types=1);

namespace Cardseal;

/** What a browser may see of an encryption key. */
final class BrowserKey implements \JsonSerializable
{
    private function __construct(
        public readonly string $id,
        public readonly string $scheme,
        public readonly string $publicKey,
    ) {
    }

    /**
     * Picks id, scheme and public_key out of the service's key.
     *
     * @param mixed $key the service's answer: an EncryptionKey, an array or a stdClass
     * @param list<string> $accepted the schemes that the page can encrypt under, so that an update
     *     of the service never reaches a page that does not know it
     * @throws CardEncryptionError invalid_key if this is not the service's answer,
     *     unsupported_scheme if its scheme is not accepted, or this package does not know it
     */
    public static function of(mixed $key, array $accepted = [Scheme::RSA_OAEP_SHA256_V1]): self
    {
        if ($key instanceof EncryptionKey) {
            $key = $key->jsonSerialize();
        }
        $fields = $key instanceof \stdClass ? get_object_vars($key) : $key;
        $picked = [];
        foreach (['id', 'scheme', 'public_key'] as $name) {
            $text = is_array($fields) ? $fields[$name] ?? null : null;
            if (!is_string($text) || $text === '') {
                throw new CardEncryptionError(
                    CardEncryptionErrorCode::InvalidKey,
                    'This is not the service\'s answer: id, scheme and public_key must be text',
                );
            }
            $picked[] = $text;
        }
        [$id, $scheme, $publicKey] = $picked;
        if (!in_array($scheme, $accepted, true) || !isset(Scheme::FIELDS[$scheme])) {
            throw new CardEncryptionError(
                CardEncryptionErrorCode::UnsupportedScheme,
                'The page does not know the scheme of this key',
            );
        }
        return new self($id, $scheme, $publicKey);
    }

    /** @return array{id: string, scheme: string, public_key: string} */
    public function jsonSerialize(): array
    {
        return ['id' => $this->id, 'scheme' => $this->scheme, 'public_key' => $this->publicKey];
    }
}
