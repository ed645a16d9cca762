<?php

declare(strict_types=1);

namespace Cardseal;

/** A request of the page, for Handler. */
final class Request
{
    /** A block takes less than 2 KiB. */
    public const MOST_BODY_BYTES = 8192;

    /** @var array<string, string> by name in lower case */
    public readonly array $headers;
    public readonly ?string $encryptedCard;

    /**
     * @param array<string, string|list<string|null>> $headers by name, as getHeaders() of PSR-7 and
     *     headers->all() of Symfony and Laravel give them
     * @param string $body as it came
     * @param mixed $encryptedCard the form field, if a form was posted and something has parsed it
     * @param string|null $sender the address of the client, as your own outermost proxy saw it
     */
    public function __construct(
        public readonly string $method,
        array $headers = [],
        #[\SensitiveParameter] public readonly string $body = '',
        #[\SensitiveParameter] mixed $encryptedCard = null,
        public readonly ?string $sender = null,
    ) {
        $lower = [];
        foreach ($headers as $name => $value) {
            $lower[strtolower((string) $name)] = is_array($value) ? implode(', ', $value) : $value;
        }
        $this->headers = $lower;
        $this->encryptedCard = is_string($encryptedCard) ? $encryptedCard : null;
    }

    /**
     * What var_dump, print_r and error trackers show: never what was posted.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return ['method' => $this->method];
    }

    /** The request that PHP is answering. */
    public static function current(?string $sender = null): self
    {
        $headers = [];
        foreach ($_SERVER as $name => $value) {
            if (str_starts_with((string) $name, 'HTTP_')) {
                $headers[strtr(substr($name, 5), '_', '-')] = (string) $value;
            }
        }
        $headers['Content-Type'] = (string) ($_SERVER['CONTENT_TYPE'] ?? '');
        $headers['Content-Length'] = (string) ($_SERVER['CONTENT_LENGTH'] ?? '');
        return new self(
            (string) ($_SERVER['REQUEST_METHOD'] ?? 'GET'),
            $headers,
            (string) file_get_contents('php://input', length: self::MOST_BODY_BYTES + 1),
            $_POST['encrypted_card'] ?? null,
            $sender,
        );
    }
}
