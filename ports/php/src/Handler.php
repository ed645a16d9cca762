<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * One address for everything that a page asks, for any framework: GET gets the outcome, POST
 * without a body a key, and POST with a block pays.
 *
 *     (new Handler($checkout))->handle(Request::current($_SERVER['REMOTE_ADDR']), $order)->send();
 */
final class Handler
{
    private const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    private const READ_BEFORE = 'Handler: something has read the body of the request before. Give '
        . 'Request the body as it came, before any parser, because the error of a parser can hold '
        . 'a card';

    private const NO_ORDER = 'Block not sent: the session has no order. It has ended, or the '
        . 'request came without its cookie';
    private const OTHER_ORDER = 'Block not sent: order %s: the page is of another order';

    public function __construct(private readonly Checkout $checkout)
    {
    }

    /**
     * Answers a request of a page. Each answer is JSON with a status, and not to be cached. A form
     * that the browser has submitted by itself is answered with 303.
     *
     * @param Order|null $order the order in the shopper's session; null if there is none. Begin an
     *     order only when the page is rendered: a payment of an order that is gone must not become
     *     one of a new order.
     * @param string|null $page where the browser goes after it has submitted the form by itself;
     *     the page that it comes from, or "/", unless given
     */
    public function handle(
        #[\SensitiveParameter] Request $request,
        ?Order $order,
        ?string $page = null,
    ): Response {
        if ($request->method === 'GET' || $request->method === 'HEAD') {
            return $order === null
                ? self::json(404, new Outcome(Status::NoOrder))
                : self::json(200, $this->checkout->outcome($order->id));
        }
        if ($request->method !== 'POST') {
            return self::json(405, ['status' => 'method'], ['Allow' => 'GET, HEAD, POST']);
        }
        // Cookies that are SameSite=Lax come from other ports and subdomains, too.
        $site = $request->headers['sec-fetch-site'] ?? '';
        if (!in_array($site, ['', 'same-origin', 'none'], true)) {
            return self::json(403, ['status' => 'cross_site']);
        }
        if (self::isTooLarge($request)) {
            return self::json(413, ['status' => 'too_large']);
        }
        if (self::isReadBefore($request)) { // else a block would count as a request for a key
            $this->checkout->log(self::READ_BEFORE);
            return self::json(500, ['status' => 'misconfigured']);
        }
        return $this->post($request, $order, $page);
    }

    private function post(
        #[\SensitiveParameter] Request $request,
        ?Order $order,
        ?string $page,
    ): Response {
        // The page names the order that its key is for. The session may have another one by now.
        $meant = $request->headers['cardseal-order'] ?? null;
        $isMeant = $order !== null && ($meant === null || $meant === self::encoded($order->id));
        $isForm = self::isForm($request);
        if ($isMeant && !$isForm && $request->body === '') {
            return $this->issueKey($order, $request->sender);
        }
        if (!$isMeant && ($isForm || $request->body !== '')) {
            $this->logNoOrder($order);
        }
        $posted = $isForm ? self::formField($request) : $request->body;
        $outcome = $isMeant
            ? $this->checkout->pay($order, $posted, $request->sender)
            : new Outcome(Status::NoOrder);
        if ($isForm && str_contains($request->headers['accept'] ?? '', 'text/html')) {
            $back = $page ?? self::pageBefore($request->headers['referer'] ?? '');
            return self::seeOther($back, $outcome);
        }
        return self::json(self::statusOf($outcome) ?? 200, $outcome);
    }

    private function logNoOrder(?Order $order): void
    {
        $order === null
            ? $this->checkout->log(self::NO_ORDER)
            : $this->checkout->log(self::OTHER_ORDER, order: $order->id);
    }

    private function issueKey(Order $order, ?string $sender): Response
    {
        $issued = $this->checkout->issueKey($order, $sender);
        if ($issued->retryAfter !== null) {
            $headers = ['Retry-After' => (string) $issued->retryAfter];
            return self::json(429, ['status' => 'too_many'], $headers);
        }
        if ($issued->outcome === null) {
            return self::json(502, ['status' => 'no_key']);
        }
        if ($issued->key === null) {
            return self::json(200, $issued->outcome);
        }
        $answer = ['order' => $order->id, 'key' => $issued->key];
        return self::json(200, $issued->outcome->jsonSerialize() + $answer);
    }

    /** The outcomes that are faults of the page, or of something on the way. */
    private static function statusOf(Outcome $outcome): ?int
    {
        return match ($outcome->status) {
            Status::InvalidEncryptedCard => 400,
            Status::NoOrder => 404,
            default => null,
        };
    }

    private static function isForm(#[\SensitiveParameter] Request $request): bool
    {
        $type = strtolower(trim($request->headers['content-type'] ?? ''));
        foreach (self::FORMS as $form) {
            if (str_starts_with($type, $form)) {
                return true;
            }
        }
        return false;
    }

    private static function isTooLarge(#[\SensitiveParameter] Request $request): bool
    {
        return max(self::length($request), strlen($request->body)) > Request::MOST_BODY_BYTES;
    }

    /** Not of a form: PHP itself reads one. pay() refuses it if its field is missing. */
    private static function isReadBefore(#[\SensitiveParameter] Request $request): bool
    {
        return $request->body === '' && self::length($request) > 0 && !self::isForm($request);
    }

    /** As the browser says; 0 if it does not. */
    private static function length(#[\SensitiveParameter] Request $request): int
    {
        return (int) ($request->headers['content-length'] ?? 0);
    }

    private static function formField(#[\SensitiveParameter] Request $request): ?string
    {
        if ($request->encryptedCard !== null) {
            return $request->encryptedCard;
        }
        // Not by parse_str(), which warns if there are many fields: a handler may throw it.
        $field = null;
        foreach (explode('&', $request->body) as $pair) {
            [$name, $value] = explode('=', $pair, 2) + ['', ''];
            if (urldecode($name) === 'encrypted_card') {
                $field = urldecode($value); // of two, the last one counts, as in $_POST
            }
        }
        return $field;
    }

    /** As encodeURIComponent writes it. */
    private static function encoded(string $orderId): string
    {
        $kept = ['%21' => '!', '%2A' => '*', '%27' => "'", '%28' => '(', '%29' => ')'];
        return strtr(rawurlencode($orderId), $kept);
    }

    /**
     * @param array<string, mixed>|Outcome $body
     * @param array<string, string> $headers
     */
    private static function json(int $status, array|Outcome $body, array $headers = []): Response
    {
        $common = ['Content-Type' => 'application/json', 'Cache-Control' => 'no-store'];
        $text = json_encode($body, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
        return new Response($status, $headers + $common, $text);
    }

    /**
     * Back and Reload repeat nothing then. The page shows the order's outcome. What no order tells
     * goes along in the address.
     */
    private static function seeOther(string $page, Outcome $outcome): Response
    {
        [$address, $fragment] = explode('#', $page, 2) + ['', ''];
        [$path, $query] = explode('?', $address, 2) + ['', ''];
        // Not by parse_str(), which makes id_1 of id.1, and one id of two.
        $isKept = static fn (string $parameter): bool =>
            $parameter !== '' && urldecode(explode('=', $parameter)[0]) !== 'outcome';
        $parameters = array_filter(explode('&', $query), $isKept);
        if (self::statusOf($outcome) !== null) {
            $parameters[] = "outcome={$outcome->status->value}";
        }
        $location = $path . ($parameters === [] ? '' : '?' . implode('&', $parameters));
        $location .= $fragment === '' ? '' : "#$fragment";
        return new Response(303, ['Location' => $location, 'Cache-Control' => 'no-store'], '');
    }

    /** Path and query, without the origin: behind a proxy that may be another one. */
    private static function pageBefore(string $referer): string
    {
        $url = parse_url($referer);
        // "//" and "/\" would be another origin.
        $path = '/' . ltrim(is_array($url) ? $url['path'] ?? '' : '', '/\\');
        return $path . (isset($url['query']) ? "?$url[query]" : '');
    }
}
