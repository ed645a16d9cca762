"""A body that somebody has read before pays all the same, or is an error. It asks for no key."""

from __future__ import annotations

import asyncio
import io
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
from cardseal.handle import MOST_BODY_BYTES
from helpers import ORDER, POSTED, SENDER, checkout
from starlette.datastructures import FormData
from starlette.requests import Request

TEXT = ("text/plain", POSTED)
FORM = (
    "application/x-www-form-urlencoded",
    urllib.parse.urlencode({"encrypted_card": POSTED}).encode(),
)
MULTIPART = (
    "multipart/form-data; boundary=b",
    b'--b\r\nContent-Disposition: form-data; name="encrypted_card"\r\n\r\n%s\r\n--b--\r\n' % POSTED,
)
#: A form with an upload, and without a block.
UPLOAD = (
    "multipart/form-data; boundary=b",
    b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.png"\r\n\r\nx\r\n--b--\r\n',
)
KEY_REQUEST = ("text/plain", b"")

PAID = (200, "committed")
MISCONFIGURED = (500, "misconfigured")
KEY = (200, "open")
NO_BLOCK = (400, "invalid_encrypted_card")

Posted = tuple[str, bytes]
Reader = Callable[[Any], object]


def nothing(_request: object) -> None: ...


@pytest.mark.parametrize(
    "reads, posted, answer",
    [
        (nothing, TEXT, PAID),
        (nothing, FORM, PAID),
        (nothing, MULTIPART, PAID),
        (nothing, UPLOAD, NO_BLOCK),
        (lambda request: request.form, MULTIPART, PAID),
        (lambda request: request.form, UPLOAD, NO_BLOCK),
        (lambda request: request.stream.read(), MULTIPART, MISCONFIGURED),
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
        (nothing, MULTIPART, PAID),
        (nothing, UPLOAD, NO_BLOCK),
        (lambda request: request.POST, MULTIPART, PAID),
        (lambda request: request.POST, UPLOAD, NO_BLOCK),
        (lambda request: request.read(), MULTIPART, MISCONFIGURED),
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
        (None, MULTIPART, True, PAID),
        (None, UPLOAD, True, NO_BLOCK),
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


class Unread(io.BytesIO):
    """Counts what is read of it."""

    def __init__(self, count: int) -> None:
        super().__init__(b"--b\r\n" + b"x" * count)

    @property
    def was_read(self) -> int:
        return self.tell()


def test_a_large_form_is_refused_before_it_is_parsed() -> None:
    length = 3_000_000
    stream = Unread(length)
    app = flask.Flask("shop")
    shop = checkout()
    app.post("/checkout")(lambda: on_flask.respond(shop, ORDER, sender=SENDER))
    answer = app.test_client().post(
        "/checkout", input_stream=stream, content_length=length, content_type=MULTIPART[0]
    )
    assert (answer.status_code, answer.json["status"]) == (413, "too_large")  # type: ignore[index]
    assert stream.was_read <= 2 * MOST_BODY_BYTES

    stream = Unread(length)
    request = django.test.RequestFactory().post("/checkout", content_type=MULTIPART[0])
    request.META["CONTENT_LENGTH"] = str(length)
    request._stream = stream
    response = on_django.respond(shop, request, ORDER, sender=SENDER)
    assert (response.status_code, json.loads(response.content)["status"]) == (413, "too_large")
    assert stream.was_read == 0


# Werkzeug and Django give an empty body then. It must not look like a request for a key.
def test_a_chunked_body_that_the_server_does_not_read_is_gone() -> None:
    app = flask.Flask("shop")
    shop = checkout()
    app.post("/checkout")(lambda: on_flask.respond(shop, ORDER, sender=SENDER))

    def posted(**environ: object) -> tuple[int, str]:
        response = app.test_client().post(
            "/checkout",
            input_stream=io.BytesIO(POSTED),
            headers={"Transfer-Encoding": "chunked"},
            environ_overrides=environ,
        )
        return response.status_code, response.json["status"]  # type: ignore[index]

    assert posted() == MISCONFIGURED
    shop.issue_key(ORDER, SENDER)
    assert posted(**{"wsgi.input_terminated": True}) == PAID

    request = django.test.RequestFactory().post(
        "/checkout", b"", content_type="text/plain", HTTP_TRANSFER_ENCODING="chunked"
    )
    request.META.pop("CONTENT_LENGTH", None)
    answer = on_django.respond(shop, request, ORDER, sender=SENDER)
    assert (answer.status_code, json.loads(answer.content)["status"]) == MISCONFIGURED


def test_a_client_that_breaks_off_is_no_exception() -> None:
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError

    shop = checkout()
    request = django.test.RequestFactory().post("/checkout", POSTED, content_type="text/plain")
    request._stream = Broken()
    assert on_django.respond(shop, request, ORDER, sender=SENDER).status_code == 400

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def answered() -> Any:
        scope = {"type": "http", "method": "POST", "path": "/checkout", "headers": []}
        return await on_starlette.respond(shop, Request(scope, receive), ORDER, sender=SENDER)

    assert asyncio.run(answered()).status_code == 400
