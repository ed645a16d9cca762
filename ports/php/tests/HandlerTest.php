<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\Handler;
use Cardseal\Order;
use Cardseal\Request;
use Cardseal\Response;
use PHPUnit\Framework\TestCase;

/** The wire is the same as that of checkout.handle of the npm package. */
final class HandlerTest extends TestCase
{
    private Shop $shop;
    private string $log;

    protected function setUp(): void
    {
        $this->log = (string) tempnam(sys_get_temp_dir(), 'log');
        ini_set('error_log', $this->log);
        $this->shop = new Shop();
    }

    protected function tearDown(): void
    {
        unlink($this->log);
    }

    private function logged(): string
    {
        return (string) file_get_contents($this->log);
    }

    /** @param array<string, string|list<string>> $headers */
    private function ask(
        string $method = 'POST',
        string $body = '',
        array $headers = [],
        ?Order $order = new Order('order-1', 2490, 'USD'),
        ?string $page = null,
    ): Response {
        $request = new Request($method, $headers, $body, sender: Shop::SENDER);
        return (new Handler($this->shop->checkout))->handle($request, $order, $page);
    }

    private static function told(Response $response): mixed
    {
        return json_decode($response->body, true);
    }

    public function testAGetTellsTheOutcomeAndIsNotCached(): void
    {
        $response = $this->ask('GET');
        self::assertSame([200, ['status' => 'open']], [$response->status, self::told($response)]);
        self::assertSame('no-store', $response->headers['Cache-Control']);
    }

    public function testAPostWithoutABodyGetsAKeyThatNamesTheOrder(): void
    {
        $key = ['id' => 'cek_1', 'scheme' => 'RSA_OAEP_SHA256_V1', 'public_key' => 'AAAA'];
        $expected = ['status' => 'open', 'order' => 'order-1', 'key' => $key];
        self::assertSame($expected, self::told($this->ask()));
    }

    public function testAPostWithABlockPaysOnce(): void
    {
        $this->ask();
        $paid = ['status' => 'committed', 'reference' => 'pi_card_1'];
        for ($i = 0; $i < 2; $i++) {
            $response = $this->ask(body: Shop::posted(), headers: ['content-type' => 'text/plain']);
            self::assertSame([200, $paid], [$response->status, self::told($response)]);
        }
        self::assertSame(['key', 'intent', 'authorize'], $this->shop->service->asked);
        self::assertSame($paid, self::told($this->ask('GET')));
    }

    public function testADeclineSurvivesAReload(): void
    {
        $this->shop->service->status = 'failed';
        $this->ask();
        $declined = ['status' => 'failed', 'reason' => 'card_declined'];
        self::assertSame($declined, self::told($this->ask(body: Shop::posted())));
        $last = ['last' => 'failed', 'reason' => 'card_declined', 'key_id' => 'cek_1'];
        self::assertSame(['status' => 'open'] + $last, self::told($this->ask('GET')));
    }

    public function testAFormThatTheBrowserSubmitsIsAnsweredWith303(): void
    {
        $this->ask();
        $response = $this->ask(body: http_build_query(['encrypted_card' => Shop::posted()]), headers: [
            'content-type' => 'application/x-www-form-urlencoded',
            'accept' => 'text/html,*/*',
            'referer' => 'https://shop.example//pay?a=1&outcome=no_order',
        ]);
        self::assertSame(303, $response->status);
        self::assertSame('/pay?a=1', $response->headers['Location']);
        self::assertSame('committed', self::told($this->ask('GET'))['status']);
    }

    public function testAFormOfManyFieldsPaysWithoutAWarning(): void
    {
        $this->ask();
        $body = str_repeat('a&', 2000) . http_build_query(['encrypted_card' => Shop::posted()]);
        $headers = ['content-type' => 'application/x-www-form-urlencoded'];
        set_error_handler(static fn (int $level, string $message): never =>
            throw new \ErrorException($message));
        try {
            $response = $this->ask(body: $body, headers: $headers);
        } finally {
            restore_error_handler();
        }
        self::assertSame('committed', self::told($response)['status']);
    }

    /** @dataProvider pages */
    public function testA303KeepsTheAddressOfThePage(string $page, string $location): void
    {
        $headers = [
            'content-type' => 'application/x-www-form-urlencoded',
            'accept' => 'text/html',
            'referer' => "https://shop.example$page",
        ];
        $response = $this->ask(body: 'encrypted_card=x', headers: $headers);
        self::assertSame($location, $response->headers['Location']);
    }

    public function testA303KeepsTheFragmentOfThePageThatTheShopHasNamed(): void
    {
        $form = ['content-type' => 'application/x-www-form-urlencoded', 'accept' => 'text/html'];
        $response = $this->ask(body: 'encrypted_card=x', headers: $form, page: '/pay?a=1#card');
        self::assertSame('/pay?a=1&outcome=invalid_encrypted_card#card', $response->headers['Location']);
    }

    /** @return iterable<array{string, string}> */
    public static function pages(): iterable
    {
        $outcome = 'outcome=invalid_encrypted_card';
        yield ['/pay', "/pay?$outcome"];
        yield ['/pay?', "/pay?$outcome"];
        yield ['/pay?order.id=5', "/pay?order.id=5&$outcome"];
        yield ['/pay?checkout', "/pay?checkout&$outcome"];
        yield ['/pay?id=1&id=2', "/pay?id=1&id=2&$outcome"];
        yield ['/pay?a[]=1&a[]=b%20c+d&e=?', "/pay?a[]=1&a[]=b%20c+d&e=?&$outcome"];
        yield ['/pay?outcome=no_order&a=1&outcome&%6futcome=x', "/pay?a=1&$outcome"];
        yield ['/pay?outcome.b=1&my_outcome=2', "/pay?outcome.b=1&my_outcome=2&$outcome"];
        yield ['//other.example/pay', "/other.example/pay?$outcome"];
        yield ['/\\other.example/pay', "/other.example/pay?$outcome"];
    }

    public function testABodyThatSomethingHasReadIsNoRequestForAKey(): void
    {
        $this->expectMisconfigured(new Request('POST', [
            'Content-Type' => ['text/plain'],
            'Content-Length' => ['555'], // as in PSR-7, and in Symfony
        ]));
        $server = $_SERVER;
        $_SERVER = ['REQUEST_METHOD' => 'POST', 'CONTENT_LENGTH' => '555'];
        $request = Request::current();
        $_SERVER = $server;
        $this->expectMisconfigured($request);
        self::assertSame([], $this->shop->service->asked);
    }

    private function expectMisconfigured(Request $request): void
    {
        $response = (new Handler($this->shop->checkout))->handle($request, Shop::order());
        $told = [$response->status, self::told($response)];
        self::assertSame([500, ['status' => 'misconfigured']], $told);
        $line = 'Handler: something has read the body of the request before';
        self::assertStringContainsString($line, $this->logged());
    }

    public function testAPostWithAnEmptyBodyGetsAKeyWhateverItsHeadersSay(): void
    {
        foreach ([['content-length' => '0'], ['transfer-encoding' => 'chunked']] as $headers) {
            self::assertSame('open', self::told($this->ask(headers: $headers))['status']);
        }
    }

    public function testAFieldThatIsNoTextIsNoBlock(): void
    {
        $headers = [
            'Content-Type' => ['multipart/form-data; boundary=x'],
            'Content-Length' => ['300'], // PHP reads such a body itself
            'Accept' => ['*/*'],
        ];
        foreach ([['a' => Shop::posted()], 1, null] as $field) {
            $request = new Request('POST', $headers, encryptedCard: $field, sender: Shop::SENDER);
            $order = new Order('order-1', 2490, 'USD');
            $response = (new Handler($this->shop->checkout))->handle($request, $order);
            self::assertSame(400, $response->status);
        }
    }

    public function testADumpOfARequestShowsNothingThatWasPosted(): void
    {
        $request = new Request('POST', ['cookie' => 'secret'], 'secret', encryptedCard: 'secret');
        self::assertStringNotContainsString('secret', print_r($request, true));
    }

    public function testAKeyOfAnotherOrderPaysNothing(): void
    {
        $this->ask();
        $response = $this->ask(body: Shop::posted(), headers: ['cardseal-order' => 'order-2']);
        self::assertSame([404, ['status' => 'no_order']], [$response->status, self::told($response)]);
        self::assertNotContains('authorize', $this->shop->service->asked);
        $line = 'Block not sent: order "order-1": the page is of another order';
        self::assertStringContainsString($line, $this->logged());
    }

    /**
     * @dataProvider refusals
     * @param array<string, string|list<string>> $headers
     */
    public function testRefuses(
        string $method,
        array $headers,
        string $body,
        int $status,
        string $word,
    ): void {
        $response = $this->ask($method, $body, $headers);
        self::assertSame([$status, ['status' => $word]], [$response->status, self::told($response)]);
    }

    /** @return iterable<array{string, array<string, string|list<string>>, string, int, string}> */
    public static function refusals(): iterable
    {
        yield ['POST', ['sec-fetch-site' => 'cross-site'], '', 403, 'cross_site'];
        yield ['POST', ['sec-fetch-site' => 'same-site'], '', 403, 'cross_site'];
        yield ['POST', ['Sec-Fetch-Site' => ['cross-site']], '', 403, 'cross_site']; // as in PSR-7
        yield ['POST', ['content-length' => '8193'], '', 413, 'too_large'];
        yield ['POST', [], str_repeat('x', 8193), 413, 'too_large'];
        yield ['PUT', [], '', 405, 'method'];
        yield ['POST', [], 'number=4242424242424242', 400, 'invalid_encrypted_card'];
    }

    public function testWithoutAnOrderThereIsNone(): void
    {
        foreach (['GET', 'POST'] as $method) {
            $response = $this->ask($method, order: null);
            self::assertSame(404, $response->status);
            self::assertSame(['status' => 'no_order'], self::told($response));
        }
        self::assertSame('', $this->logged());
        $this->ask(body: Shop::posted(), order: null);
        $line = 'Block not sent: the session has no order.';
        self::assertStringContainsString($line, $this->logged());
    }

    public function testTooManyRequestsSayWhenToComeBack(): void
    {
        for ($i = 0; $i < 6; $i++) {
            self::assertSame(200, $this->ask()->status);
        }
        $response = $this->ask();
        self::assertSame(429, $response->status);
        self::assertGreaterThan(0, (int) $response->headers['Retry-After']);
    }
}
