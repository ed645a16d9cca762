<?php

/**
 * Drives the PHP port's client: reads one call a line as JSON, answers with what came of it.
 *
 * Usage: php client.php FOLDER, where FOLDER holds the port, cardseal.php.
 */

declare(strict_types=1);

use Cardseal\CardPayments;
use Cardseal\CardPaymentsError;

require $argv[1] . '/cardseal.php';

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

function call(stdClass $given): array
{
    $client = isset($given->timeoutMs)
        ? new CardPayments($given->baseUrl, $given->secretKey, $given->timeoutMs)
        : new CardPayments($given->baseUrl, $given->secretKey);
    $arguments = json_decode(json_encode($given->arguments), true);
    $output = $given->method === 'none' ? null : $client->{$given->method}(...$arguments);
    return ['output' => $output, 'shown' => everythingOfClient($client)];
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $answer = call(json_decode($line, false, 512, JSON_THROW_ON_ERROR));
    } catch (CardPaymentsError $error) {
        $answer = [
            'error' => [
                'recovery' => $error->recovery,
                'status' => $error->status,
                'code' => $error->errorCode,
                'intentId' => $error->intentId,
            ],
            'shown' => everythingOf($error),
        ];
    } catch (InvalidArgumentException $error) {
        $answer = ['invalid' => $error->getMessage(), 'shown' => everythingOf($error)];
    }
    echo json_encode($answer, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION), "\n";
}
