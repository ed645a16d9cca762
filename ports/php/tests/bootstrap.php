<?php

declare(strict_types=1);

// As composer's autoloader does, so that the tests need no installation.
spl_autoload_register(static function (string $class): void {
    foreach (['Cardseal\\Tests\\' => __DIR__, 'Cardseal\\' => __DIR__ . '/../src'] as $prefix => $folder) {
        $file = $folder . '/' . substr($class, strlen($prefix)) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});
