<?php

declare(strict_types=1);

namespace Cardseal;

/** A card encryption key of the service. */
final class EncryptionKey implements \JsonSerializable
{
    /** @param int $expiresAt Unix time in milliseconds */
    public function __construct(
        public readonly string $id,
        public readonly string $scheme,
        public readonly string $publicKey,
        public readonly int $expiresAt,
    ) {
    }

    /** @return array{id: string, scheme: string, public_key: string, expires_at: int} */
    public function jsonSerialize(): array
    {
        return [
            'id' => $this->id,
            'scheme' => $this->scheme,
            'public_key' => $this->publicKey,
            'expires_at' => $this->expiresAt,
        ];
    }
}
