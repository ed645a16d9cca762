<?php

/**
 * Drives the PHP port's client: reads one call a line as JSON, answers with what came of it.
 *
 * Usage: php client.php FOLDER, where FOLDER holds the port.
 */

declare(strict_types=1);

use Cardseal\CaptureMethod;
use Cardseal\CardPayments;
use Cardseal\CardPaymentsError;
use Cardseal\EncryptedCard;
use Cardseal\Intent;

require __DIR__ . '/autoload.php';

/** What a log, an error page or an error tracker could show of an error. */
function everythingOf(Throwable $error): string
{
    return $error . print_r($error, true) . var_export($error->getTrace(), true)
        . json_encode($error) . ($error->getPrevious() ? everythingOf($error->getPrevious()) : '');
}

function everythingOfClient(CardPayments $client): string
{
    try {
        $serialized = serialize($client);
    } catch (Exception $error) {
        $serialized = $error->getMessage(); // it cannot be serialized, which is as good
    }
    return print_r($client, true) . var_export($client, true) . json_encode($client) . $serialized;
}

/** @param array<string, mixed> $given a block that is none, for tests that only look at its way */
function cardOf(array $given): EncryptedCard
{
    $card = (new ReflectionClass(EncryptedCard::class))->newInstanceWithoutConstructor();
    $constructor = new ReflectionMethod($card, '__construct');
    $layout = array_map(
        static fn (array $entry): array => ['field' => $entry['field'], 'len' => $entry['len']],
        $given['layout'],
    );
    $constructor->invoke($card, $given['payload'], $given['key_id'], $layout);
    return $card;
}

function call(stdClass $given): array
{
    $client = isset($given->timeoutMs)
        ? new CardPayments($given->baseUrl, $given->secretKey, $given->timeoutMs)
        : new CardPayments($given->baseUrl, $given->secretKey);
    $arguments = json_decode(json_encode($given->arguments), true);
    if (isset($arguments['captureMethod'])) {
        $arguments['captureMethod'] = CaptureMethod::from($arguments['captureMethod']);
    }
    if (isset($arguments['card'])) {
        $arguments['card'] = cardOf($arguments['card']);
    }
    $output = $given->method === 'none' ? null : $client->{$given->method}(...$arguments);
    if ($output instanceof Intent) {
        $output = $output->resource;
    }
    return ['output' => $output, 'shown' => everythingOfClient($client)];
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $answer = call(json_decode($line, false, 512, JSON_THROW_ON_ERROR));
    } catch (CardPaymentsError $error) {
        $answer = [
            'error' => [
                'recovery' => $error->recovery->value,
                'status' => $error->status,
                'code' => $error->errorCode?->value,
                'intentId' => $error->intentId,
            ],
            'shown' => everythingOf($error),
        ];
    } catch (InvalidArgumentException $error) {
        $answer = ['invalid' => $error->getMessage(), 'shown' => everythingOf($error)];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}
