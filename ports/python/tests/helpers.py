"""A service that answers as a test says, and a clock that stands still."""

from __future__ import annotations

from typing import Any, Optional

import cardseal

BLOCK = {
    "payload": "BwcH" * 85 + "Bw==",
    "key_id": "cek_1",
    "layout": [
        {"field": "Pan", "len": 16},
        {"field": "Name", "len": 12},
        {"field": "ExpMonth", "len": 2},
        {"field": "ExpYear", "len": 4},
        {"field": "Cvc", "len": 3},
    ],
}
POSTED = (
    '{"payload":"%s","key_id":"cek_1","layout":['
    '{"field":"Pan","len":16},{"field":"Name","len":12},{"field":"ExpMonth","len":2},'
    '{"field":"ExpYear","len":4},{"field":"Cvc","len":3}]}' % BLOCK["payload"]
).encode("utf-8")

ORDER = cardseal.Order("order-1", 2490, "USD")
NOW = 1_800_000_000_000
SENDER = "203.0.113.7"


class FakeClock:
    def __init__(self) -> None:
        self.now = NOW

    def now_ms(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


class FakeService:
    """Counts what it is asked. ``status`` is what becomes of an authorization."""

    timeout_s = 30.0

    def __init__(self) -> None:
        self.status = "committed"
        self.amount = ORDER.amount
        self.asked: list[str] = []
        self.keys = 0

    def create_encryption_key(self) -> cardseal.EncryptionKey:
        self.asked.append("key")
        self.keys += 1
        expires_at = NOW + 900_000
        return cardseal.EncryptionKey("cek_%d" % self.keys, cardseal.SCHEME, "AAAA", expires_at)

    def create_intent(
        self,
        amount: int,
        currency: str,
        capture_method: Optional[cardseal.CaptureMethod] = None,
        description: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout_s: Optional[float] = None,
    ) -> cardseal.Intent:
        self.asked.append("intent")
        return self._intent("created")

    def authorize(
        self,
        intent_id: str,
        card: cardseal.EncryptedCard,
        idempotency_key: Optional[str] = None,
    ) -> cardseal.Intent:
        self.asked.append("authorize")
        return self._intent(self.status, self.amount)

    def _intent(self, status: str, amount: int = ORDER.amount) -> cardseal.Intent:
        reason = "card_declined" if status == "failed" else None
        method = cardseal.CaptureMethod.AUTOMATIC
        return cardseal.Intent("pi_card_1", amount, ORDER.currency, status, method, reason, {})


class MemoryStore:
    """For tests only: it forgets."""

    def __init__(self) -> None:
        self.entries: dict[str, cardseal.Entry] = {}
        self.due: dict[str, bool] = {}

    def read(self, order_id: str) -> Optional[cardseal.Entry]:
        return self.entries.get(order_id)

    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        entry = self.entries.get(order_id)
        if (entry.version if entry else 0) != version:
            return False
        self.entries[order_id] = cardseal.Entry(value, version + 1)
        self.due[order_id] = due
        return True

    def list_due(self, limit: int, after: str = "") -> list[cardseal.ListedOrder]:
        ids = sorted(one for one in self.entries if self.due[one] and one > after)
        return [cardseal.ListedOrder(one, *self.entries[one]) for one in ids[:limit]]


def checkout(
    service: Any = None, store: Any = None, lines: Any = None, **more: Any
) -> cardseal.Checkout:
    heard = [] if lines is None else lines
    return cardseal.Checkout(
        service or FakeService(),
        store or MemoryStore(),
        log=heard.append,
        clock=FakeClock(),
        **more,
    )
