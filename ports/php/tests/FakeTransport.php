<?php

declare(strict_types=1);

namespace Cardseal\Tests;

use Cardseal\NoResponse;
use Cardseal\ServiceResponse;
use Cardseal\Transport;

/** A service: $status is what becomes of an authorization. It counts what it is asked. */
final class FakeTransport implements Transport
{
    public string $status = 'committed';
    public int $amount = 2490;
    public string $reason = 'card_declined';
    /** JSON of an authorized intent's metadata. */
    public string $metadata = '{}';
    /** What happens while a draft is made. */
    public ?\Closure $duringDraft = null;
    /** @var list<string> */
    public array $asked = [];
    private int $keys = 0;

    public function __construct(private readonly FakeClock $clock)
    {
    }

    public function post(string $url, array $headers, string $body, int $timeoutMs): ServiceResponse
    {
        if (str_ends_with($url, '/encryption-keys')) {
            $this->asked[] = 'key';
            return self::answer(201, [
                'id' => 'cek_' . ++$this->keys,
                'scheme' => 'RSA_OAEP_SHA256_V1',
                'public_key' => 'AAAA',
                'expires_at' => $this->clock->now + 900_000,
            ]);
        }
        if (!str_ends_with($url, '/authorize')) {
            $this->asked[] = 'intent';
            $this->duringDraft?->__invoke();
            return self::answer(201, $this->intent('created'));
        }
        $this->asked[] = 'authorize';
        if ($this->status === 'lost') {
            throw new NoResponse();
        }
        if ($this->status === 'broken') {
            throw new \TypeError();
        }
        if ($this->status === 'refused') {
            return self::answer(400, ['error' => ['code' => 'invalid_encryption_block']]);
        }
        $intent = ['amount' => $this->amount] + $this->intent($this->status);
        $text = json_encode($intent, JSON_THROW_ON_ERROR);
        $body = str_replace('"metadata":{}', "\"metadata\":$this->metadata", $text);
        return new ServiceResponse(200, $body);
    }

    /** @return array<string, mixed> */
    private function intent(string $status): array
    {
        return [
            'id' => 'pi_card_1',
            'amount' => 2490,
            'amount_captured' => 0,
            'amount_refunded' => 0,
            'currency' => 'USD',
            'status' => $status,
            'status_at' => null,
            'processor_ref' => null,
            'failure_reason' => $status === 'failed' ? $this->reason : null,
            'cancellation_reason' => null,
            'capture_method' => 'automatic',
            'payment_method' => null,
            'description' => null,
            'statement_descriptor' => null,
            'metadata' => new \stdClass(),
            'created' => 1,
            'updated' => 1,
            'livemode' => false,
        ];
    }

    /** @param array<string, mixed> $body */
    private static function answer(int $status, array $body): ServiceResponse
    {
        return new ServiceResponse($status, json_encode($body, JSON_THROW_ON_ERROR));
    }
}
