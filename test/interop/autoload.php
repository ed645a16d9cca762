<?php

/** Loads the PHP port in the folder that was named: the package's sources, or the one file. */

declare(strict_types=1);

if (is_file("$argv[1]/cardseal.php")) {
    require "$argv[1]/cardseal.php";
} else {
    spl_autoload_register(static function (string $class) use ($argv): void {
        $file = $argv[1] . '/' . substr($class, strlen('Cardseal\\')) . '.php';
        if (str_starts_with($class, 'Cardseal\\') && is_file($file)) {
            require $file;
        }
    });
}
