"""Log lines for the shop's operator: fixed words, codes and ids. An error can repeat what was posted,
so its message is never in a line."""

from __future__ import annotations

import json
import logging
import re
from typing import Callable

from .card_payments import CardPaymentsError
from .stored_value import ForeignOrder, UnreadableOrder
from .stores import StoreContractError

#: Takes a line. If it raises, the line is lost.
Log = Callable[[str], None]

_logger = logging.getLogger("cardseal")

_LONGEST_ID = 200


def safe(log: Log) -> Log:
    """A log that fails must not leave an order half done."""

    def safe_log(line: str) -> None:
        try:
            log(line)
        except Exception:
            pass

    return safe_log


def log(line: str) -> None:
    """Log ``line`` as a warning of the logger ``cardseal``."""
    _logger.warning("%s", line)


def quoted(text: str) -> str:
    """An id in a line: quoted, so that no line break in it can forge another line."""
    return json.dumps(text[:_LONGEST_ID])


class Problem(Exception):
    """Something that this package has found itself: its message is fixed words."""


_IN_FIXED_WORDS = (Problem, UnreadableOrder, ForeignOrder, StoreContractError)


def described(error: BaseException) -> str:
    """What may be logged of an error: fixed words of ours, or its name and codes."""
    if isinstance(error, _IN_FIXED_WORDS):
        return str(error)
    parts: list[object] = [type(error).__name__]
    if isinstance(error, CardPaymentsError):
        parts = [error.recovery.value, error.status, error.code.value if error.code else None]
    words = [str(part) for part in parts if part is not None]
    return ", ".join(word for word in words if re.fullmatch(r"[\w.-]{1,60}", word))
