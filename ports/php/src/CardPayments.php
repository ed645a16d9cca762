<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * A client of the Card Payment Service.
 *
 * - A decline is an outcome, not an error: authorize() returns an intent in "failed".
 * - Nothing is ever tried again by itself: a second request could be a second payment.
 * - The secret key goes to the base address only, and is in no error and no log, nor in what
 *   print_r, var_dump, var_export or serialize show of this object.
 */
class CardPayments
{
    /** How long a request may take, with its response, in milliseconds. */
    public readonly int $timeoutMs;
    private readonly string $baseUrl;
    private readonly Transport $transport;
    /** Gives the header. A function, so that print_r, var_export or serialize cannot show it. */
    private readonly \Closure $authorization;

    /**
     * @param string $baseUrl https, or http on localhost, 127.0.0.1 and [::1]
     * @param string $secretKey begins with sk_test_ or sk_live_
     * @param int $timeoutMs how long a request may take, with its response, in milliseconds
     * @param Transport|null $transport sends the requests; ext-curl unless given
     * @throws \InvalidArgumentException if one of them is not that
     */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        #[\SensitiveParameter] string $secretKey,
        int $timeoutMs = 30_000,
        ?Transport $transport = null,
    ) {
        $host = '[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]';
        $url = "~^(https?)://($host)(?::\d{1,5})?(?:/[\w.\~-]*)*$~D";
        $isUrl = preg_match($url, $baseUrl, $base) === 1;
        if (!$isUrl || !self::isSecure($base[1], $base[2])) {
            throw self::invalid('baseUrl must be https, or http to this machine, '
                . 'and have no credentials, query or fragment');
        }
        if (preg_match('/^sk_(test|live)_[!-~]+$/D', $secretKey) !== 1) {
            throw self::invalid('secretKey must begin with sk_test_ or sk_live_');
        }
        if ($timeoutMs < 1 || $timeoutMs > 600_000) {
            throw self::invalid('timeoutMs must be milliseconds, 600,000 at most');
        }
        $this->baseUrl = rtrim($baseUrl, '/');
        $this->timeoutMs = $timeoutMs;
        $this->transport = $transport ?? new CurlTransport();
        $this->authorization = static fn (): string => "Bearer $secretKey";
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
     * A fresh encryption key, for one checkout session. Give the browser no more of it than
     * BrowserKey::of() returns.
     *
     * @throws CardPaymentsError
     */
    public function createEncryptionKey(): EncryptionKey
    {
        return $this->post('/payments/card/encryption-keys', 201, Resources::key(...));
    }

    /**
     * A draft that fixes amount and currency. No card is involved.
     *
     * @param int|float $amount minor units: 1000 is 10.00 USD. A float must be whole
     * @param CaptureMethod|null $captureMethod automatic unless given
     * @param string|null $idempotencyKey visible ASCII, such as bin2hex(random_bytes(16))
     * @param int|null $timeoutMs a shorter limit for this request
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if an argument is wrong
     */
    public function createIntent(
        int|float $amount,
        string $currency,
        ?CaptureMethod $captureMethod = null,
        ?string $description = null,
        ?string $idempotencyKey = null,
        ?int $timeoutMs = null,
    ): Intent {
        $minorUnits = Numbers::amount($amount)
            ?? throw self::invalid('amount must be a whole number of minor units');
        $draft = ['amount' => $minorUnits, 'currency' => $currency];
        if ($captureMethod !== null) {
            $draft['capture_method'] = $captureMethod->value;
        }
        if ($description !== null) {
            $draft['description'] = $description;
        }
        return $this->post(
            '/payments/card',
            201,
            Resources::intent(...),
            $draft,
            $idempotencyKey,
            timeoutMs: $timeoutMs,
        );
    }

    /**
     * Charges or reserves the amount of an intent in "created", and returns the intent.
     *
     * Look at its status: "committed" (charged), "authorized" (reserved, with the capture method
     * "manual") or "failed" (declined; failureReason says why).
     *
     * @param EncryptedCard $card never log or keep it
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if an argument is wrong
     */
    public function authorize(
        string $intentId,
        #[\SensitiveParameter] EncryptedCard $card,
        ?string $idempotencyKey = null,
    ): Intent {
        if (!Resources::isIntentId($intentId)) {
            throw self::invalid('intentId must be the id of a card payment intent');
        }
        $read = static function (mixed $response) use ($intentId): ?Intent {
            $intent = Resources::intent($response);
            return $intent?->id === $intentId ? $intent : null;
        };
        $path = "/payments/card/$intentId/authorize";
        return $this->post($path, 200, $read, $card->jsonSerialize(), $idempotencyKey, $intentId);
    }

    /**
     * @template T of object
     * @param \Closure(mixed): (T|null) $read
     * @param array<string, mixed>|null $body
     * @return T
     */
    private function post(
        string $path,
        int $success,
        \Closure $read,
        #[\SensitiveParameter] ?array $body = null,
        ?string $idempotencyKey = null,
        ?string $intentId = null,
        ?int $timeoutMs = null,
    ): object {
        $headers = ['Accept' => 'application/json', 'Authorization' => ($this->authorization)()];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($idempotencyKey !== null) {
            if (preg_match('/^[!-~]+$/D', $idempotencyKey) !== 1) {
                throw self::invalid('idempotencyKey must be visible ASCII characters');
            }
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $content = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
        $limit = min($this->timeoutMs, $timeoutMs ?? $this->timeoutMs);
        try {
            $response = $this->transport->post($this->baseUrl . $path, $headers, $content, $limit);
        } catch (NoResponse) {
            $response = null;
        }
        $resource = null;
        if ($response?->status === $success && $response->body !== null) {
            $resource = $read(json_decode($response->body));
        }
        return $resource ?? throw self::errorOf($response, $intentId);
    }

    private static function errorOf(?ServiceResponse $response, ?string $intentId): CardPaymentsError
    {
        $status = $response?->status;
        if ($status >= 400 && $status < 500 && $response->body !== null) {
            $code = self::encryptionErrorCode($response->body);
            $recovery = $code?->recovery() ?? Recovery::NotSpecified;
            $message = 'The service refused the request';
            return new CardPaymentsError($message, $recovery, $status, $code, $intentId);
        }
        // A lost response may have been a payment. A lost key or draft charges nobody.
        $recovery = $intentId === null ? Recovery::AskAgain : Recovery::ResolveIntent;
        $message = 'The service did not respond as specified, or not in time';
        return new CardPaymentsError($message, $recovery, $status, null, $intentId);
    }

    /** The envelope of errors is not specified: the code may stand anywhere. Two are none. */
    private static function encryptionErrorCode(string $body): ?EncryptionErrorCode
    {
        $found = [];
        $response = [json_decode($body, true)];
        array_walk_recursive($response, static function (mixed $value) use (&$found): void {
            $code = is_string($value) ? EncryptionErrorCode::tryFrom($value) : null;
            if ($code !== null) {
                $found[$code->value] = $code;
            }
        });
        return count($found) === 1 ? reset($found) : null;
    }

    private static function isSecure(string $protocol, string $host): bool
    {
        $loopback = ['localhost', '127.0.0.1', '[::1]'];
        return $protocol === 'https' || in_array(strtolower($host), $loopback, true);
    }

    private static function invalid(string $message): \InvalidArgumentException
    {
        $error = new \InvalidArgumentException($message);
        Trace::forgetArguments($error);
        return $error;
    }
}
