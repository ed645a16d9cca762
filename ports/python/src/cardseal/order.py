"""What a shop says of an order, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Optional

from .card_payments import CaptureMethod, is_amount


@dataclass(frozen=True)
class Order:
    """The order to pay. Take it from your own database, never from the browser.

    - ``id``: your own id of the order, from the shopper's session: one id for one purchase.
    - ``amount``: minor units; 1000 is 10.00 in a two-decimal currency.
    - ``currency``: as the service writes it, such as ``USD``.
    - ``description``: free text for the intent.

    Raises ``ValueError`` if one of them is not that.
    """

    id: str
    amount: int
    currency: str
    description: Optional[str] = None
    capture_method: CaptureMethod = CaptureMethod.AUTOMATIC

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or self.id == "":
            raise ValueError("The id of the order must be text")
        if not is_amount(self.amount):
            raise ValueError("The amount must be a whole number of minor units")
        if not isinstance(self.currency, str) or self.currency == "":
            raise ValueError("The currency must be text")
        object.__setattr__(self, "capture_method", CaptureMethod(self.capture_method))


class Status(str, Enum):
    """How the payment of an order went. The README says what to tell the shopper."""

    #: Show the form. ``last`` and ``reason`` say what became of the last try.
    OPEN = "open"
    #: Paid. ``reference`` is the id of the intent.
    COMMITTED = "committed"
    #: Paid: the amount is reserved, with the capture method ``manual``.
    AUTHORIZED = "authorized"
    #: Declined, not paid. Another card may be tried, if the order gets a key.
    FAILED = "failed"
    #: Not paid. The card may be entered again.
    NOT_PAID = "not_paid"
    #: Perhaps charged, perhaps not, but another try cannot charge twice.
    RETRY_IS_SAFE = "retry_is_safe"
    #: Perhaps charged. Show no form; your staff find out and call ``resolve``.
    NOT_CERTAIN = "not_certain"
    #: What was posted is no encrypted card block. Answer with status 400.
    INVALID_ENCRYPTED_CARD = "invalid_encrypted_card"
    #: The block is of another order, of none that the store knows, or of one that was withdrawn.
    #: Nothing was sent now. An order that was withdrawn has this outcome, too.
    NO_ORDER = "no_order"


class LastTry(str, Enum):
    """What became of the last try to pay an order that is still open."""

    FAILED = "failed"
    NOT_PAID = "not_paid"
    RETRY_IS_SAFE = "retry_is_safe"


class Resolution(str, Enum):
    """What staff have found out about an intent."""

    COMMITTED = "committed"
    AUTHORIZED = "authorized"
    #: Only if the intent was seen as failed or cancelled.
    NOT_PAID = "not_paid"


@dataclass(frozen=True)
class Outcome:
    """How the payment of an order went.

    - ``reference``: the id of the intent, if it is paid: one for each paid order.
    - ``last``, ``reason``: of an open order, what became of the last try, and the service's reason
      for a decline. A declined outcome has its ``reason``, too.
    - ``order``: with ``not_certain``, the order's id, which the shopper needs to ask about it.
    - ``key_id``: with ``no_order``, the id of the block's key, which leads staff to its order.
      Beside ``last``, the key of the block of that try, if it is known.
    """

    status: Status
    reference: Optional[str] = None
    last: Optional[LastTry] = None
    reason: Optional[str] = None
    order: Optional[str] = None
    key_id: Optional[str] = None

    @property
    def is_paid(self) -> bool:
        return self.status in (Status.COMMITTED, Status.AUTHORIZED)

    def as_json(self) -> dict[str, Any]:
        """As the page reads it: the same in every language."""
        found: dict[str, Any] = {"status": self.status.value}
        if self.last is not None:
            found["last"] = self.last.value
        if self.status is Status.FAILED or self.last is LastTry.FAILED:
            found["reason"] = self.reason
        for name in ("reference", "order", "key_id"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        return found
