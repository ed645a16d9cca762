<?php

declare(strict_types=1);

namespace Cardseal;

/** Why a key or a block was refused. */
enum CardEncryptionErrorCode: string
{
    case InvalidKey = 'invalid_key';
    case UnsupportedScheme = 'unsupported_scheme';
    case InvalidEncryptedCard = 'invalid_encrypted_card';
}
