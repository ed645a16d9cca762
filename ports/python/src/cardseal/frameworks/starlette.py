"""``return await respond(checkout, request, order)`` in a route of Starlette or FastAPI."""

from __future__ import annotations

from typing import Optional

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.requests import Request as StarletteRequest
from starlette.responses import Response as StarletteResponse

from ..checkout import Checkout
from ..handle import MOST_BODY_BYTES, Request, handle
from ..order import Order


async def respond(
    checkout: Checkout,
    request: StarletteRequest,
    order: Optional[Order],
    page: Optional[str] = None,
    sender: Optional[str] = None,
) -> StarletteResponse:
    """See ``handle``. The payment runs in Starlette's thread pool (40 threads), so the event loop
    goes on.

    ``sender``: ``request.client.host``, if uvicorn knows your proxy (``--forwarded-allow-ips``).
    """
    try:
        body = await _body(request)
    except ClientDisconnect:  # it reads no answer
        return StarletteResponse(status_code=400)
    # FastAPI may have read a form for a parameter of the route: then the request has its fields.
    card = await _parsed_field(request) if body is None else None
    given = Request(request.method, dict(request.headers), body, card, sender)
    answer = await run_in_threadpool(handle, checkout, given, order, page)
    return StarletteResponse(answer.body, answer.status, dict(answer.headers))


async def _body(request: StarletteRequest) -> Optional[bytes]:
    """None if somebody has read the stream before, and the request has not kept it."""
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BODY_BYTES:
                break
    except RuntimeError:  # "Stream consumed"
        return None
    return body


async def _parsed_field(request: StarletteRequest) -> Optional[str]:
    try:
        form = await request.form()
    except Exception:  # nobody has parsed it as a form
        return None
    card = form.get("encrypted_card", "") if form else None
    return card if card is None or isinstance(card, str) else ""
