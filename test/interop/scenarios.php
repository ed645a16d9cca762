<?php

/**
 * Runs the PHP port over the scenarios of an order: reads them as JSON, answers with one line for
 * each: what every step returned, stored and asked the service for.
 *
 * Usage: php scenarios.php FOLDER [contended], where FOLDER holds the port, cardseal.php. If the
 * store is contended, somebody else is faster at each first try of a write.
 */

declare(strict_types=1);

namespace Cardseal;

/** Stands in for PHP's clock: these two functions are in the port's namespace. */
final class Clock
{
    public static int $now = 0;

    public function format(string $format): string
    {
        return $format === 'Uv' ? (string) self::$now : '';
    }
}

function date_create(): Clock
{
    return new Clock();
}

function usleep(int $microseconds): void
{
    Clock::$now += intdiv($microseconds, 1000);
}

require $argv[1] . '/cardseal.php';

ini_set('error_log', '/dev/null');

define('Cardseal\IS_CONTENDED', ($argv[2] ?? '') === 'contended');
const ORDER_ID = 'order-1';
const MORE_OF_AN_INTENT = ['capture_method' => 'automatic', 'payment_method' => null];

/** One step of a scenario that is under way. */
final class Step
{
    /** What came of it: answer, stored, and the requests to the service. */
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
    public ?array $entry = null;
    public ?Step $step = null;
    private bool $isContended = false;

    public function read(string $orderId): ?array
    {
        return $orderId === ORDER_ID ? $this->entry : null; // a counter of key requests
    }

    public function write(string $orderId, string $value, int $version): bool
    {
        if ($orderId !== ORDER_ID) {
            return true;
        }
        $this->isContended = IS_CONTENDED && !$this->isContended;
        if ($this->isContended) {
            return false;
        }
        $fault = array_shift($this->step->faults) ?? 'ok';
        if ($fault === 'fails') {
            throw new \RuntimeException('Nothing was written');
        }
        $isNewest = $version === ($this->entry['version'] ?? 0);
        if ($isNewest) {
            $this->entry = ['value' => $value, 'version' => $version + 1];
        }
        if ($fault === 'answer_lost') {
            throw new \RuntimeException('The answer was lost');
        }
        return $isNewest;
    }
}

final class ScriptedPayments extends CardPayments
{
    public function __construct(private World $world)
    {
        parent::__construct('http://localhost', 'sk_test_scenarios');
    }

    public function createEncryptionKey(): array
    {
        return $this->world->exchange('key', []) + ['scheme' => SCHEME, 'public_key' => 'AAAA'];
    }

    public function createIntent(
        int $amount,
        string $currency,
        ?string $captureMethod = null,
        ?string $description = null,
        ?string $idempotencyKey = null,
    ): array {
        $asked = ['amount' => $amount, 'currency' => $currency];
        return $this->world->exchange('intent', ['asked' => $asked]) + MORE_OF_AN_INTENT;
    }

    public function authorize(string $intentId, array $card, ?string $idempotencyKey = null): array
    {
        $asked = ['intentId' => $intentId, 'keyId' => $card['key_id']];
        return $this->world->exchange('authorize', ['asked' => $asked]) + MORE_OF_AN_INTENT;
    }
}

final class World
{
    private ScriptedStore $store;
    private Checkout $checkout;

    public function __construct(?array $start, private array $block)
    {
        $this->store = new ScriptedStore();
        if ($start !== null) {
            $this->store->entry = ['value' => json_encode($start), 'version' => 1];
        }
        $this->checkout = new Checkout(new ScriptedPayments($this), $this->store);
    }

    public function run(array $given): array
    {
        // A step can run while another one waits for the service.
        [$outerStep, $outerNow] = [$this->store->step, Clock::$now];
        $step = $this->store->step = new Step($given);
        Clock::$now = $given['at'];
        $step->found['answer'] = $this->call($given);
        $entry = $this->store->entry;
        $step->found['stored'] = $entry === null ? null : json_decode($entry['value']);
        [$this->store->step, Clock::$now] = [$outerStep, $outerNow];
        foreach (['key', 'intent', 'authorize'] as $kind) {
            if (isset($step->found[$kind])) {
                $step->found[$kind] = (object) $step->found[$kind]; // {}, also if it is empty
            }
        }
        return $step->found;
    }

    private function call(array $given): array
    {
        $order = ['id' => ORDER_ID] + ($given['order'] ?? []);
        $block = $this->block + ['key_id' => $given['keyId'] ?? ''];
        $posted = [
            'payload' => $block['payload'],
            'key_id' => $block['key_id'],
            'layout' => $block['layout'],
        ];
        $text = $given['body'] ?? json_encode($posted, JSON_UNESCAPED_SLASHES);
        try {
            return match ($given['call']) {
                'issueKey' => self::idOnly($this->checkout->issueKey($order)),
                'pay' => $this->checkout->pay($order, $text),
                'outcome' => $this->checkout->outcome(ORDER_ID),
                'resolve' => $this->checkout->resolve(
                    ORDER_ID,
                    $given['intentId'],
                    $given['truth'],
                ),
            };
        } catch (\Throwable $error) {
            return ['thrown' => (string) $error];
        }
    }

    private static function idOnly(array $issued): array
    {
        if ($issued['status'] === 200) {
            $issued['body'] = ['id' => $issued['body']['id']];
        }
        return $issued;
    }

    /** What the service answers to this request, after what others do meanwhile. */
    public function exchange(string $kind, array $found): array
    {
        $step = $this->store->step;
        $script = $step->given[$kind] ?? null;
        if ($script === null || isset($step->found[$kind])) {
            $step->found['unexpected'][] = $kind;
            throw new CardPaymentsError('Unexpected', 'resolve_intent');
        }
        $step->found[$kind] = $found;
        foreach ($script['during'] ?? [] as $other) {
            $step->found[$kind]['during'][] = $this->run($other);
        }
        $error = $script['error'] ?? null;
        if ($error === null) {
            return $script['answer'];
        }
        if ($error === 'no_answer') {
            throw new CardPaymentsError('No answer', 'resolve_intent');
        }
        if ($error === 'refused') {
            throw new CardPaymentsError('Refused', 'not_specified', 404);
        }
        throw new CardPaymentsError('Refused', 'not_specified', 422, $error);
    }
}

$corpus = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
foreach ($corpus['scenarios'] as $scenario) {
    $world = new World($scenario['start'], $corpus['block']);
    $found = array_map([$world, 'run'], $scenario['steps']);
    echo json_encode($found, JSON_THROW_ON_ERROR), "\n";
}
