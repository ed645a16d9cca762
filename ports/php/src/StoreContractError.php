<?php

declare(strict_types=1);

namespace Cardseal;

/** The store does not do what OrderStore says. */
final class StoreContractError extends Problem
{
}
