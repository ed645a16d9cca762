"""``return respond(checkout, order)`` in a view of Flask, for GET and POST."""

from __future__ import annotations

from typing import Optional

import flask

from ..checkout import Checkout
from ..handle import MOST_BODY_BYTES, Request, handle
from ..order import Order


def respond(
    checkout: Checkout,
    order: Optional[Order],
    page: Optional[str] = None,
    sender: Optional[str] = None,
) -> flask.Response:
    """See ``handle``. ``sender``: ``request.remote_addr`` behind ``ProxyFix``, or without a proxy."""
    request = flask.request
    is_multipart = request.mimetype == "multipart/form-data"
    body = b"" if is_multipart else _body(request)
    # A hook may have read a form before: then Flask has its fields.
    form = request.form if body == b"" else None
    answer = handle(
        checkout,
        Request(
            method=request.method,
            headers=dict(request.headers),
            body=body,
            encrypted_card=form.get("encrypted_card", "") if form else None,
            sender=sender,
        ),
        order,
        page,
    )
    return flask.Response(answer.body, answer.status, dict(answer.headers))


def _body(request: flask.Request) -> bytes:
    """What a hook has read before, Flask has kept, if the hook has used Flask's own ways."""
    return request.stream.read(MOST_BODY_BYTES + 1) or request.get_data()
