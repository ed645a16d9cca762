<?php

/**
 * Runs the PHP port over the corpus: reads it as JSON, answers with one verdict a line.
 *
 * Usage: php corpus.php FOLDER, where FOLDER holds the port, cardseal.php.
 */

declare(strict_types=1);

namespace Cardseal;

final class Clock
{
    public static int $now = 0;

    public function format(string $format): string
    {
        return $format === 'Uv' ? (string) self::$now : '';
    }
}

/** In the port's namespace, and so in the place of PHP's own. */
function date_create(): Clock
{
    return new Clock();
}

require $argv[1] . '/cardseal.php';

/** Every form in which a PHP server may have this input. The second list must never be accepted. */
function inputs(\stdClass $given): array
{
    if (isset($given->text)) {
        return [[$given->text], []];
    }
    if (isset($given->bytes)) {
        return [[hex2bin($given->bytes)], []];
    }
    $value = json_decode($given->parsed);
    if (json_last_error() !== JSON_ERROR_NONE) {
        return [null, []]; // PHP itself cannot read it, so no port ever gets it
    }
    return [[$value], [json_decode($given->parsed, true)]];
}

function run(string $function, \stdClass $case, mixed $value): array
{
    if ($function === 'browserKey') {
        return isset($case->accepted) ? browserKey($value, $case->accepted) : browserKey($value);
    }
    $expected = (array) ($case->expected ?? []);
    Clock::$now = $case->now;
    $named = ['keyId' => $expected['keyId'] ?? null, 'expiresAt' => $expected['expiresAt'] ?? null];
    if (isset($expected['scheme'])) {
        $named['scheme'] = $expected['scheme'];
    }
    return parseEncryptedCard($value, ...$named);
}

function verdict(string $function, \stdClass $case, mixed $value): array
{
    try {
        return ['accept' => run($function, $case, $value)];
    } catch (CardEncryptionError $error) {
        if (array_column($error->getTrace(), 'args') !== []) {
            return ['error' => 'the trace has arguments'];
        }
        return ['refuse' => $error->errorCode];
    }
}

foreach (json_decode(stream_get_contents(STDIN), false, 512, JSON_THROW_ON_ERROR) as $corpus) {
    foreach ($corpus->cases as $case) {
        [$values, $arrays] = inputs($case->input);
        $found = [];
        foreach ($values ?? [] as $value) {
            $found[] = verdict($corpus->function, $case, $value);
        }
        if ($values === null) {
            $found[] = ['refuse' => 'invalid_encrypted_card'];
        }
        foreach ($corpus->function === 'parseEncryptedCard' ? $arrays : [] as $array) {
            $verdict = verdict($corpus->function, $case, $array);
            if ($verdict !== ['refuse' => 'invalid_encrypted_card']) {
                $found[] = ['error' => 'an associative array was accepted'];
            }
        }
        // The array of a client is the same answer: browserKey takes both.
        if ($corpus->function === 'browserKey') {
            foreach ($arrays as $array) {
                $found[] = verdict($corpus->function, $case, $array);
            }
        }
        echo json_encode($found, JSON_THROW_ON_ERROR), "\n";
    }
}
