<?php

/**
 * Runs the PHP port over the scenarios of an order: reads them as JSON, answers with one line for
 * each: what every step returned, stored and asked the service for.
 *
 * Usage: php scenarios.php FOLDER [contended], where FOLDER holds the port. If the store is
 * contended, somebody else is faster at each first try of a write.
 */

declare(strict_types=1);

namespace Cardseal;

require __DIR__ . '/autoload.php';

ini_set('error_log', '/dev/null');

define('Cardseal\IS_CONTENDED', ($argv[2] ?? '') === 'contended');
const ORDER_ID = 'order-1';

final class ScriptedClock implements Clock
{
    public int $now = 0;

    public function now(): int
    {
        return $this->now;
    }

    public function sleep(int $ms): void
    {
        $this->now += $ms;
    }
}

final class NoLimits implements Limits
{
    public function take(string $name, float $burst, float $perSecond, int $now): int
    {
        return 0;
    }

    public function left(string $name, float $burst, float $perSecond, int $now): float
    {
        return $burst;
    }

    public function giveBack(string $name, float $count, float $burst): void
    {
    }
}

/** One step of a scenario that is under way. */
final class Step
{
    /** What came of it: answer, stored, and the requests to others. */
    public array $found = [];

    /** What the store is to do with the next writes. */
    public array $faults;

    public function __construct(public array $given)
    {
        $this->faults = $given['store'] ?? [];
    }
}

final class ScriptedStore implements OrderStore
{
    public ?Entry $entry = null;
    public bool $due = true;
    public ?Step $step = null;
    private bool $isContended = false;

    public function read(string $orderId): ?Entry
    {
        return $this->entry;
    }

    public function write(string $orderId, string $value, int $version, bool $due = true): bool
    {
        $this->isContended = IS_CONTENDED && !$this->isContended;
        if ($this->isContended) {
            return false;
        }
        $fault = array_shift($this->step->faults) ?? 'ok';
        if ($fault === 'fails') {
            throw new \RuntimeException('Nothing was written');
        }
        $isNewest = $version === ($this->entry?->version ?? 0);
        if ($isNewest) {
            [$this->entry, $this->due] = [new Entry($value, $version + 1), $due];
        }
        if ($fault === 'answer_lost') {
            throw new \RuntimeException('The answer was lost');
        }
        return $isNewest;
    }

    public function listDue(int $limit, string $after = ''): array
    {
        return $this->entry !== null && $this->due && $after === ''
            ? [new ListedOrder(ORDER_ID, $this->entry->value, $this->entry->version)]
            : [];
    }
}

final class ScriptedPayments extends CardPayments
{
    public function __construct(private World $world)
    {
        parent::__construct('http://localhost', 'sk_test_scenarios');
    }

    public function createEncryptionKey(): EncryptionKey
    {
        $key = $this->world->exchange('key', []);
        return new EncryptionKey($key['id'], 'RSA_OAEP_SHA256_V1', 'AAAA', $key['expires_at']);
    }

    public function createIntent(
        int|float $amount,
        string $currency,
        ?CaptureMethod $captureMethod = null,
        ?string $description = null,
        ?string $idempotencyKey = null,
        ?int $timeoutMs = null,
    ): Intent {
        $asked = ['amount' => $amount, 'currency' => $currency];
        return $this->intent('intent', $asked, $captureMethod ?? CaptureMethod::Automatic);
    }

    public function authorize(
        string $intentId,
        EncryptedCard $card,
        ?string $idempotencyKey = null,
    ): Intent {
        return $this->intent('authorize', ['intentId' => $intentId, 'keyId' => $card->keyId]);
    }

    private function intent(
        string $kind,
        array $asked,
        CaptureMethod $captureMethod = CaptureMethod::Automatic,
    ): Intent {
        $intent = $this->world->exchange($kind, ['asked' => $asked]);
        return new Intent(
            $intent['id'],
            $intent['amount'],
            $intent['currency'],
            $intent['status'],
            $captureMethod,
            $intent['failure_reason'],
            $intent,
        );
    }
}

final class World
{
    private ScriptedStore $store;
    private ScriptedClock $clock;
    private Checkout $checkout;

    public function __construct(array $scenario, private array $block)
    {
        $this->store = new ScriptedStore();
        $this->clock = new ScriptedClock();
        $start = $scenario['start'];
        if ($start !== null) {
            $text = is_string($start) ? $start : json_encode($start);
            $this->store->entry = new Entry($text, 1);
        }
        $this->checkout = new Checkout(
            new ScriptedPayments($this),
            $this->store,
            new NoLimits(),
            onPaid: ($scenario['delivers'] ?? false) ? $this->deliver(...) : null,
            clock: $this->clock,
        );
    }

    public function run(array $given): array
    {
        // A step can run while another one waits for an answer.
        [$outerStep, $outerNow] = [$this->store->step, $this->clock->now];
        $step = $this->store->step = new Step($given);
        $this->clock->now = $given['at'];
        $step->found['answer'] = $this->call($given);
        $value = $this->store->entry?->value;
        $step->found['stored'] = $value === null ? null : json_decode($value) ?? $value;
        [$this->store->step, $this->clock->now] = [$outerStep, $outerNow];
        foreach (['key', 'intent', 'authorize', 'lookUp', 'deliver'] as $kind) {
            if (isset($step->found[$kind])) {
                $step->found[$kind] = (object) $step->found[$kind]; // {}, also if it is empty
            }
        }
        return $step->found;
    }

    private function call(array $given): mixed
    {
        $posted = [
            'payload' => $this->block['payload'],
            'key_id' => $given['keyId'] ?? '',
            'layout' => $this->block['layout'],
        ];
        $text = $given['body'] ?? json_encode($posted, JSON_UNESCAPED_SLASHES);
        $order = self::orderOf($given['order'] ?? $given['whole'] ?? null);
        try {
            return match ($given['call']) {
                'issueKey' => self::issued($this->checkout->issueKey($order)),
                'pay' => $this->checkout->pay($order, $text),
                'outcome' => $this->checkout->outcome(ORDER_ID),
                'withdraw' => $this->checkout->withdraw($order),
                'sweep' => $this->checkout->sweep(
                    isset($given['lookUp']) ? $this->lookUp(...) : null,
                ),
                'resolve' => $this->checkout->resolve(
                    $order ?? ORDER_ID,
                    $given['intentId'],
                    Resolution::from($given['truth']),
                ),
            };
        } catch (\Throwable $error) {
            return ['thrown' => (string) $error];
        }
    }

    private static function orderOf(?array $given): ?Order
    {
        if ($given === null) {
            return null;
        }
        $captureMethod = CaptureMethod::from($given['capture_method'] ?? 'automatic');
        return new Order(
            ORDER_ID,
            $given['amount'],
            $given['currency'],
            captureMethod: $captureMethod,
        );
    }

    /** As issueKey of the npm package answers. */
    private static function issued(IssuedKey $issued): array
    {
        if ($issued->key !== null) {
            $last = $issued->outcome->jsonSerialize();
            unset($last['status']);
            $body = ['id' => $issued->key->id];
            return ['status' => 200, 'body' => $body, 'order' => ORDER_ID] + $last;
        }
        return $issued->outcome === null
            ? ['status' => 502, 'body' => ['status' => 'no_key']]
            : ['status' => 409, 'body' => $issued->outcome];
    }

    private function lookUp(string $intentId): mixed
    {
        return $this->exchange('lookUp', ['asked' => ['intentId' => $intentId]]);
    }

    private function deliver(PaidOrder $order, PaidOutcome $outcome): void
    {
        $asked = ['reference' => $outcome->reference, 'tries' => $outcome->tries];
        $this->exchange('deliver', ['asked' => $asked]);
    }

    /** What others answer to this request, after what others do meanwhile. */
    public function exchange(string $kind, array $found): mixed
    {
        $step = $this->store->step;
        $script = $step->given[$kind] ?? null;
        if ($script === null || isset($step->found[$kind])) {
            $step->found['unexpected'][] = $kind;
            throw new CardPaymentsError('Unexpected', Recovery::ResolveIntent);
        }
        $step->found[$kind] = $found;
        foreach ($script['during'] ?? [] as $other) {
            $step->found[$kind]['during'][] = $this->run($other);
        }
        $error = $script['error'] ?? null;
        if ($error === null) {
            return $script['answer'] ?? null;
        }
        if ($error === 'no_answer') {
            throw new CardPaymentsError('No answer', Recovery::ResolveIntent);
        }
        $code = $error === 'refused' ? null : EncryptionErrorCode::from($error);
        throw new CardPaymentsError('Refused', Recovery::NotSpecified, 422, $code);
    }
}

$corpus = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
foreach ($corpus['scenarios'] as $scenario) {
    $world = new World($scenario, $corpus['block']);
    $found = array_map([$world, 'run'], $scenario['steps']);
    echo json_encode($found, JSON_THROW_ON_ERROR), "\n";
}
