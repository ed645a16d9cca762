"""``return respond(checkout, request, order)`` in a view of Django, for GET and POST."""

from __future__ import annotations

from typing import Optional

from django.http import HttpRequest, HttpResponse, RawPostDataException

from ..checkout import Checkout
from ..handle import Request, handle
from ..order import Order


def respond(
    checkout: Checkout,
    request: HttpRequest,
    order: Optional[Order],
    page: Optional[str] = None,
    sender: Optional[str] = None,
) -> HttpResponse:
    """See ``handle``. ``request`` is Django's. The setting ``DATA_UPLOAD_MAX_MEMORY_SIZE`` limits
    its body. ``sender``: the client's address, as your outermost proxy saw it.
    """
    is_form = request.content_type in ("application/x-www-form-urlencoded", "multipart/form-data")
    form = request.POST if is_form else None
    answer = handle(
        checkout,
        Request(
            method=request.method,
            headers=request.headers,
            body=b"" if is_form else _body(request),
            encrypted_card=form.get("encrypted_card", "") if form else None,
            sender=sender,
        ),
        order,
        page,
    )
    return HttpResponse(answer.body, status=answer.status, headers=answer.headers)


def _body(request: HttpRequest) -> Optional[bytes]:
    """None if a middleware has read it with ``request.read``: then Django has it no more."""
    try:
        body: bytes = request.body
        return body
    except RawPostDataException:
        return None
