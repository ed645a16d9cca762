"""Tries a store for what its contract asks, and says what is wrong."""

from __future__ import annotations

import secrets
import threading
from typing import Callable

from .log import described
from .stores import Entry, OrderStore


def check_store(store: OrderStore) -> list[str]:
    """Try ``store``, and return what is wrong with it: a sentence each, none if all is well.

    Run it in a test, or once against the database of the shop: it writes a few orders under ids
    that begin with ``cardseal-check-``. It cannot see whether the store forgets in a restart.
    """
    prefix = "cardseal-check-%s-" % secrets.token_hex(8)
    problems: list[str] = []
    for check in _CHECKS:
        try:
            problem = check(store, prefix + check.__name__.strip("_"))
        except Exception as error:
            problem = "%s failed: %s" % (check.__name__.strip("_"), described(error))
        if problem:
            problems.append(problem)
    return problems


def _keeps_what_is_written(store: OrderStore, order_id: str) -> str:
    if store.read(order_id) is not None:
        return "read must return None for an order that was never written"
    if store.write(order_id, '{"a":  1}', 0, False) is not True:
        return "write must return True if it has written"
    entry = store.read(order_id)
    if entry is None or entry.value != '{"a":  1}':
        return "the value comes back as another text: keep it in a column for text, not for JSON"
    return "" if type(entry.version) is int else "the version must be a number"


def _refuses_an_old_version(store: OrderStore, order_id: str) -> str:
    store.write(order_id, "1", 0, False)
    if store.write(order_id, "2", 0, False) is not False:
        return "write must return False for version 0 if the order is there"
    first = _version(store, order_id)
    store.write(order_id, "2", first, False)
    if store.write(order_id, "3", first, False) is not False:
        return "write must return False for a version that is not the newest"
    entry = store.read(order_id)
    return "" if entry and entry.value == "2" else "a refused write must change nothing"


def _lets_one_of_many_write(store: OrderStore, order_id: str) -> str:
    store.write(order_id, "0", 0, False)
    version = _version(store, order_id)
    written: list[object] = []

    def write() -> None:
        try:
            written.append(store.write(order_id, "1", version, False))
        except Exception:
            pass  # a database may refuse one of two at once

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return "" if written.count(True) == 1 else "of many writes at once, exactly one must land"


def _compares_ids_exactly(store: OrderStore, order_id: str) -> str:
    store.write(order_id + "a", "1", 0, False)
    for other in ("A", "a ", "\u00e4"):
        if store.read(order_id + other) is not None:
            return (
                "the ids %r and %r must be two orders: compare ids exactly (MySQL: varbinary)"
                % ("a", other)
            )
    return ""


def _keeps_long_values(store: OrderStore, order_id: str) -> str:
    value = '"%s"' % ("\U0001f4b3\u00e9" * 20_000)
    store.write(order_id, value, 0, False)
    entry = store.read(order_id)
    if entry is None or entry.value != value:
        return "a long value with any characters must come back whole (MySQL: longtext, utf8mb4)"
    return ""


def _keeps_long_ids(store: OrderStore, order_id: str) -> str:
    long_id = (order_id + "-" + "x" * 200)[:200]
    store.write(long_id, "1", 0, False)
    return "" if store.read(long_id) else "an id of 200 characters must be kept"


def _lists_what_is_due(store: OrderStore, order_id: str) -> str:
    orders = [order_id + letter for letter in "abc"]
    try:
        for one in orders:
            store.write(one, "1", 0, True)
        first = [entry.order_id for entry in store.list_due(2, order_id)]
        second = [entry.order_id for entry in store.list_due(2, orders[0])]
    finally:
        for one in orders:
            store.write(one, "1", _version(store, one), False)  # for sweep
    third = [entry.order_id for entry in store.list_due(3, order_id)]
    if len(first) > 2:
        return "list_due must return no more orders than its limit"
    if first != orders[:2] or any(one in third for one in orders):
        return "list_due must return the orders that were last written as due"
    return "" if second == orders[1:] else "list_due must return the orders that come after `after`"


def _version(store: OrderStore, order_id: str) -> int:
    entry = store.read(order_id) or Entry("", 0)
    return entry.version


_CHECKS: list[Callable[[OrderStore, str], str]] = [
    _keeps_what_is_written,
    _refuses_an_old_version,
    _lets_one_of_many_write,
    _compares_ids_exactly,
    _keeps_long_values,
    _keeps_long_ids,
    _lists_what_is_due,
]
