"""What passes between the page and the server: the key out, the encrypted card in.

The server never sees a card. It forwards an encrypted block that only the service can open.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn, Optional, Sequence, Union

from .clock import SystemClock

SCHEME = "RSA_OAEP_SHA256_V1"


@dataclass(frozen=True)
class _Field:
    """A field of a scheme, with the fewest and most bytes that it may have."""

    name: str
    fewest: int
    most: int


# By scheme, in the order of the specification.
_FIELDS = {
    SCHEME: (
        _Field("Pan", 12, 19),
        _Field("Name", 1, 446),
        _Field("ExpMonth", 2, 2),
        _Field("ExpYear", 4, 4),
        _Field("Cvc", 3, 4),
    ),
}

# A real block takes less than 1,200 characters.
_MOST_CHARACTERS = 4096

# RSA-OAEP with SHA-256 takes 66 bytes of the modulus for itself: RFC 8017, section 7.1.1.
_PADDING_BYTES = 66


class CardEncryptionErrorCode(str, Enum):
    """Why a key or a block was refused."""

    INVALID_KEY = "invalid_key"
    UNSUPPORTED_SCHEME = "unsupported_scheme"
    INVALID_ENCRYPTED_CARD = "invalid_encrypted_card"


class CardEncryptionError(Exception):
    """A key or a block was refused. The message is fixed text: nothing of the input is in it."""

    def __init__(self, code: CardEncryptionErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class BrowserKey:
    """What a browser may see of an encryption key."""

    id: str
    scheme: str
    public_key: str

    def as_json(self) -> dict[str, str]:
        return {"id": self.id, "scheme": self.scheme, "public_key": self.public_key}


@dataclass(frozen=True)
class LayoutEntry:
    """One field of the plaintext. ``length`` is in UTF-8 bytes: ``len`` of the specification."""

    field: str
    length: int


@dataclass(frozen=True, repr=False)
class EncryptedCard:
    """The encrypted card block, checked. Never log or keep it."""

    payload: str
    key_id: str
    layout: tuple[LayoutEntry, ...]

    def as_json(self) -> dict[str, Any]:
        """The body of an authorize request."""
        layout = [{"field": entry.field, "len": entry.length} for entry in self.layout]
        return {"payload": self.payload, "key_id": self.key_id, "layout": layout}


def browser_key(key: object, accepted: Sequence[str] = (SCHEME,)) -> BrowserKey:
    """Return what a browser may see of the service's key: id, scheme and public_key.

    ``key`` is the service's answer as a ``dict``, such as ``as_json()`` of an ``EncryptionKey``.
    ``accepted`` names the schemes that the page can encrypt under, so that an update of the service
    never reaches a page that does not know it.

    Raises ``CardEncryptionError``: ``invalid_key`` if this is not the service's answer,
    ``unsupported_scheme`` if its scheme is not accepted, or this package does not know it.
    """
    texts = [key.get(name) if isinstance(key, dict) else None for name in _KEY_NAMES]
    key_id, scheme, public_key = (text if isinstance(text, str) else "" for text in texts)
    if not key_id or not scheme or not public_key:
        raise CardEncryptionError(
            CardEncryptionErrorCode.INVALID_KEY,
            "This is not the service's answer: id, scheme and public_key must be text",
        )
    if scheme not in accepted or scheme not in _FIELDS:
        raise CardEncryptionError(
            CardEncryptionErrorCode.UNSUPPORTED_SCHEME,
            "The page does not know the scheme of this key",
        )
    return BrowserKey(key_id, scheme, public_key)


_KEY_NAMES = ("id", "scheme", "public_key")


def parse_encrypted_card(
    posted: object,
    *,
    key_id: Optional[str],
    expires_at: Union[int, float, None],
    scheme: Optional[str] = SCHEME,
    now: Optional[int] = None,
) -> EncryptedCard:
    """Return the encrypted card that was posted, checked.

    ``posted`` is what the browser posted, before anything has parsed or logged it: the value of
    the form field ``encrypted_card``, or the body of the request, as ``str`` or ``bytes``. Text
    counts only as the browser's ``JSON.stringify`` writes it. A ``dict``, which a framework has
    parsed already, is accepted, too.

    ``key_id`` and ``expires_at`` (Unix time in milliseconds) are what the session remembers of the
    key. ``None``, for a session that has no key, matches nothing. ``now`` is Unix time in
    milliseconds: by this machine's clock unless given.

    Raises ``CardEncryptionError`` ``invalid_encrypted_card`` for everything else: above all for a
    card in clear text, for a block under another key, and after ``expires_at``.
    """
    # Raised here and not in an "except": Python would attach the JSON error, with the whole body.
    card = read_encrypted_card(posted, scheme)
    if card is None:
        raise _refusal("This is not an encrypted card block, as the card form makes it")
    if card.key_id != key_id:
        raise _refusal("The card was not encrypted under the key of this checkout")
    current = SystemClock().now_ms() if now is None else now
    is_number = isinstance(expires_at, (int, float)) and not isinstance(expires_at, bool)
    if not is_number or not current <= (expires_at or 0):  # so that "nan" has expired
        raise _refusal("The key of this checkout has expired: start it again with a fresh one")
    return card


def _refusal(message: str) -> CardEncryptionError:
    return CardEncryptionError(CardEncryptionErrorCode.INVALID_ENCRYPTED_CARD, message)


def read_encrypted_card(posted: object, scheme: Optional[str] = SCHEME) -> Optional[EncryptedCard]:
    """The block, checked and copied. None if anything about it is wrong. Never raises."""
    try:
        return _read_block(posted, _FIELDS[scheme] if isinstance(scheme, str) else ())
    except (ValueError, LookupError, RecursionError):
        # ValueError: ours, or no JSON, no UTF-8, no Base64. RecursionError: nested too deeply.
        return None


def _read_block(posted: Any, fields: tuple[_Field, ...]) -> EncryptedCard:
    value = _value_of(posted)
    _require_properties(value, ("payload", "key_id", "layout"))
    payload, key_id, entries = value["payload"], value["key_id"], value["layout"]
    _require(isinstance(key_id, str) and key_id != "")
    _require(isinstance(entries, list) and len(entries) == len(fields) > 0)
    layout = tuple(_read_entry(entry, field) for entry, field in zip(entries, fields))
    _require(sum(entry.length for entry in layout) <= _modulus_bytes(payload) - _PADDING_BYTES)
    return EncryptedCard(payload, key_id, layout)


def _value_of(posted: Any) -> Any:
    if isinstance(posted, (bytes, bytearray)):
        _require(len(posted) <= 4 * _MOST_CHARACTERS)
        return _parse_text(posted.decode("utf-8"))
    return _parse_text(posted) if isinstance(posted, str) else posted


def _parse_text(text: str) -> Any:
    """The value of JSON text that is exactly what JavaScript's JSON.stringify would write.

    Of a property that comes twice, a parser keeps only the last one. The first could be a card
    number on its way to your logs; here the text would not come out the same.
    """
    _require(len(text) <= _MOST_CHARACTERS)
    # JavaScript counts UTF-16 units: most emoji are two.
    _require(len(text.encode("utf-16-le")) // 2 <= _MOST_CHARACTERS)
    # No number of a block has a fraction, and NaN and Infinity, which Python accepts, are not JSON.
    value = json.loads(text, parse_float=_refuse, parse_constant=_refuse)
    _require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)
    return value


def _read_entry(entry: Any, field: _Field) -> LayoutEntry:
    _require_properties(entry, ("field", "len"))
    length = whole_number(entry["len"])
    _require(isinstance(entry["field"], str) and entry["field"] == field.name)
    if length is None or not field.fewest <= length <= field.most:
        raise ValueError
    return LayoutEntry(field.name, length)


def _modulus_bytes(payload: Any) -> int:
    """The length of the ciphertext: canonical Base64 of 2048, 3072 or 4096 bits only."""
    _require(isinstance(payload, str) and len(payload) <= 684)
    ciphertext = base64.b64decode(payload.encode("ascii"), validate=True)
    _require(len(ciphertext) in (256, 384, 512))
    # Base64 can say the same in several ways; only one of them is what the browser makes.
    _require(base64.b64encode(ciphertext).decode("ascii") == payload)
    return len(ciphertext)


def _require_properties(value: Any, names: Sequence[str]) -> None:
    """Exactly these: whatever else stands in a block could be a card in clear text."""
    _require(isinstance(value, dict) and len(value) == len(names))
    _require(all(name in value for name in names))


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def _refuse(_number: str) -> NoReturn:
    raise ValueError


def whole_number(value: Any) -> Optional[int]:
    """16 for 16 and for 16.0, which are the same number in JSON. Otherwise None."""
    # bool is a kind of int in Python: True would be 1.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value)
