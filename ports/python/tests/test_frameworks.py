"""A body that somebody has read before pays all the same, or is an error. It asks for no key."""

from __future__ import annotations

import asyncio
import json
import urllib.parse
from typing import Any, Callable, Optional

import django.conf
import django.test
import flask
import pytest
from cardseal.frameworks import django as on_django
from cardseal.frameworks import flask as on_flask
from cardseal.frameworks import starlette as on_starlette
from helpers import ORDER, POSTED, SENDER, checkout
from starlette.datastructures import FormData
from starlette.requests import Request

TEXT = ("text/plain", POSTED)
FORM = (
    "application/x-www-form-urlencoded",
    urllib.parse.urlencode({"encrypted_card": POSTED}).encode(),
)
KEY_REQUEST = ("text/plain", b"")

PAID = (200, "committed")
MISCONFIGURED = (500, "misconfigured")
KEY = (200, "open")

Posted = tuple[str, bytes]
Reader = Callable[[Any], object]


def nothing(_request: object) -> None: ...


@pytest.mark.parametrize(
    "reads, posted, answer",
    [
        (nothing, TEXT, PAID),
        (nothing, FORM, PAID),
        (lambda request: request.get_data(), TEXT, PAID),
        (lambda request: request.get_data(), FORM, PAID),
        (lambda request: request.form, TEXT, PAID),
        (lambda request: request.form, FORM, PAID),
        (lambda request: request.get_json(force=True), TEXT, PAID),
        (lambda request: request.stream.read(), TEXT, MISCONFIGURED),
        (lambda request: request.stream.read(), FORM, MISCONFIGURED),
        (lambda request: request.stream.read(), KEY_REQUEST, KEY),
    ],
)
def test_flask(reads: Reader, posted: Posted, answer: tuple[int, str]) -> None:
    app = flask.Flask("shop")
    lines: list[str] = []
    shop = checkout(lines=lines)
    shop.issue_key(ORDER, SENDER)

    @app.before_request
    def hook() -> None:
        reads(flask.request)

    @app.post("/checkout")
    def pay() -> flask.Response:
        return on_flask.respond(shop, ORDER, sender=SENDER)

    content_type, body = posted
    response = app.test_client().post("/checkout", data=body, content_type=content_type)
    assert (response.status_code, response.json["status"]) == answer  # type: ignore[index]
    assert ("body of a request is gone" in "".join(lines)) == (answer == MISCONFIGURED)


if not django.conf.settings.configured:
    django.conf.settings.configure()


@pytest.mark.parametrize(
    "reads, posted, answer",
    [
        (nothing, TEXT, PAID),
        (nothing, FORM, PAID),
        (lambda request: request.body, TEXT, PAID),
        (lambda request: request.body, FORM, PAID),
        (lambda request: request.POST, TEXT, PAID),
        (lambda request: request.POST, FORM, PAID),
        (lambda request: request.read(), TEXT, MISCONFIGURED),
        (lambda request: request.read(), FORM, MISCONFIGURED),
        (lambda request: request.read(), KEY_REQUEST, KEY),
    ],
)
def test_django(reads: Reader, posted: Posted, answer: tuple[int, str]) -> None:
    lines: list[str] = []
    shop = checkout(lines=lines)
    shop.issue_key(ORDER, SENDER)
    content_type, body = posted
    request = django.test.RequestFactory().post("/checkout", body, content_type=content_type)
    reads(request)
    response = on_django.respond(shop, request, ORDER, sender=SENDER)
    assert (response.status_code, json.loads(response.content)["status"]) == answer
    assert ("body of a request is gone" in "".join(lines)) == (answer == MISCONFIGURED)


async def read_body(request: Request) -> None:
    await request.body()


async def read_stream(request: Request) -> None:
    async for _ in request.stream():
        pass


async def read_form(request: Request) -> None:
    """As ``request.form()`` does, which needs the package python-multipart."""
    await read_stream(request)
    request._form = FormData({"encrypted_card": POSTED.decode()})


@pytest.mark.parametrize(
    "reads, posted, length, answer",
    [
        (None, TEXT, True, PAID),
        (None, FORM, True, PAID),
        (None, TEXT, False, PAID),
        (read_body, TEXT, True, PAID),
        (read_body, FORM, True, PAID),
        (read_form, FORM, True, PAID),
        (read_stream, TEXT, True, MISCONFIGURED),
        (read_stream, TEXT, False, MISCONFIGURED),
        (read_stream, FORM, True, MISCONFIGURED),
        (read_stream, KEY_REQUEST, True, KEY),
        (None, KEY_REQUEST, False, KEY),
    ],
)
def test_starlette(
    reads: Optional[Callable[[Request], Any]],
    posted: Posted,
    length: bool,
    answer: tuple[int, str],
) -> None:
    content_type, body = posted
    framing = (b"content-length", b"%d" % len(body)) if length else (b"transfer-encoding", b"chunked")
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/checkout",
        "headers": [(b"content-type", content_type.encode()), framing],
    }

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def answered() -> Any:
        request = Request(scope, receive)
        if reads is not None:
            await reads(request)
        return await on_starlette.respond(shop, request, ORDER, sender=SENDER)

    lines: list[str] = []
    shop = checkout(lines=lines)
    shop.issue_key(ORDER, SENDER)
    response = asyncio.run(answered())
    assert (response.status_code, json.loads(response.body)["status"]) == answer
    assert ("body of a request is gone" in "".join(lines)) == (answer == MISCONFIGURED)
