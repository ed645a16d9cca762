<?php

declare(strict_types=1);

// As composer's autoloader does, so that the tests need no installation. Debian's composer brings
// psr/log.
spl_autoload_register(static function (string $class): void {
    $folders = [
        'Cardseal\\Tests\\' => __DIR__,
        'Cardseal\\' => __DIR__ . '/../src',
        'Psr\\Log\\' => '/usr/share/php/Psr/Log',
    ];
    foreach ($folders as $prefix => $folder) {
        $file = $folder . '/' . substr($class, strlen($prefix)) . '.php';
        if (str_starts_with($class, $prefix) && is_file($file)) {
            require $file;
            return;
        }
    }
});
