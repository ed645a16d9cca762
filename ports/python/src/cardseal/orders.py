"""The orders of a store, read and written by the rules of the versions."""

from __future__ import annotations

from typing import Callable, Optional, Protocol, TypeVar

from .clock import Clock
from .decide import StoredOrder, is_due, is_under_way
from .log import Log, described, quoted
from .stored_value import UnreadableOrder, read_value, value_of
from .stores import Entry, OrderStore, StoreContractError

# How long to wait before an order is read again while another attempt is under way.
_POLL_S = 0.25
# A store that never lets anybody write is broken.
_MOST_WRITES = 20
# Nothing is tried again after this time: twice the 5 s that a database may take.
_LAST_TRY_MS = 10_000
# How long to wait after the store has failed.
_PAUSE_S = 0.5


class _HasStore(Protocol):
    @property
    def store(self) -> Optional[StoredOrder]: ...


D = TypeVar("D", bound=_HasStore)


class Orders:
    """If the store fails, each method tries again for a while: a database restarts quickly."""

    def __init__(self, store: OrderStore, limit_ms: int, log: Log, clock: Clock) -> None:
        """``limit_ms``: how long an attempt is waited for."""
        self._store = store
        self._limit_ms = limit_ms
        self._log = log
        self._clock = clock

    def read(self, order_id: str) -> Optional[StoredOrder]:
        """Raises the error of the store, if the order cannot be read."""
        entry = self._entry(order_id, self._clock.now_ms())
        return None if entry is None else read_value(entry.value, order_id)

    def read_settled(self, order_id: str) -> Optional[StoredOrder]:
        """Waits while an attempt is under way: its shopper may have reloaded, or has two tabs."""
        begin = self._clock.now_ms()
        stored = self.read(order_id)
        while is_under_way(stored, self._clock.now_ms(), self._limit_ms):
            # By this clock, whatever another process's says.
            if self._clock.now_ms() > begin + self._limit_ms:
                break
            self._clock.sleep(_POLL_S)
            following = self.read(order_id)
            if _token_of(following) != _token_of(stored):
                begin = self._clock.now_ms()  # it is another attempt
            stored = following
        return stored

    def change(
        self,
        order_id: str,
        decide: Callable[[Optional[StoredOrder]], D],
        repair: Optional[Callable[[], D]] = None,
    ) -> D:
        """Reads, decides and writes, until nobody else has written in between.

        If a write fails, or its answer is lost, the order is read and decided again: the decision
        sees what became of the write. ``repair`` decides instead if the stored value is damaged.
        """
        begin = self._clock.now_ms()
        writes = 0
        while True:
            entry = self._entry(order_id, begin)
            try:
                decision = decide(None if entry is None else read_value(entry.value, order_id))
            except UnreadableOrder:
                if repair is None:
                    raise
                decision = repair()
            order = decision.store
            if order is None:
                return decision
            if writes == _MOST_WRITES or (writes > 0 and self._is_over(begin)):
                raise RuntimeError("The order could not be written")
            writes += 1
            if self._is_written(order_id, order, entry.version if entry else 0):
                return decision

    def _is_over(self, begin: int) -> bool:
        # A clock may be set back.
        return abs(self._clock.now_ms() - begin) >= _LAST_TRY_MS

    def _entry(self, order_id: str, begin: int) -> Optional[Entry]:
        """Tries again while the store fails. ``begin``: when the first try of all began."""
        while True:
            try:
                return self._read_once(order_id)
            except StoreContractError:
                raise
            except Exception:
                if self._is_over(begin):
                    raise
                self._clock.sleep(_PAUSE_S)

    def _read_once(self, order_id: str) -> Optional[Entry]:
        entry = self._store.read(order_id)
        if entry is None:
            return None
        value, version = entry
        if not isinstance(value, str) or type(version) is not int:
            raise StoreContractError(
                "store.read must return the value as text and the version as a number. "
                "Keep the value in a column for text, not for JSON"
            )
        return Entry(value, version)

    def _is_written(self, order_id: str, order: StoredOrder, version: int) -> bool:
        """False also if the answer of the store was lost: then the value may be written."""
        try:
            answer: object = self._store.write(order_id, value_of(order), version, is_due(order))
        except Exception as error:
            self._log(
                "A write of the store failed: order %s: %s" % (quoted(order_id), described(error))
            )
            self._clock.sleep(_PAUSE_S)
            return False
        if not isinstance(answer, bool):
            raise StoreContractError(
                "store.write must return True or False. "
                "True: the value was written; False: the stored version was another one"
            )
        return answer


def _token_of(stored: Optional[StoredOrder]) -> Optional[str]:
    return stored.attempt.token if stored is not None and stored.attempt is not None else None
