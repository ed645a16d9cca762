<?php

declare(strict_types=1);

namespace Cardseal;

/** The specification's errors about the key or the block ("Errors"). */
enum EncryptionErrorCode: string
{
    case EncryptionKeyExpired = 'encryption_key_expired';
    case UnknownEncryptionKey = 'unknown_encryption_key';
    case InvalidEncryptionBlock = 'invalid_encryption_block';

    public function recovery(): Recovery
    {
        return match ($this) {
            self::EncryptionKeyExpired => Recovery::RestartCheckout,
            self::UnknownEncryptionKey => Recovery::ForwardKeyId,
            self::InvalidEncryptionBlock => Recovery::CheckLayout,
        };
    }
}
