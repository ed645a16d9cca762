"""The merchant's half of a card payment: a key for the form, and one charge for each order."""

from .card_payments import (
    CaptureMethod,
    CardPayments,
    CardPaymentsError,
    EncryptionErrorCode,
    EncryptionKey,
    Intent,
    Recovery,
)
from .check_store import check_store
from .checkout import (
    Checkout,
    IssuedKey,
    LookUp,
    NoKey,
    OnPaid,
    PaidOrder,
    PaidOutcome,
    PaymentsClient,
    SweptOrder,
    TooMany,
)
from .encrypted_card import (
    SCHEME,
    BrowserKey,
    CardEncryptionError,
    CardEncryptionErrorCode,
    EncryptedCard,
    LayoutEntry,
    browser_key,
    parse_encrypted_card,
)
from .handle import MOST_BODY_BYTES, Request, Response, handle
from .order import LastTry, Order, Outcome, Resolution, Status
from .stores import (
    Entry,
    ListedOrder,
    OrderStore,
    SqlStore,
    StoreContractError,
    mysql_store,
    postgres_store,
    sqlite_store,
)
from .transport import NoResponse, ServiceRequest, ServiceResponse, Transport

__version__ = "0.3.0"

__all__ = [
    "SCHEME",
    "MOST_BODY_BYTES",
    "BrowserKey",
    "CaptureMethod",
    "CardEncryptionError",
    "CardEncryptionErrorCode",
    "CardPayments",
    "CardPaymentsError",
    "Checkout",
    "EncryptedCard",
    "EncryptionErrorCode",
    "EncryptionKey",
    "Entry",
    "Intent",
    "IssuedKey",
    "LastTry",
    "LayoutEntry",
    "ListedOrder",
    "LookUp",
    "NoKey",
    "NoResponse",
    "OnPaid",
    "Order",
    "OrderStore",
    "Outcome",
    "PaidOrder",
    "PaidOutcome",
    "PaymentsClient",
    "Recovery",
    "Request",
    "Resolution",
    "Response",
    "ServiceRequest",
    "ServiceResponse",
    "SqlStore",
    "Status",
    "StoreContractError",
    "SweptOrder",
    "TooMany",
    "Transport",
    "browser_key",
    "check_store",
    "handle",
    "mysql_store",
    "parse_encrypted_card",
    "postgres_store",
    "sqlite_store",
]
