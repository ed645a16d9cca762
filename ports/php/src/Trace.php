<?php

declare(strict_types=1);

namespace Cardseal;

/**
 * PHP keeps the arguments of every function on the stack in the trace of an exception, and with
 * them a posted body or the secret key, unless php.ini has zend.exception_ignore_args=On.
 *
 * @internal
 */
final class Trace
{
    /** Removes them, so that no error page and no error tracker shows them. */
    public static function forgetArguments(\Exception $error): void
    {
        $frames = [];
        foreach ($error->getTrace() as $frame) {
            unset($frame['args']);
            $frames[] = $frame;
        }
        (new \ReflectionProperty(\Exception::class, 'trace'))->setValue($error, $frames);
    }
}
