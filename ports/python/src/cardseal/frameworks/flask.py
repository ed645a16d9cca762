"""``return respond(checkout, order)`` in a view of Flask, for GET and POST."""

from __future__ import annotations

from typing import Optional

import flask
from werkzeug.exceptions import BadRequest

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
    body = _body(request)
    answer = handle(
        checkout,
        Request(
            method=request.method,
            headers=dict(request.headers),
            body=body,
            encrypted_card=None if body else _parsed_field(request),
            sender=sender,
        ),
        order,
        page,
    )
    return flask.Response(answer.body, answer.status, dict(answer.headers))


def _body(request: flask.Request) -> Optional[bytes]:
    """What a hook has read before, Flask has kept, if the hook has used Flask's own ways.

    No form is parsed: that would be before its size is known. None if the body came chunked, and
    the server has not read it: Werkzeug gives an empty one then.
    """
    body = request.stream.read(MOST_BODY_BYTES + 1) or request.get_data()
    is_chunked = "transfer-encoding" in request.headers
    is_read = bool(body) or not is_chunked or request.environ.get("wsgi.input_terminated")
    return body if is_read else None


def _parsed_field(request: flask.Request) -> Optional[str]:
    """A hook may have read a form before: then Flask has its fields."""
    try:
        is_form = bool(request.form or request.files)
    except BadRequest:  # a hook has read the stream of a multipart form
        return None
    return request.form.get("encrypted_card", "") if is_form else None
