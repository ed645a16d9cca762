"""``return respond(checkout, request, order)`` in a view of Django, for GET and POST."""

from __future__ import annotations

from typing import Optional

from django.http import HttpRequest, HttpResponse

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
    answer = handle(
        checkout,
        Request(
            method=request.method,
            headers=request.headers,
            body=b"" if is_form else request.body,
            encrypted_card=request.POST.get("encrypted_card", "") if is_form else None,
            sender=sender,
        ),
        order,
        page,
    )
    return HttpResponse(answer.body, status=answer.status, headers=answer.headers)
