"""check_store finds each kind of store that would charge twice or lose an order."""

from __future__ import annotations

from typing import Optional

import pytest
from cardseal import Entry, ListedOrder, check_store, sqlite_store
from helpers import MemoryStore


def test_finds_nothing_wrong_with_sqlite(tmp_path: object) -> None:
    assert check_store(sqlite_store("%s/orders.sqlite" % tmp_path)) == []


class WithoutCase(MemoryStore):
    def read(self, order_id: str) -> Optional[Entry]:
        found = [self.entries[one] for one in self.entries if one.lower() == order_id.lower()]
        return found[0] if found else None


class Truthy(MemoryStore):
    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        super().write(order_id, value, version, due)
        return True


class Cutting(MemoryStore):
    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        return super().write(order_id, value[:1000], version, due)


class Json(MemoryStore):
    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        return super().write(order_id, value.replace("  ", " "), version, due)


class Unlisted(MemoryStore):
    def list_due(self, limit: int, after: str = "") -> list:  # type: ignore[type-arg]
        return []


class ListedForEver(MemoryStore):
    def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
        return super().write(order_id, value, version, True)


class Endless(MemoryStore):
    def list_due(self, limit: int, after: str = "") -> list[ListedOrder]:
        return super().list_due(1000, after)


class WithoutAfter(MemoryStore):
    def list_due(self, limit: int, after: str = "") -> list[ListedOrder]:
        return super().list_due(limit)


class WithItsOwn(MemoryStore):
    """``after`` comes again."""

    def list_due(self, limit: int, after: str = "") -> list[ListedOrder]:
        return super().list_due(limit, after[:-1])


@pytest.mark.parametrize(
    "store, words",
    [
        (WithoutCase(), "compare ids exactly"),
        (Truthy(), "must return False"),
        (Cutting(), "come back whole"),
        (Json(), "not for JSON"),
        (Unlisted(), "last written as due"),
        (ListedForEver(), "last written as due"),
        (Endless(), "no more orders than its limit"),
        (WithoutAfter(), "come after `after`"),
        (WithItsOwn(), "come after `after`"),
    ],
)
def test_finds(store: MemoryStore, words: str) -> None:
    assert words in " ".join(check_store(store))


def test_leaves_no_order_due_if_the_list_fails() -> None:
    due: dict[str, bool] = {}

    class Unlistable(MemoryStore):
        def write(self, order_id: str, value: str, version: int, due_now: bool = True) -> bool:
            due[order_id] = due_now
            return super().write(order_id, value, version, due_now)

        def list_due(self, limit: int, after: str = "") -> list:  # type: ignore[type-arg]
            raise OSError("no list")

    assert check_store(Unlistable()) != []
    assert True not in due.values()
