"""A limit for the time of a whole call, which Python's own calls do not have."""

from __future__ import annotations

import concurrent.futures
import threading
from typing import Callable, TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """Run ``call`` in a thread, and wait no longer than ``seconds`` for it.

    After that it goes on, and nobody hears what becomes of it.

    Raises ``TimeoutError`` then, and otherwise what ``call`` raises.
    """
    future: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        try:
            future.set_result(call())
        except Exception as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="cardseal").start()
    try:
        return future.result(seconds)
    except concurrent.futures.TimeoutError:
        raise TimeoutError from None
