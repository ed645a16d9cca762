"""A client of the Card Payment Service: keys, drafts and authorizations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, Mapping, Optional

from .encrypted_card import EncryptedCard, whole_number
from .transport import NoResponse, ServiceRequest, ServiceResponse, Transport, send


class CaptureMethod(str, Enum):
    """Whether an approved card is charged at once, or the amount is reserved."""

    AUTOMATIC = "automatic"
    MANUAL = "manual"


class EncryptionErrorCode(str, Enum):
    """The specification's errors about the key or the block ("Errors")."""

    ENCRYPTION_KEY_EXPIRED = "encryption_key_expired"
    UNKNOWN_ENCRYPTION_KEY = "unknown_encryption_key"
    INVALID_ENCRYPTION_BLOCK = "invalid_encryption_block"


class Recovery(str, Enum):
    """What to do about a request that failed."""

    #: Request a new key and show the card form again. Only the shopper has the card.
    RESTART_CHECKOUT = "restart_checkout"
    #: Fix your code. The ``id`` of the key must come back unmodified.
    FORWARD_KEY_ID = "forward_key_id"
    #: Fix your code, or somebody changed the block on its way.
    CHECK_LAYOUT = "check_layout"
    #: The outcome is unknown: the shopper may have paid. Find out what became of the intent.
    RESOLVE_INTENT = "resolve_intent"
    #: No key or draft came. Nobody was charged; it can be requested again.
    ASK_AGAIN = "ask_again"
    #: Refused for a reason that the specification does not show: see ``status``.
    NOT_SPECIFIED = "not_specified"


_RECOVERIES = {
    EncryptionErrorCode.ENCRYPTION_KEY_EXPIRED: Recovery.RESTART_CHECKOUT,
    EncryptionErrorCode.UNKNOWN_ENCRYPTION_KEY: Recovery.FORWARD_KEY_ID,
    EncryptionErrorCode.INVALID_ENCRYPTION_BLOCK: Recovery.CHECK_LAYOUT,
}


class CardPaymentsError(Exception):
    """A request that failed. The message is fixed text, without a secret and without a card.

    ``status`` is the HTTP status, ``code`` the specification's error, ``intent_id`` the intent in
    question: each None if there is none.
    """

    def __init__(
        self,
        message: str,
        recovery: Recovery,
        status: Optional[int] = None,
        code: Optional[EncryptionErrorCode] = None,
        intent_id: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.recovery = recovery
        self.status = status
        self.code = code
        self.intent_id = intent_id


@dataclass(frozen=True)
class EncryptionKey:
    """A card encryption key. ``expires_at`` is Unix time in milliseconds."""

    id: str
    scheme: str
    public_key: str
    expires_at: int

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Intent:
    """A card payment intent: what the rules of an order need, and all of it in ``resource``."""

    id: str
    #: Minor units: 1000 is 10.00 in a two-decimal currency.
    amount: int
    currency: str
    #: ``created``, ``authorized``, ``committed``, ``failed`` or a word that is not specified.
    status: str
    capture_method: CaptureMethod
    failure_reason: Optional[str]
    resource: Mapping[str, Any]


class CardPayments:
    """A client of the Card Payment Service.

    - A decline is an outcome, not an error: ``authorize`` returns an intent in ``failed``.
    - Nothing is ever tried again by itself: a second request could be a second payment.
    - The secret key goes to the base address only, and is in no message, log, ``repr`` or
      ``vars()``. A tool that records local variables with an error records what was passed in, the
      secret key and posted data included: switch that off.
    """

    def __init__(
        self,
        base_url: str,
        secret_key: str,
        timeout_s: float = 30.0,
        transport: Transport = send,
    ) -> None:
        """``base_url``: https, or http on localhost, 127.0.0.1 and [::1].

        ``secret_key`` begins with ``sk_test_`` or ``sk_live_``. ``timeout_s``: how long a request
        may take, with its response, in seconds; 600 at most. ``transport`` sends the requests.

        Raises ``ValueError`` if one of them is not that.
        """
        if not _is_base_url(base_url):
            raise ValueError(
                "base_url must be https, or http to this machine, "
                "and have no credentials, query or fragment"
            )
        if not _matches(r"sk_(test|live)_[!-~]+", secret_key):
            raise ValueError("secret_key must begin with sk_test_ or sk_live_")
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)):
            raise ValueError("timeout_s must be seconds, 600 at most")
        if not 0 < timeout_s <= 600:
            raise ValueError("timeout_s must be seconds, 600 at most")
        self._base_url = base_url.rstrip("/")
        self.timeout_s = timeout_s
        # Inside a function, so that vars() and pickle cannot show it.
        self._authorization: Callable[[], str] = lambda: "Bearer " + secret_key
        self._transport = transport

    def create_encryption_key(self) -> EncryptionKey:
        """Return a fresh encryption key, for one checkout session.

        Give the browser no more of it than ``browser_key(key.as_json())`` returns.
        Raises ``CardPaymentsError``.
        """
        key = self._post("/payments/card/encryption-keys", 201, _read_key)
        assert isinstance(key, EncryptionKey)
        return key

    def create_intent(
        self,
        amount: int,
        currency: str,
        capture_method: Optional[CaptureMethod] = None,
        description: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout_s: Optional[float] = None,
    ) -> Intent:
        """Return a draft that fixes amount and currency. No card is involved.

        ``amount``: minor units. ``capture_method``: ``automatic`` unless given.
        ``idempotency_key``: visible ASCII, such as ``str(uuid.uuid4())``.
        Raises ``CardPaymentsError``; ``ValueError`` if an argument is wrong.
        """
        if not is_amount(amount):
            raise ValueError("amount must be a whole number of minor units")
        draft: dict[str, Any] = {"amount": amount, "currency": currency}
        if capture_method is not None:
            draft["capture_method"] = CaptureMethod(capture_method).value
        if description is not None:
            draft["description"] = description
        intent = self._post(
            "/payments/card", 201, _read_intent, draft, idempotency_key, timeout_s=timeout_s
        )
        assert isinstance(intent, Intent)
        return intent

    def authorize(
        self, intent_id: str, card: EncryptedCard, idempotency_key: Optional[str] = None
    ) -> Intent:
        """Charge or reserve the amount of an intent in ``created``, and return the intent.

        ``card`` is what ``parse_encrypted_card`` returned. Never log or keep it.

        Look at ``status``: ``committed`` (charged), ``authorized`` (reserved, with the capture
        method ``manual``) or ``failed`` (declined; ``failure_reason`` says why).
        Raises ``CardPaymentsError``; ``ValueError`` if an argument is wrong.
        """
        if not _is_intent_id(intent_id):
            raise ValueError("intent_id must be the id of a card payment intent")

        def read(response: Any) -> Optional[Intent]:
            intent = _read_intent(response)
            return intent if intent and intent.id == intent_id else None

        path = "/payments/card/" + intent_id + "/authorize"
        intent = self._post(path, 200, read, card.as_json(), idempotency_key, intent_id)
        assert isinstance(intent, Intent)
        return intent

    def _post(
        self,
        path: str,
        success: int,
        read: Callable[[Any], object],
        body: Optional[Mapping[str, Any]] = None,
        idempotency_key: Optional[str] = None,
        intent_id: Optional[str] = None,
        timeout_s: Optional[float] = None,
    ) -> object:
        headers = {"Accept": "application/json", "Authorization": self._authorization()}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            if not _matches(r"[!-~]+", idempotency_key):
                raise ValueError("idempotency_key must be visible ASCII characters")
            headers["Idempotency-Key"] = idempotency_key
        data = b"" if body is None else json.dumps(body).encode("utf-8")
        timeout_s = min(self.timeout_s, timeout_s or self.timeout_s)
        response = self._exchange(ServiceRequest(self._base_url + path, headers, data, timeout_s))
        del headers, data  # an error page may show local variables
        parsed = None if response is None else _parse(response.body)
        if response is not None and response.status == success:
            resource = read(parsed)
            if resource is not None:
                return resource
        raise _error_of(response, parsed, intent_id)

    def _exchange(self, request: ServiceRequest) -> Optional[ServiceResponse]:
        try:
            return self._transport(request)
        except NoResponse:
            return None


def _error_of(
    response: Optional[ServiceResponse], parsed: Any, intent_id: Optional[str]
) -> CardPaymentsError:
    if response is not None and 400 <= response.status < 500 and response.body is not None:
        code = _encryption_error_code(parsed)
        recovery = _RECOVERIES[code] if code else Recovery.NOT_SPECIFIED
        message = "The service refused the request"
        return CardPaymentsError(message, recovery, response.status, code, intent_id)
    # A lost response may have been a payment. A lost key or draft charges nobody.
    recovery = Recovery.ASK_AGAIN if intent_id is None else Recovery.RESOLVE_INTENT
    message = "The service did not respond as specified, or not in time"
    status = None if response is None else response.status
    return CardPaymentsError(message, recovery, status, None, intent_id)


def is_amount(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**53


def _is_base_url(url: object) -> bool:
    pattern = r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?((/[\w.~-]*)*)"
    base = re.fullmatch(pattern, url if isinstance(url, str) else "", re.ASCII)
    if base is None:
        return False
    return base[1] == "https" or base[2].lower() in ("localhost", "127.0.0.1", "[::1]")


def _matches(pattern: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _parse(body: Optional[bytes]) -> Any:
    if body is None:
        return None
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None  # a JSON error holds the text


def _refuse_constant(_constant: str) -> None:
    raise ValueError


def _encryption_error_code(response: Any) -> Optional[EncryptionErrorCode]:
    """The envelope of errors is not specified: the code may stand anywhere. Two are none."""
    codes = {code.value: code for code in EncryptionErrorCode}
    found = set()
    waiting = [response]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value in codes:
            found.add(codes[value])
    return found.pop() if len(found) == 1 else None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_integer(value: object) -> bool:
    number = whole_number(value)
    return number is not None and abs(number) < 2**53


def _or_none(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or check(value)


def _is_intent_id(value: object) -> bool:
    return _matches(r"pi_card_[A-Za-z0-9_-]+", value)


def _is_payment_method(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    return _is_text(value.get("brand")) and _is_text(value.get("last4"))


_Checks = Mapping[str, Callable[[object], bool]]

_KEY_CHECKS: _Checks = {
    "id": lambda value: isinstance(value, str) and value.startswith("cek_"),
    "scheme": _is_text,
    "public_key": _is_text,
    "expires_at": _is_integer,
}

_INTENT_CHECKS: _Checks = {
    "id": _is_intent_id,
    "amount": _is_integer,
    "amount_captured": _is_integer,
    "amount_refunded": _is_integer,
    "currency": _is_text,
    "status": _is_text,
    "status_at": _or_none(_is_integer),
    "processor_ref": _or_none(_is_text),
    "failure_reason": _or_none(_is_text),
    "cancellation_reason": _or_none(_is_text),
    "capture_method": lambda value: value in ("automatic", "manual"),
    "payment_method": _or_none(_is_payment_method),
    "description": _or_none(_is_text),
    "statement_descriptor": _or_none(_is_text),
    "metadata": lambda value: isinstance(value, dict),
    "created": _is_integer,
    "updated": _is_integer,
    "livemode": lambda value: isinstance(value, bool),
}


def _has_shape(value: object, checks: _Checks) -> bool:
    if not isinstance(value, dict):
        return False
    return all(name in value and check(value[name]) for name, check in checks.items())


def _read_key(value: Any) -> Optional[EncryptionKey]:
    if not _has_shape(value, _KEY_CHECKS):
        return None
    expires_at = int(value["expires_at"])
    return EncryptionKey(value["id"], value["scheme"], value["public_key"], expires_at)


def _read_intent(value: Any) -> Optional[Intent]:
    if not _has_shape(value, _INTENT_CHECKS):
        return None
    return Intent(
        id=value["id"],
        amount=int(value["amount"]),
        currency=value["currency"],
        status=value["status"],
        capture_method=CaptureMethod(value["capture_method"]),
        failure_reason=value["failure_reason"],
        resource=value,
    )
