"""``return respond(checkout, request, order)`` in a view of Django, for GET and POST."""

from __future__ import annotations

from typing import Optional

from django.http import HttpRequest, HttpResponse, RawPostDataException, UnreadablePostError

from ..checkout import Checkout
from ..handle import Request, handle, is_too_long
from ..order import Order


def respond(
    checkout: Checkout,
    request: HttpRequest,
    order: Optional[Order],
    page: Optional[str] = None,
    sender: Optional[str] = None,
) -> HttpResponse:
    """See ``handle``. ``request`` is Django's.

    ``sender``: the client's address, as your outermost proxy saw it.
    """
    try:
        body = _body(request)
    except UnreadablePostError:  # the client has gone, and reads no answer
        return HttpResponse(status=400)
    answer = handle(
        checkout,
        Request(
            method=request.method,
            headers=request.headers,
            body=body,
            encrypted_card=_parsed_field(request) if body is None else None,
            sender=sender,
        ),
        order,
        page,
    )
    return HttpResponse(answer.body, status=answer.status, headers=answer.headers)


def _body(request: HttpRequest) -> Optional[bytes]:
    """None if a middleware has read it: as a form, or by ``request.read``; or if it came chunked,
    which WSGI does not read. A body that is too long is not read.
    """
    if is_too_long(request.headers.get("content-length")):
        return b""
    try:
        body: bytes = request.body
    except RawPostDataException:
        return None
    is_chunked = "transfer-encoding" in request.headers
    return None if not body and is_chunked and hasattr(request, "environ") else body


def _parsed_field(request: HttpRequest) -> Optional[str]:
    is_form = bool(request.POST or request.FILES)
    return str(request.POST.get("encrypted_card", "")) if is_form else None
