<?php

/**
 * Runs the PHP port over the corpus: reads it as JSON, answers with one verdict a line.
 *
 * Usage: php corpus.php FOLDER, where FOLDER holds the port.
 */

declare(strict_types=1);

namespace Cardseal;

require __DIR__ . '/autoload.php';

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

function run(string $function, \stdClass $case, mixed $value): \JsonSerializable
{
    if ($function === 'browserKey') {
        return isset($case->accepted)
            ? BrowserKey::of($value, $case->accepted)
            : BrowserKey::of($value);
    }
    $expected = (array) ($case->expected ?? []);
    $named = [
        'now' => $case->now,
        'keyId' => $expected['keyId'] ?? null,
        'expiresAt' => $expected['expiresAt'] ?? null,
    ];
    if (isset($expected['scheme'])) {
        $named['scheme'] = $expected['scheme'];
    }
    return EncryptedCard::parse($value, ...$named);
}

function verdict(string $function, \stdClass $case, mixed $value): array
{
    try {
        return ['accept' => run($function, $case, $value)->jsonSerialize()];
    } catch (CardEncryptionError $error) {
        if (array_column($error->getTrace(), 'args') !== []) {
            return ['error' => 'the trace has arguments'];
        }
        return ['refuse' => $error->errorCode->value];
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
