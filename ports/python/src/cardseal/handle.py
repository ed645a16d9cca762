"""One address for everything that a page asks, for any framework.

``GET`` gets the outcome, ``POST`` without a body a key, and ``POST`` with a block pays.
"""

from __future__ import annotations

import email
import json
import string
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from .checkout import Checkout, IssuedKey, NoKey, TooMany
from .log import quoted
from .order import Order, Outcome, Status

# A block takes less than 2 KiB.
MOST_BODY_BYTES = 8 * 1024

_FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(frozen=True)
class Request:
    """A request of the page.

    - ``headers``: by name, in any case.
    - ``body``: as it came, a form's, too. Read at most ``MOST_BODY_BYTES`` + 1 of it. None if
      somebody has read it before, or the server cannot read it, so that it is not here.
    - ``encrypted_card``: the form field, if somebody has parsed the form before. Empty if the form
      has no such field.
    - ``sender``: the address of the client, as your own outermost proxy saw it.
    """

    method: str
    headers: Mapping[str, str]
    body: Optional[bytes] = field(default=b"", repr=False)
    encrypted_card: Optional[str] = field(default=None, repr=False)
    sender: Optional[str] = None

    def header(self, name: str) -> Optional[str]:
        for given, value in self.headers.items():
            if given.lower() == name:
                return value
        return None


@dataclass(frozen=True)
class Response:
    """What to answer with."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def handle(
    checkout: Checkout, request: Request, order: Optional[Order], page: Optional[str] = None
) -> Response:
    """Answer a request of a page. Each answer is JSON with a ``status``, and not to be cached.

    A form that the browser has submitted by itself is answered with 303.

    ``order``: the order in the shopper's session; None if there is none. Begin an order only when
    the page is rendered: a payment of an order that is gone must not become one of a new order.
    ``page``: where the browser goes after it has submitted the form by itself. Default: the page
    that it comes from, or ``/``.
    """
    if request.method in ("GET", "HEAD"):
        if order is None:
            return _json(404, {"status": "no_order"})
        return _json(200, checkout.outcome(order.id).as_json())
    if request.method != "POST":
        return _json(405, {"status": "method"}, {"Allow": "GET, HEAD, POST"})
    return _post(checkout, request, order, page)


def _post(
    checkout: Checkout, request: Request, order: Optional[Order], page: Optional[str]
) -> Response:
    # Cookies that are SameSite=Lax come from other ports and subdomains, too.
    if request.header("sec-fetch-site") not in (None, "", "same-origin", "none"):
        return _json(403, {"status": "cross_site"})
    if _is_too_large(request):
        return _json(413, {"status": "too_large"})
    if _is_body_gone(request):
        checkout._log(_BODY_IS_GONE)
        return _json(500, {"status": "misconfigured"})
    # The page names the order that its key is for. The session may have another one by now.
    meant = request.header("cardseal-order")
    is_meant = order is not None and meant in (None, _encoded(order.id))
    is_form = _content_type(request).startswith(_FORM_TYPES)
    if order is None or not is_meant:
        if is_form or request.body:
            checkout._log(_NO_ORDER if order is None else _OTHER_ORDER % quoted(order.id))
        outcome = Outcome(Status.NO_ORDER)
    elif not is_form and not request.body:
        return _issue_key(checkout, order, request.sender)
    elif is_form:
        outcome = checkout.pay(order, _form_field(checkout, request), request.sender)
    else:
        outcome = checkout.pay(order, request.body, request.sender)
    if is_form and "text/html" in (request.header("accept") or ""):
        return _see_other(page or _page_before(request.header("referer")), outcome)
    return _json(_STATUS.get(outcome.status, 200), outcome.as_json())


_NO_ORDER = (
    "Block not sent: the session has no order. It has ended, or the request came without its cookie"
)
_OTHER_ORDER = "Block not sent: order %s: the page is of another order"
_BODY_IS_GONE = (
    "handle: the body of a request is gone: somebody has read it before. Call handle, or respond, "
    "before anything reads the body, such as a hook or a middleware. A body that comes chunked needs "
    "a server that reads it, or a proxy that gives its length"
)

#: The outcomes that are faults of the page, or of something on the way.
_STATUS = {Status.INVALID_ENCRYPTED_CARD: 400, Status.NO_ORDER: 404}


def _issue_key(checkout: Checkout, order: Order, sender: Optional[str]) -> Response:
    issued = checkout.issue_key(order, sender)
    if isinstance(issued, IssuedKey):
        body = {**issued.outcome.as_json(), "order": issued.order, "key": issued.key.as_json()}
        return _json(200, body)
    if isinstance(issued, TooMany):
        headers = {"Retry-After": str(issued.retry_after)}
        return _json(429, {"status": "too_many"}, headers)
    if isinstance(issued, NoKey):
        return _json(502, {"status": "no_key"})
    return _json(200, issued.as_json())


def _is_too_large(request: Request) -> bool:
    return is_too_long(_content_length(request)) or len(request.body or b"") > MOST_BODY_BYTES


def is_too_long(content_length: Optional[str]) -> bool:
    """Whether a body is not to be read, by this header."""
    length = content_length or "0"
    # Python refuses to read a number of thousands of digits.
    return len(length) > 9 or (length.isdecimal() and int(length) > MOST_BODY_BYTES)


def _is_body_gone(request: Request) -> bool:
    """A body was sent, and is not here. It would look like a request for a key."""
    if request.body or request.encrypted_card is not None:
        return False
    is_chunked = request.header("transfer-encoding") is not None
    return _content_length(request) != "0" or (request.body is None and is_chunked)


def _content_length(request: Request) -> str:
    return request.header("content-length") or "0"


def _content_type(request: Request) -> str:
    return (request.header("content-type") or "").strip().lower()


def _form_field(checkout: Checkout, request: Request) -> Optional[str]:
    """The value of the form field ``encrypted_card``."""
    if request.encrypted_card is not None:
        return request.encrypted_card
    body = request.body or b""
    is_multipart = _content_type(request).startswith("multipart/")
    try:
        values = _multipart_fields(request, body) if is_multipart else _urlencoded_fields(body)
    except ValueError:
        return None  # the error can hold the body
    return values[0] if len(values) == 1 else None


def _urlencoded_fields(body: bytes) -> list[str]:
    fields = urllib.parse.parse_qs(body.decode("utf-8"), strict_parsing=True)
    return fields.get("encrypted_card", [])


def _multipart_fields(request: Request, body: bytes) -> list[str]:
    """By Python's parser of mails, which have the same format. The body is small by now."""
    header = "Content-Type: %s\r\n\r\n" % (request.header("content-type") or "")
    parts = email.message_from_bytes(header.encode("latin-1") + body).get_payload()
    if not isinstance(parts, list):
        return []  # no boundary
    values = [
        part.get_payload(decode=True)
        for part in parts
        if part.get_param("name", header="content-disposition") == "encrypted_card"
    ]
    return [value.decode("utf-8") for value in values if isinstance(value, bytes)]


def _encoded(order_id: str) -> str:
    """As encodeURIComponent writes it."""
    return urllib.parse.quote(order_id, safe="-_.!~*'()")


def _json(
    status: int, body: dict[str, Any], headers: Optional[Mapping[str, str]] = None
) -> Response:
    common = {"Content-Type": "application/json", "Cache-Control": "no-store"}
    return Response(status, {**common, **(headers or {})}, json.dumps(body).encode("utf-8"))


def _see_other(page: str, outcome: Outcome) -> Response:
    """Back and Reload repeat nothing then. The page shows the order's outcome.

    What no order tells goes along in the address.
    """
    page, hash_sign, fragment = page.partition("#")
    path, _, query = page.partition("?")
    parameters = [part for part in query.split("&") if part and _name_of(part) != "outcome"]
    if outcome.status in _STATUS:
        parameters.append("outcome=" + outcome.status.value)
    location = path + ("?" + "&".join(parameters) if parameters else "") + hash_sign + fragment
    location = urllib.parse.quote(location, safe=string.punctuation)  # a header is ASCII
    return Response(303, {"Location": location, "Cache-Control": "no-store"}, b"")


def _name_of(parameter: str) -> str:
    return urllib.parse.unquote_plus(parameter.partition("=")[0])


def _page_before(referer: Optional[str]) -> str:
    """Path and query, without the origin: behind a proxy that may be another one."""
    try:
        url = urllib.parse.urlsplit(referer or "")
    except ValueError:
        return "/"
    path = "/" + url.path.lstrip("/")  # "//" would begin another origin
    return path + ("?" + url.query if url.query else "")
