<?php

/**
 * The merchant's half of a card payment, in PHP 8.0 or later: one file, made to be copied.
 *
 * It needs no package and no extension that PHP does not come with (openssl, for https). It has
 * three parts:
 *
 * - browserKey() picks what a browser may see of an encryption key.
 * - parseEncryptedCard() accepts the encrypted card that the browser posts, and nothing else.
 * - CardPayments is a client of the Card Payment Service.
 *
 * Your server never sees a card. It forwards an encrypted block that only the service can open.
 */

declare(strict_types=1);

namespace Cardseal;

const SCHEME = 'RSA_OAEP_SHA256_V1';

/** By scheme, in the order of the specification: field, fewest and most bytes. */
const FIELDS = [
    SCHEME => [
        ['Pan', 12, 19],
        ['Name', 1, 446],
        ['ExpMonth', 2, 2],
        ['ExpYear', 4, 4],
        ['Cvc', 3, 4],
    ],
];

/**
 * Why a key or a block was refused. The message is fixed text: nothing of the input is in it, nor
 * in the stack trace.
 */
final class CardEncryptionError extends \Exception
{
    /** @param string $errorCode invalid_key, unsupported_scheme or invalid_encrypted_card */
    public function __construct(public string $errorCode, string $message)
    {
        parent::__construct($message);
        forgetArguments($this);
    }
}

// --- The key ------------------------------------------------------------------------------------

/**
 * Returns what a browser may see of the service's answer: id, scheme and public_key.
 *
 * expires_at and everything else stay on the server: keep id and expires_at in the shopper's
 * session, for parseEncryptedCard().
 *
 * @param mixed $key the answer, as an array (CardPayments) or as an object (json_decode)
 * @param string[] $accepted the schemes that the page can encrypt under. A new scheme has to be
 *     added here, so that an update of the service never reaches a page that does not know it.
 * @return array{id: string, scheme: string, public_key: string}
 * @throws CardEncryptionError invalid_key if this is not the service's answer; unsupported_scheme
 *     if its scheme is not accepted, or this file does not know it
 */
function browserKey(mixed $key, array $accepted = [SCHEME]): array
{
    $answer = $key instanceof \stdClass ? get_object_vars($key) : $key;
    $picked = [];
    foreach (['id', 'scheme', 'public_key'] as $name) {
        $value = is_array($answer) ? ($answer[$name] ?? null) : null;
        if (!is_string($value) || $value === '') {
            throw new CardEncryptionError(
                'invalid_key',
                "This is not the service's answer: id, scheme and public_key must be text",
            );
        }
        $picked[$name] = $value;
    }
    $isAccepted = in_array($picked['scheme'], $accepted, true);
    if (!$isAccepted || !isset(FIELDS[$picked['scheme']])) {
        throw new CardEncryptionError(
            'unsupported_scheme',
            'The page does not know the scheme of this key',
        );
    }
    return $picked;
}

// --- The block ----------------------------------------------------------------------------------

/** A real block takes less than 1,200 characters. */
const MAX_TEXT = 4096;

/**
 * Returns the encrypted card that $body holds, as the body for CardPayments::authorize().
 *
 * Hand it what the browser posted before anything has parsed or logged it:
 * $_POST['encrypted_card'], or file_get_contents('php://input') of a JSON request. Text counts
 * only as the browser's JSON.stringify writes it: no spaces, no property twice. A value of
 * json_decode($text) is accepted, too. One of json_decode($text, true) is not: PHP's arrays no
 * longer say whether they were an object or a list.
 *
 * $keyId and $expiresAt are what the shopper's session remembers of the key: id and expires_at
 * (milliseconds) of the service's answer. null, for a session that has no key, matches nothing.
 *
 *     parseEncryptedCard(
 *         $_POST['encrypted_card'] ?? null,
 *         keyId: $_SESSION['key_id'] ?? null,
 *         expiresAt: $_SESSION['key_expires_at'] ?? null,
 *     );
 *
 * @return array{payload: string, key_id: string, layout: list<array{field: string, len: int}>}
 * @throws CardEncryptionError invalid_encrypted_card for everything else: above all for a card in
 *     clear text, for a block under another key, and after $expiresAt
 */
function parseEncryptedCard(
    #[\SensitiveParameter] mixed $body,
    ?string $keyId,
    int|float|null $expiresAt,
    string $scheme = SCHEME,
): array {
    $block = readBlock($body, FIELDS[$scheme] ?? null);
    if ($block === null) {
        throw refusal('This is not an encrypted card block, as the card form makes it');
    }
    if ($block['key_id'] !== $keyId) {
        throw refusal('The card was not encrypted under the key of this checkout');
    }
    // Written so that null and NAN count as expired.
    if ($expiresAt === null || !(nowInMilliseconds() <= $expiresAt)) {
        throw refusal('The key of this checkout has expired: start it again with a fresh one');
    }
    return $block;
}

function refusal(string $message): CardEncryptionError
{
    return new CardEncryptionError('invalid_encrypted_card', $message);
}

/**
 * The block, checked and copied; null if anything about it is wrong.
 *
 * @param list<array{string, int, int}>|null $fields
 */
function readBlock(#[\SensitiveParameter] mixed $body, ?array $fields): ?array
{
    $value = is_string($body) ? parseText($body) : $body;
    if ($fields === null || !hasExactly($value, ['payload', 'key_id', 'layout'])) {
        return null;
    }
    ['payload' => $payload, 'key_id' => $keyId, 'layout' => $entries] = get_object_vars($value);
    if (!is_string($payload) || !is_string($keyId) || $keyId === '' || !is_array($entries)) {
        return null;
    }
    // json_decode makes an array only of a JSON array: the numbers from 0 on are its keys.
    if (array_keys($entries) !== array_keys($fields)) {
        return null;
    }
    $layout = [];
    foreach ($fields as $i => [$field, $fewest, $most]) {
        if (!hasExactly($entries[$i], ['field', 'len'])) {
            return null;
        }
        $length = wholeNumber($entries[$i]->len);
        if ($entries[$i]->field !== $field || $length === null) {
            return null;
        }
        if ($length < $fewest || $length > $most) {
            return null;
        }
        $layout[] = ['field' => $field, 'len' => $length];
    }
    // RSA-OAEP with SHA-256 takes 66 bytes of the modulus for itself: RFC 8017, section 7.1.1.
    if (array_sum(array_column($layout, 'len')) > modulusLength($payload) - 66) {
        return null;
    }
    return ['payload' => $payload, 'key_id' => $keyId, 'layout' => $layout];
}

/**
 * The value of JSON text that is exactly what JavaScript's JSON.stringify would write, else null.
 *
 * Of a property that comes twice a parser keeps only the last one. The first could be a card
 * number on its way to your logs; here the text would not come out the same.
 */
function parseText(#[\SensitiveParameter] string $text): mixed
{
    if (strlen($text) > 3 * MAX_TEXT || utf16Length($text) > MAX_TEXT) {
        return null;
    }
    $value = json_decode($text);
    $asBrowsersWriteIt = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_LINE_TERMINATORS;
    return json_encode($value, $asBrowsersWriteIt) === $text ? $value : null;
}

/** As JavaScript counts: UTF-16 units, of which most emoji are two. Needs no extension. */
function utf16Length(#[\SensitiveParameter] string $utf8): int
{
    // All bytes but the second and later ones of a character; and those of four bytes once more.
    return preg_match_all('/[^\x80-\xBF]/', $utf8) + preg_match_all('/[\xF0-\xF7]/', $utf8);
}

/** Exactly these properties: whatever else stands in a block could be a card in clear text. */
function hasExactly(#[\SensitiveParameter] mixed $value, array $names): bool
{
    if (!$value instanceof \stdClass) {
        return false;
    }
    $found = array_keys(get_object_vars($value));
    return count($found) === count($names) && array_diff($names, $found) === [];
}

/** 16 for 16 and for 16.0, which are the same number in JSON; null for anything else. */
function wholeNumber(mixed $value): ?int
{
    if (is_float($value) && floor($value) === $value && abs($value) < 2 ** 53) {
        return (int) $value;
    }
    return is_int($value) ? $value : null;
}

/** The length of the ciphertext in bytes; 0 if no key of 2048, 3072 or 4096 bits has it. */
function modulusLength(#[\SensitiveParameter] string $payload): int
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

function nowInMilliseconds(): int
{
    return (int) date_create()->format('Uv');
}

/**
 * PHP keeps the arguments of every function on the stack in the trace of an exception, and with
 * them a posted body or the secret key, unless php.ini has zend.exception_ignore_args=On. They
 * are removed here, so that no error page and no error tracker shows them.
 */
function forgetArguments(\Exception $error): void
{
    $trace = new \ReflectionProperty(\Exception::class, 'trace');
    if (PHP_VERSION_ID < 80100) {
        $trace->setAccessible(true);
    }
    $frames = [];
    foreach ($error->getTrace() as $frame) {
        unset($frame['args']);
        $frames[] = $frame;
    }
    $trace->setValue($error, $frames);
}

// --- The service --------------------------------------------------------------------------------

/**
 * A request that failed. The message is fixed text, without a secret and without a card.
 *
 * $recovery says what to do:
 *
 * - restart_checkout: request a new key and show the card form again. Only the shopper has the
 *   card.
 * - forward_key_id: fix your code. The id of the key must come back unmodified.
 * - check_layout: fix your code, or somebody changed the block on its way.
 * - resolve_intent: THE OUTCOME IS UNKNOWN. The shopper may have paid. Find out what became of the
 *   intent $intentId, and do not ask for the card again before that.
 * - ask_again: no key or draft came. Nobody was charged; it can be requested again.
 * - not_specified: refused for a reason that the specification does not show, see $status.
 */
final class CardPaymentsError extends \Exception
{
    /**
     * @param int|null $status the HTTP status, if there was an answer
     * @param string|null $errorCode one of the codes that the specification shows
     * @param string|null $intentId the intent that was to be authorized
     */
    public function __construct(
        string $message,
        public string $recovery,
        public ?int $status = null,
        public ?string $errorCode = null,
        public ?string $intentId = null,
    ) {
        parent::__construct($message);
        forgetArguments($this);
    }
}

/**
 * A client of the Card Payment Service.
 *
 * - A decline is an outcome, not an error: authorize() returns an intent in "failed".
 * - Nothing is ever tried again by itself: a second request could be a second payment.
 * - The secret key is in no error, log or dump, and goes to the base address only.
 */
final class CardPayments
{
    /** What to do about an error of authorize(), as the specification says it ("Errors"). */
    private const RECOVERIES = [
        'encryption_key_expired' => 'restart_checkout',
        'unknown_encryption_key' => 'forward_key_id',
        'invalid_encryption_block' => 'check_layout',
    ];

    /** The key, the intent and the errors of the specification take less than 2 KiB. */
    private const MAX_ANSWER_BYTES = 64 * 1024;

    /** Such as tls://api.example.com:443. */
    private string $address;
    private string $hostHeader;
    private string $path;
    private int $timeoutMs;
    /** Gives the header. A function, so that print_r, var_export or serialize cannot show it. */
    private \Closure $authorization;

    /**
     * @param string $baseUrl https, or http on localhost, 127.0.0.1 and [::1]
     * @param string $secretKey begins with sk_test_ or sk_live_
     * @param int $timeoutMs how long a request may take, with its answer, in milliseconds
     * @throws \InvalidArgumentException if one of them is not that
     */
    public function __construct(
        #[\SensitiveParameter] string $baseUrl,
        #[\SensitiveParameter] string $secretKey,
        int $timeoutMs = 30_000,
    ) {
        $host = '[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]';
        $url = "~^(https?)://($host)(?::(\d{1,5}))?((?:/[\w.\~-]*)*)$~D";
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
        $isHttps = $base[1] === 'https';
        $port = $base[3] !== '' ? $base[3] : ($isHttps ? '443' : '80');
        $this->address = ($isHttps ? 'tls' : 'tcp') . "://$base[2]:$port";
        $this->hostHeader = $base[3] !== '' ? "$base[2]:$port" : $base[2];
        $this->path = rtrim($base[4], '/');
        $this->timeoutMs = $timeoutMs;
        $this->authorization = static fn (): string => "Bearer $secretKey";
    }

    /** What var_dump and print_r show. */
    public function __debugInfo(): array
    {
        return [];
    }

    /**
     * A fresh encryption key, for one checkout session. Give the browser no more of it than
     * browserKey() returns.
     *
     * @return array{id: string, scheme: string, public_key: string, expires_at: int}
     * @throws CardPaymentsError
     */
    public function createEncryptionKey(): array
    {
        return $this->post('/payments/card/encryption-keys', 201, [self::class, 'isEncryptionKey']);
    }

    /**
     * A draft that fixes amount and currency. No card is involved.
     *
     * @param int $amount minor units: 1000 is 10.00 USD
     * @param string|null $captureMethod automatic unless given
     * @param string|null $idempotencyKey visible ASCII, such as bin2hex(random_bytes(16))
     * @return array the intent
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if the amount is none
     */
    public function createIntent(
        int $amount,
        string $currency,
        ?string $captureMethod = null,
        ?string $description = null,
        ?string $idempotencyKey = null,
    ): array {
        if ($amount < 0 || $amount >= 2 ** 53) {
            throw self::invalid('amount must be a whole number of minor units');
        }
        $draft = ['amount' => $amount, 'currency' => $currency];
        if ($captureMethod !== null) {
            $draft['capture_method'] = $captureMethod;
        }
        if ($description !== null) {
            $draft['description'] = $description;
        }
        $isIntent = [self::class, 'isIntent'];
        return $this->post('/payments/card', 201, $isIntent, $draft, $idempotencyKey);
    }

    /**
     * Charges or reserves the amount of an intent in "created", and returns the intent.
     *
     * Look at its status: "committed" (charged), "authorized" (reserved, with the capture method
     * "manual") or "failed" (declined; failure_reason says why).
     *
     * @param array $card what parseEncryptedCard() returned. Never log or keep it.
     * @return array the intent
     * @throws CardPaymentsError
     * @throws \InvalidArgumentException if the id is none of an intent
     */
    public function authorize(
        string $intentId,
        #[\SensitiveParameter] array $card,
        ?string $idempotencyKey = null,
    ): array {
        if (!self::isIntentId($intentId)) {
            throw self::invalid('intentId must be the id of a card payment intent');
        }
        $layout = [];
        foreach ($card['layout'] as $entry) {
            $layout[] = ['field' => $entry['field'], 'len' => $entry['len']];
        }
        return $this->post(
            "/payments/card/$intentId/authorize",
            200,
            static fn ($answer): bool => self::isIntent($answer) && $answer->id === $intentId,
            ['payload' => $card['payload'], 'key_id' => $card['key_id'], 'layout' => $layout],
            $idempotencyKey,
            $intentId,
        );
    }

    private function post(
        string $path,
        int $success,
        callable $isAnswer,
        #[\SensitiveParameter] ?array $body = null,
        ?string $idempotencyKey = null,
        ?string $intentId = null,
    ): array {
        if ($idempotencyKey !== null && preg_match('/^[!-~]+$/D', $idempotencyKey) !== 1) {
            throw self::invalid('idempotencyKey must be visible ASCII characters');
        }
        $content = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
        $headers = [
            'Host' => $this->hostHeader,
            'Authorization' => ($this->authorization)(),
            'Accept' => 'application/json',
            'Content-Length' => strlen($content),
            'Connection' => 'close',
        ];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $request = "POST $this->path$path HTTP/1.1\r\n";
        foreach ($headers as $name => $value) {
            $request .= "$name: $value\r\n";
        }

        [$answer, $isWhole] = $this->exchange("$request\r\n$content");
        [$status, $text] = self::readAnswer($answer);
        $text = $isWhole ? $text : null;
        if ($status === $success && $text !== null && $isAnswer(json_decode($text))) {
            return json_decode($text, true);
        }
        if ($status >= 400 && $status < 500 && $text !== null) {
            $code = self::encryptionErrorCode($text);
            $recovery = self::RECOVERIES[$code] ?? 'not_specified';
            $message = 'The service refused the request';
            throw new CardPaymentsError($message, $recovery, $status, $code, $intentId);
        }
        // A lost answer may have been a payment. A lost key or draft charges nobody.
        $recovery = $intentId === null ? 'ask_again' : 'resolve_intent';
        $message = 'The service did not answer as specified, or not in time';
        throw new CardPaymentsError($message, $recovery, $status, null, $intentId);
    }

    /**
     * Sends one request and returns what came, and whether that is all of it.
     *
     * By hand, because PHP's http:// streams have no limit for the whole exchange (theirs starts
     * again with each byte) and the curl extension is not everywhere.
     *
     * @return array{string, bool}
     */
    private function exchange(#[\SensitiveParameter] string $request): array
    {
        $deadline = hrtime(true) + $this->timeoutMs * 1_000_000;
        $tls = ['verify_peer' => true, 'verify_peer_name' => true, 'allow_self_signed' => false];
        // "@": a warning would go to the log, or into the page.
        $socket = @stream_socket_client(
            $this->address,
            $errorNumber,
            $errorText,
            $this->timeoutMs / 1000,
            STREAM_CLIENT_CONNECT,
            stream_context_create(['ssl' => $tls]),
        );
        if ($socket === false) {
            return ['', false];
        }
        $answer = '';
        $sent = @fwrite($socket, $request);
        $isWhole = false;
        while ($sent === strlen($request) && strlen($answer) <= self::MAX_ANSWER_BYTES) {
            $left = $deadline - hrtime(true);
            if ($left <= 0) {
                break;
            }
            $seconds = intdiv($left, 1_000_000_000);
            $microseconds = intdiv($left % 1_000_000_000, 1000);
            stream_set_timeout($socket, $seconds, max($microseconds, 1));
            $chunk = @fread($socket, 8192);
            if (is_string($chunk) && $chunk !== '') {
                $answer .= $chunk;
                continue;
            }
            $isWhole = feof($socket) && !stream_get_meta_data($socket)['timed_out'];
            break;
        }
        fclose($socket);
        return [$answer, $isWhole];
    }

    /**
     * The status and the body of an HTTP answer; the body is null if part of it is missing.
     * No redirect is followed: another host would get the secret key.
     *
     * @return array{int|null, string|null}
     */
    private static function readAnswer(string $answer): array
    {
        [$head, $body] = explode("\r\n\r\n", $answer, 2) + ['', null];
        if (preg_match('~^HTTP/1\.[01] (\d{3})\b~', $head, $line) !== 1) {
            return [null, null];
        }
        $status = (int) $line[1];
        if ($status >= 100 && $status < 200) {
            return self::readAnswer($body ?? ''); // an interim answer; the real one follows
        }
        if (preg_match('~\r\nTransfer-Encoding:[ \t]*chunked[ \t]*(\r|$)~i', $head) === 1) {
            return [$status, self::joinChunks($body ?? '')];
        }
        if (preg_match('~\r\nContent-Length:[ \t]*(\d+)[ \t]*(\r|$)~i', $head, $length) === 1) {
            return [$status, strlen($body ?? '') === (int) $length[1] ? $body : null];
        }
        return [$status, $body];
    }

    /** RFC 9112, section 7.1; null if the last chunk is missing. */
    private static function joinChunks(string $chunks): ?string
    {
        $body = '';
        $at = 0;
        while (preg_match('~\G([0-9A-Fa-f]{1,6})[^\r\n]*\r\n~', $chunks, $line, 0, $at) === 1) {
            $size = (int) hexdec($line[1]);
            if ($size === 0) {
                return $body;
            }
            $at += strlen($line[0]);
            $body .= substr($chunks, $at, $size);
            $at += $size;
            if (substr($chunks, $at, 2) !== "\r\n") {
                return null;
            }
            $at += 2;
        }
        return null;
    }

    /** The envelope of errors is not specified: the code may stand anywhere. Two are none. */
    private static function encryptionErrorCode(string $text): ?string
    {
        $found = [];
        $answer = [json_decode($text, true)];
        array_walk_recursive($answer, static function ($value) use (&$found): void {
            if (is_string($value) && isset(self::RECOVERIES[$value])) {
                $found[$value] = true;
            }
        });
        return count($found) === 1 ? array_key_first($found) : null;
    }

    private static function isSecure(string $protocol, string $host): bool
    {
        $loopback = ['localhost', '127.0.0.1', '[::1]'];
        return $protocol === 'https' || in_array(strtolower($host), $loopback, true);
    }

    private static function isIntentId(mixed $value): bool
    {
        return is_string($value) && preg_match('/^pi_card_[A-Za-z0-9_-]+$/D', $value) === 1;
    }

    private static function isEncryptionKey(mixed $value): bool
    {
        $isInteger = [self::class, 'isInteger'];
        return self::hasShape($value, [
            'id' => static fn ($id): bool => is_string($id) && str_starts_with($id, 'cek_'),
            'scheme' => 'is_string',
            'public_key' => 'is_string',
            'expires_at' => $isInteger,
        ]);
    }

    private static function isIntent(mixed $value): bool
    {
        $isInteger = [self::class, 'isInteger'];
        $isTextOrNull = static fn ($text): bool => $text === null || is_string($text);
        return self::hasShape($value, [
            'id' => [self::class, 'isIntentId'],
            'amount' => $isInteger,
            'amount_captured' => $isInteger,
            'amount_refunded' => $isInteger,
            'currency' => 'is_string',
            'status' => 'is_string',
            'status_at' => static fn ($at): bool => $at === null || self::isInteger($at),
            'processor_ref' => $isTextOrNull,
            'failure_reason' => $isTextOrNull,
            'cancellation_reason' => $isTextOrNull,
            'capture_method' => static fn ($method): bool =>
                $method === 'automatic' || $method === 'manual',
            'payment_method' => static fn ($method): bool => $method === null
                || self::hasShape($method, ['brand' => 'is_string', 'last4' => 'is_string']),
            'description' => $isTextOrNull,
            'statement_descriptor' => $isTextOrNull,
            'metadata' => static fn ($metadata): bool => $metadata instanceof \stdClass,
            'created' => $isInteger,
            'updated' => $isInteger,
            'livemode' => 'is_bool',
        ]);
    }

    /** @param array<string, callable> $checks */
    private static function hasShape(mixed $value, array $checks): bool
    {
        if (!$value instanceof \stdClass) {
            return false;
        }
        foreach ($checks as $name => $check) {
            if (!property_exists($value, $name) || !$check($value->$name)) {
                return false;
            }
        }
        return true;
    }

    private static function isInteger(mixed $value): bool
    {
        $number = wholeNumber($value);
        return $number !== null && abs($number) < 2 ** 53;
    }

    private static function invalid(string $message): \InvalidArgumentException
    {
        $error = new \InvalidArgumentException($message);
        forgetArguments($error);
        return $error;
    }
}
