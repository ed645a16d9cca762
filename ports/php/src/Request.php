<?php

declare(strict_types=1);

namespace Cardseal;

/** A request of the page, for Handler. */
final class Request
{
    /** A block takes less than 2 KiB. */
    public const MOST_BODY_BYTES = 8192;

    /**
     * @param array<string, string> $headers by name in lower case
     * @param string $body as it came
     * @param string|null $encryptedCard the form field, if the body is a form
     * @param string|null $sender the address of the client, as your own outermost proxy saw it
     */
    public function __construct(
        public readonly string $method,
        public readonly array $headers = [],
        #[\SensitiveParameter] public readonly string $body = '',
        #[\SensitiveParameter] public readonly ?string $encryptedCard = null,
        public readonly ?string $sender = null,
    ) {
    }

    /** The request that PHP is answering. */
    public static function current(?string $sender = null): self
    {
        $headers = [];
        foreach ($_SERVER as $name => $value) {
            if (str_starts_with((string) $name, 'HTTP_')) {
                $headers[strtolower(strtr(substr($name, 5), '_', '-'))] = (string) $value;
            }
        }
        $headers['content-type'] = (string) ($_SERVER['CONTENT_TYPE'] ?? '');
        $field = $_POST['encrypted_card'] ?? null;
        return new self(
            (string) ($_SERVER['REQUEST_METHOD'] ?? 'GET'),
            $headers,
            (string) file_get_contents('php://input', length: self::MOST_BODY_BYTES + 1),
            is_string($field) ? $field : null,
            $sender,
        );
    }
}
