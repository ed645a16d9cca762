"""The JSON of an order in the store: the same in every language."""

from __future__ import annotations

import json
from typing import Any, Optional, Union

from .card_payments import CaptureMethod
from .decide import (
    Attempt,
    Block,
    Claim,
    Delivery,
    Last,
    Paid,
    State,
    StoredKey,
    StoredOrder,
)
from .order import LastTry


class UnreadableOrder(Exception):
    """The stored value is damaged: staff have to say what became of the order."""

    def __init__(self) -> None:
        super().__init__(
            "its stored value is damaged. Find out what became of the order, and call "
            "resolve(Order(...), intent id, committed, authorized or not_paid)"
        )


class ForeignOrder(Exception):
    """The store gave the value of another order."""


def value_of(order: StoredOrder) -> str:
    """The text to store."""
    stored: dict[str, Any] = dict(order.more)
    stored.update(
        state=order.state.value,
        amount=order.amount,
        currency=order.currency,
        paid=order.paid.value if order.paid else None,
        intentId=order.intent_id,
        sent=order.sent,
        attempt=_attempt_json(order.attempt),
        keyErrors=order.key_errors,
        keys=[_key_json(key) for key in order.keys],
        declines=order.declines,
        last=_last_json(order.last),
    )
    if order.id is not None:
        stored["id"] = order.id
    if order.capture_method is not None:
        stored["capture_method"] = order.capture_method.value
    if order.delivery is not None:
        stored["delivery"] = _delivery_json(order.delivery)
    return json.dumps(stored)


def read_value(value: str, order_id: str) -> StoredOrder:
    """O14: what the store has given for an order, checked.

    A value that is not of this order must never count as a new order, and never be overwritten.

    Raises ``ForeignOrder``, and ``UnreadableOrder`` if it is no value of an order.
    """
    try:
        order = _read_order(json.loads(value))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        order = None
    if order is None or not _fits_together(order):
        raise UnreadableOrder
    if order.id is not None and order.id != order_id:
        raise ForeignOrder(
            "the store gave the value of order %s. It must compare ids exactly: "
            "capital letters, accents and spaces at the end count" % json.dumps(order.id)
        )
    return order


def _read_order(stored: dict[str, Any]) -> StoredOrder:
    capture_method = stored.get("capture_method")
    paid = stored["paid"]
    return StoredOrder(
        state=State(stored["state"]),
        amount=_count(stored["amount"]),
        currency=_text(stored["currency"]),
        id=_optional_text(stored.get("id")),
        capture_method=None if capture_method is None else CaptureMethod(capture_method),
        paid=None if paid is None else Paid(paid),
        intent_id=_optional_text(stored["intentId"]),
        sent=_flag(stored["sent"]),
        attempt=_read_attempt(stored["attempt"]),
        key_errors=_count(stored["keyErrors"]),
        keys=tuple(_read_stored_key(key) for key in stored["keys"]),
        declines=_count(stored.get("declines", 0)),
        last=_read_last(stored.get("last")),
        delivery=_read_delivery(stored.get("delivery")),
        more={name: stored[name] for name in stored if name not in _NAMES},
    )


_NAMES = {
    *("state", "amount", "currency", "id", "capture_method", "paid", "intentId", "sent"),
    *("attempt", "keyErrors", "keys", "declines", "last", "delivery"),
}


def _fits_together(order: StoredOrder) -> bool:
    is_sent = order.sent and order.intent_id is not None
    if order.state is State.OPEN:
        return order.attempt is None and (is_sent or not order.sent)
    if order.state is State.WITHDRAWN:
        return order.attempt is None and not order.sent
    if order.state is State.PAID:
        return order.paid is not None and order.intent_id is not None
    return is_sent and order.attempt is not None


def _read_attempt(stored: Any) -> Optional[Attempt]:
    if stored is None:
        return None
    return Attempt(_text(stored["token"]), _text(stored["keyId"]), _time(stored["startedAt"]))


def _attempt_json(attempt: Optional[Attempt]) -> Optional[dict[str, Any]]:
    if attempt is None:
        return None
    token, key_id, started_at = attempt.token, attempt.key_id, attempt.started_at
    return {"token": token, "keyId": key_id, "startedAt": started_at}


def _read_stored_key(stored: Any) -> StoredKey:
    return StoredKey(
        id=_text(stored["id"]),
        amount=_count(stored["amount"]),
        currency=_text(stored["currency"]),
        expires_at=_time(stored["expiresAt"]),
        block=Block(stored["block"]),
        reason=_optional_text(stored.get("reason")),
    )


def _key_json(key: StoredKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "amount": key.amount,
        "currency": key.currency,
        "expiresAt": key.expires_at,
        "block": key.block.value,
        "reason": key.reason,
    }


def _read_last(stored: Any) -> Optional[Last]:
    if stored is None:
        return None
    reason, key_id = stored.get("reason"), stored.get("keyId")
    return Last(LastTry(stored["status"]), _optional_text(reason), _optional_text(key_id))


def _last_json(last: Optional[Last]) -> Optional[dict[str, Any]]:
    if last is None:
        return None
    of_block = {} if last.key_id is None else {"keyId": last.key_id}
    return {"status": last.status.value, "reason": last.reason, **of_block}


def _read_delivery(stored: Any) -> Union[Claim, Delivery, None]:
    if stored is None:
        return None
    if stored == "done":
        return Delivery.DONE
    return Claim(_text(stored["token"]), _time(stored["until"]), _count(stored["tries"]))


def _delivery_json(delivery: Union[Claim, Delivery]) -> Any:
    if isinstance(delivery, Delivery):
        return delivery.value
    return {"token": delivery.token, "until": delivery.until, "tries": delivery.tries}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _optional_text(value: Any) -> Optional[str]:
    return None if value is None else _text(value)


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**53:
        raise ValueError
    return value


def _time(value: Any) -> int:
    """A service may say that a key expired before 1970: what is written must be readable."""
    if type(value) is not int or abs(value) >= 2**53:
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value
