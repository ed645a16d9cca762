"""The merchant's half of a card payment, in Python 3.8 or later: one file, made to be copied.

It needs nothing but Python. It has three parts:

- ``browser_key`` picks what a browser may see of an encryption key.
- ``parse_encrypted_card`` accepts the encrypted card that the browser posts, and nothing else.
- ``CardPayments`` is a client of the Card Payment Service.

Your server never sees a card. It forwards an encrypted block that only the service can open.
"""

import base64
import http.client
import json
import re
import socket
import ssl
import threading
import time

__all__ = [
    "browser_key",
    "parse_encrypted_card",
    "CardEncryptionError",
    "CardPayments",
    "CardPaymentsError",
]

SCHEME = "RSA_OAEP_SHA256_V1"

# By scheme, in the order of the specification: field, fewest and most bytes.
_FIELDS = {
    SCHEME: (
        ("Pan", 12, 19),
        ("Name", 1, 446),
        ("ExpMonth", 2, 2),
        ("ExpYear", 4, 4),
        ("Cvc", 3, 4),
    ),
}


class CardEncryptionError(Exception):
    """Why a key or a block was refused. The message is fixed text: nothing of the input is in it.

    ``code`` is ``invalid_key``, ``unsupported_scheme`` or ``invalid_encrypted_card``.
    """

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


# --- The key ---------------------------------------------------------------------------------


def browser_key(key, accepted=(SCHEME,)):
    """Returns what a browser may see of the service's answer: id, scheme and public_key.

    ``expires_at`` and everything else stay on the server: keep ``id`` and ``expires_at`` in the
    shopper's session, for ``parse_encrypted_card``.

    ``accepted`` names the schemes that the page can encrypt under. A new scheme has to be added
    here, so that an update of the service never reaches a page that does not know it.

    Raises ``CardEncryptionError``: ``invalid_key`` if this is not the service's answer,
    ``unsupported_scheme`` if its scheme is not accepted, or this file does not know it.
    """
    picked = {}
    for name in ("id", "scheme", "public_key"):
        value = key.get(name) if isinstance(key, dict) else None
        if not _is_text(value):
            raise CardEncryptionError(
                "invalid_key",
                "This is not the service's answer: id, scheme and public_key must be text",
            )
        picked[name] = value
    if picked["scheme"] not in accepted or picked["scheme"] not in _FIELDS:
        raise CardEncryptionError(
            "unsupported_scheme", "The page does not know the scheme of this key"
        )
    return picked


# --- The block -------------------------------------------------------------------------------

_MAX_TEXT = 4096  # a real block takes less than 1,200 characters


def parse_encrypted_card(body, *, key_id, expires_at, scheme=SCHEME):
    """Returns the encrypted card that ``body`` holds, as the body for ``CardPayments.authorize``.

    Hand it what the browser posted before anything has parsed or logged it: the value of the form
    field ``encrypted_card``, or the body of a JSON request, as ``str`` or ``bytes``. Text counts
    only as the browser's ``JSON.stringify`` writes it: no spaces, no property twice. A value that
    a framework has parsed already (a ``dict``) is accepted, too.

    ``key_id`` and ``expires_at`` are what the shopper's session remembers of the key: ``id`` and
    ``expires_at`` (milliseconds) of the service's answer. Both must be given. ``None``, for a
    session that has no key, matches nothing.

    Raises ``CardEncryptionError`` with the code ``invalid_encrypted_card`` for everything else:
    above all for a card in clear text, for a block under another key, and after ``expires_at``.
    """
    # The error is raised out here and not in an "except": Python would attach the JSON error to
    # it, and that one holds the whole body.
    block = _read_block(body, _FIELDS.get(scheme) if isinstance(scheme, str) else None)
    if block is None:
        raise _refusal("This is not an encrypted card block, as the card form makes it")
    if block["key_id"] != key_id:
        raise _refusal("The card was not encrypted under the key of this checkout")
    if not _is_number(expires_at) or not _now_ms() <= expires_at:  # so that "nan" has expired
        raise _refusal("The key of this checkout has expired: start it again with a fresh one")
    return block


def _refusal(message):
    return CardEncryptionError("invalid_encrypted_card", message)


def _read_block(body, fields):
    """The block, checked and copied. None if anything about it is wrong."""
    try:
        _require(fields is not None)
        if isinstance(body, (bytes, bytearray)):
            _require(len(body) <= 4 * _MAX_TEXT)
            body = body.decode("utf-8")
        value = _parse_text(body) if isinstance(body, str) else body
        _require_properties(value, ("payload", "key_id", "layout"))
        payload, key_id, entries = value["payload"], value["key_id"], value["layout"]
        _require(_is_text(key_id) and isinstance(entries, list) and len(entries) == len(fields))
        layout = []
        for entry, (field, fewest, most) in zip(entries, fields):
            _require_properties(entry, ("field", "len"))
            length = _whole_number(entry["len"])
            _require(_same_text(entry["field"], field))
            _require(length is not None and fewest <= length <= most)
            layout.append({"field": field, "len": length})
        # RSA-OAEP with SHA-256 takes 66 bytes of the modulus for itself: RFC 8017, section 7.1.1.
        _require(sum(entry["len"] for entry in layout) <= _modulus_length(payload) - 66)
        return {"payload": payload, "key_id": key_id, "layout": layout}
    except (ValueError, RecursionError):
        # ValueError: ours, or no JSON, no UTF-8, no Base64. RecursionError: nested too deeply.
        return None


def _parse_text(text):
    """The value of JSON text that is exactly what JavaScript's JSON.stringify would write.

    Of a property that comes twice a parser keeps only the last one. The first could be a card
    number on its way to your logs; here the text would not come out the same.
    """
    _require(len(text) <= _MAX_TEXT)
    # JavaScript counts UTF-16 units: most emoji are two.
    _require(len(text.encode("utf-16-le")) // 2 <= _MAX_TEXT)
    # No number of a block has a fraction, and NaN and Infinity, which Python accepts, are not JSON.
    value = json.loads(text, parse_float=_refuse, parse_constant=_refuse)
    _require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)
    return value


def _modulus_length(payload):
    """The length of the ciphertext in bytes: canonical Base64 of 2048, 3072 or 4096 bits only."""
    _require(isinstance(payload, str) and len(payload) <= 684)
    ciphertext = base64.b64decode(payload.encode("ascii"), validate=True)
    _require(len(ciphertext) in (256, 384, 512))
    # Base64 can say the same in several ways; only one of them is what the browser makes.
    _require(base64.b64encode(ciphertext).decode("ascii") == payload)
    return len(ciphertext)


def _require(condition):
    if not condition:
        raise ValueError


def _refuse(_number):
    raise ValueError


def _require_properties(value, names):
    """Exactly these: whatever else stands in a block could be a card in clear text."""
    _require(isinstance(value, dict) and len(value) == len(names))
    _require(all(name in value for name in names))


def _is_text(value):
    return isinstance(value, str) and value != ""


def _same_text(value, text):
    return isinstance(value, str) and value == text


def _is_number(value):
    # bool is a kind of int in Python: True would be 1.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole_number(value):
    """16 for 16 and for 16.0, which are the same number in JSON. Otherwise None."""
    if not _is_number(value):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value)


def _now_ms():
    return time.time_ns() // 1_000_000


# --- The service -----------------------------------------------------------------------------

# What to do about an error of ``authorize``, as the specification says it ("Errors").
RECOVERIES = {
    "encryption_key_expired": "restart_checkout",
    "unknown_encryption_key": "forward_key_id",
    "invalid_encryption_block": "check_layout",
}

# The key, the intent and the errors of the specification take less than 2 KiB.
_MAX_ANSWER_BYTES = 64 * 1024


class CardPaymentsError(Exception):
    """A request that failed. The message is fixed text, without a secret and without a card.

    ``recovery`` says what to do:

    - ``restart_checkout``: request a new key and show the card form again. Only the shopper has
      the card.
    - ``forward_key_id``: fix your code. The ``id`` of the key must come back unmodified.
    - ``check_layout``: fix your code, or somebody changed the block on its way.
    - ``resolve_intent``: **the outcome is unknown.** The shopper may have paid. Find out what
      became of the intent ``intent_id``, and do not ask for the card again before that.
    - ``ask_again``: no key or draft came. Nobody was charged; it can be requested again.
    - ``not_specified``: refused for a reason that the specification does not show, see ``status``.

    ``status`` is the HTTP status and ``code`` the error code of the specification, or None.
    """

    def __init__(self, message, recovery, status=None, code=None, intent_id=None):
        super().__init__(message)
        self.recovery = recovery
        self.status = status
        self.code = code
        self.intent_id = intent_id


class CardPayments:
    """A client of the Card Payment Service.

    - A decline is an outcome, not an error: ``authorize`` returns an intent in ``failed``.
    - Nothing is ever tried again by itself: a second request could be a second payment.
    - The secret key is in no error, log or representation, and goes to the base address only.
    """

    def __init__(self, base_url, secret_key, timeout_s=30.0):
        """``base_url``: https, or http on localhost, 127.0.0.1 and [::1].

        ``secret_key`` begins with ``sk_test_`` or ``sk_live_``. ``timeout_s``: how long a request
        may take, with its answer, in seconds.

        Raises ``ValueError`` if one of them is not that.
        """
        base = re.fullmatch(
            r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::([0-9]{1,5}))?((?:/[\w.~-]*)*)",
            base_url if isinstance(base_url, str) else "",
            re.ASCII,
        )
        if not base or not _is_secure(base[1], base[2]):
            raise ValueError(
                "base_url must be https, or http to this machine, "
                "and have no credentials, query or fragment"
            )
        if not _matches(r"sk_(test|live)_[!-~]+", secret_key):
            raise ValueError("secret_key must begin with sk_test_ or sk_live_")
        if not _is_number(timeout_s) or not 0 < timeout_s <= 600:
            raise ValueError("timeout_s must be seconds, 600 at most")
        self._is_https = base[1] == "https"
        self._host = base[2].strip("[]")
        self._port = int(base[3]) if base[3] else (443 if self._is_https else 80)
        self._path = base[4].rstrip("/")
        self._timeout_s = timeout_s
        # Inside a function, so that vars(), a debugger's page or pickle cannot show it.
        self._authorization = lambda: "Bearer " + secret_key

    def create_encryption_key(self):
        """Returns a fresh encryption key, for one checkout session.

        Give the browser no more of it than ``browser_key`` returns.
        Raises ``CardPaymentsError``.
        """
        return self._post("/payments/card/encryption-keys", success=201, check=_is_encryption_key)

    def create_intent(
        self, amount, currency, capture_method=None, description=None, idempotency_key=None
    ):
        """Returns a draft that fixes amount and currency. No card is involved.

        ``amount``: minor units; 1000 is 10.00 USD. ``capture_method``: ``automatic`` unless given.
        ``idempotency_key``: visible ASCII, such as ``str(uuid.uuid4())``.
        Raises ``CardPaymentsError``; ``ValueError`` if the amount is none.
        """
        if type(amount) is not int or not 0 <= amount < 2**53:
            raise ValueError("amount must be a whole number of minor units")
        draft = {"amount": amount, "currency": currency}
        if capture_method is not None:
            draft["capture_method"] = capture_method
        if description is not None:
            draft["description"] = description
        return self._post(
            "/payments/card",
            success=201,
            check=_is_intent,
            body=draft,
            idempotency_key=idempotency_key,
        )

    def authorize(self, intent_id, card, idempotency_key=None):
        """Charges or reserves the amount of an intent in ``created``, and returns the intent.

        ``card`` is what ``parse_encrypted_card`` returned. Never log or keep it.

        Look at ``status``: ``committed`` (charged), ``authorized`` (reserved, with the capture
        method ``manual``) or ``failed`` (declined; ``failure_reason`` says why).
        Raises ``CardPaymentsError``; ``ValueError`` if the id is none of an intent.
        """
        if not _is_intent_id(intent_id):
            raise ValueError("intent_id must be the id of a card payment intent")
        layout = [{"field": entry["field"], "len": entry["len"]} for entry in card["layout"]]
        return self._post(
            "/payments/card/" + intent_id + "/authorize",
            success=200,
            check=lambda answer: _is_intent(answer) and answer["id"] == intent_id,
            body={"payload": card["payload"], "key_id": card["key_id"], "layout": layout},
            idempotency_key=idempotency_key,
            intent_id=intent_id,
        )

    def _post(
        self, path, *, success, check, body=None, idempotency_key=None, intent_id=None
    ):
        headers = {"Authorization": self._authorization(), "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            if not _matches(r"[!-~]+", idempotency_key):
                raise ValueError("idempotency_key must be visible ASCII characters")
            headers["Idempotency-Key"] = idempotency_key
        data = b"" if body is None else json.dumps(body).encode("utf-8")

        status, text = self._exchange(self._path + path, headers, data)
        if status == success and text is not None:
            answer = _parse_answer(text)
            if check(answer):
                return answer
        if status is not None and 400 <= status < 500 and text is not None:
            code = _encryption_error_code(_parse_answer(text))
            recovery = RECOVERIES.get(code, "not_specified")
            raise CardPaymentsError(
                "The service refused the request", recovery, status, code, intent_id
            )
        # A lost answer may have been a payment. A lost key or draft charges nobody.
        recovery = "ask_again" if intent_id is None else "resolve_intent"
        raise CardPaymentsError(
            "The service did not answer as specified, or not in time",
            recovery,
            status,
            None,
            intent_id,
        )

    def _exchange(self, path, headers, data):
        """One request. Returns the status and the text of the answer, None for what did not come.

        No redirect is followed: another host would get the secret key.
        """
        status, text = None, None
        sock = connection = None
        expired = threading.Event()

        def expire():
            # Python's own time limit starts again with each byte that comes. This one does not.
            expired.set()
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                pass  # closed already

        watchdog = threading.Timer(self._timeout_s, expire)
        watchdog.daemon = True
        try:
            sock = socket.create_connection((self._host, self._port), self._timeout_s)
            if self._is_https:
                context = ssl.create_default_context()
                sock = context.wrap_socket(
                    sock, server_hostname=self._host, do_handshake_on_connect=False
                )
                connection = http.client.HTTPSConnection(self._host, self._port, context=context)
            else:
                connection = http.client.HTTPConnection(self._host, self._port)
            connection.sock = sock
            connection.auto_open = 0  # never a second connection, and with it a second request
            watchdog.start()
            if self._is_https:
                sock.do_handshake()
            connection.request("POST", path, data, headers)
            answer = connection.getresponse()
            status = answer.status
            content = answer.read(_MAX_ANSWER_BYTES + 1)
            is_whole = not answer.length and len(content) <= _MAX_ANSWER_BYTES
            if is_whole and not expired.is_set():
                text = content.decode("utf-8")
        except (OSError, http.client.HTTPException, ValueError):
            pass  # none of it goes on: an error can repeat what was sent or received
        finally:
            watchdog.cancel()
            if connection is not None:
                connection.close()
            elif sock is not None:
                sock.close()
        return status, text


def _is_secure(protocol, host):
    return protocol == "https" or host.lower() in ("localhost", "127.0.0.1", "[::1]")


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _parse_answer(text):
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None  # a JSON error holds the text


def _encryption_error_code(answer):
    """The envelope of errors is not specified: the code may stand anywhere. Two are none."""
    found = set()
    waiting = [answer]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value in RECOVERIES:
            found.add(value)
    return found.pop() if len(found) == 1 else None


def _is_any_text(value):
    return isinstance(value, str)


def _is_integer(value):
    number = _whole_number(value)
    return number is not None and abs(number) < 2**53


def _or_none(check):
    return lambda value: value is None or check(value)


def _is_intent_id(value):
    return _matches(r"pi_card_[A-Za-z0-9_-]+", value)


def _is_payment_method(value):
    if not isinstance(value, dict):
        return False
    return _is_any_text(value.get("brand")) and _is_any_text(value.get("last4"))


_KEY_CHECKS = {
    "id": lambda value: _is_any_text(value) and value.startswith("cek_"),
    "scheme": _is_any_text,
    "public_key": _is_any_text,
    "expires_at": _is_integer,
}

_INTENT_CHECKS = {
    "id": _is_intent_id,
    "amount": _is_integer,
    "amount_captured": _is_integer,
    "amount_refunded": _is_integer,
    "currency": _is_any_text,
    "status": _is_any_text,
    "status_at": _or_none(_is_integer),
    "processor_ref": _or_none(_is_any_text),
    "failure_reason": _or_none(_is_any_text),
    "cancellation_reason": _or_none(_is_any_text),
    "capture_method": lambda value: value in ("automatic", "manual"),
    "payment_method": _or_none(_is_payment_method),
    "description": _or_none(_is_any_text),
    "statement_descriptor": _or_none(_is_any_text),
    "metadata": lambda value: isinstance(value, dict),
    "created": _is_integer,
    "updated": _is_integer,
    "livemode": lambda value: isinstance(value, bool),
}


def _has_shape(value, checks):
    if not isinstance(value, dict):
        return False
    return all(name in value and check(value[name]) for name, check in checks.items())


def _is_encryption_key(value):
    return _has_shape(value, _KEY_CHECKS)


def _is_intent(value):
    return _has_shape(value, _INTENT_CHECKS)
