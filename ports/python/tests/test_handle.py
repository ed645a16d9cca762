"""The route: the wire is the same as that of checkout.handle of the npm package."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any, Mapping, Optional

import pytest
from cardseal import MOST_BODY_BYTES, Checkout, Order, Request, Response, handle
from helpers import ORDER, POSTED, SENDER, FakeService, checkout


def ask(
    shop: Checkout,
    method: str = "POST",
    body: Optional[bytes] = b"",
    headers: Mapping[str, str] = {},
    order: Optional[Order] = ORDER,
) -> Response:
    return handle(shop, Request(method, headers, body, sender=SENDER), order)


def told(response: Response) -> Any:
    return json.loads(response.body)


def test_a_get_tells_the_outcome_and_is_not_cached() -> None:
    response = ask(checkout(), "GET")
    assert (response.status, told(response)) == (200, {"status": "open"})
    assert response.headers["Cache-Control"] == "no-store"


def test_a_post_without_a_body_gets_a_key_that_names_the_order() -> None:
    response = ask(checkout())
    assert response.status == 200
    assert told(response) == {
        "status": "open",
        "order": "order-1",
        "key": {"id": "cek_1", "scheme": "RSA_OAEP_SHA256_V1", "public_key": "AAAA"},
    }


def test_a_post_with_a_block_pays_once() -> None:
    service = FakeService()
    shop = checkout(service)
    ask(shop)
    paid = {"status": "committed", "reference": "pi_card_1"}
    for _ in range(2):
        response = ask(shop, body=POSTED, headers={"Content-Type": "text/plain"})
        assert (response.status, told(response)) == (200, paid)
    assert service.asked == ["key", "intent", "authorize"]
    assert told(ask(shop, "GET")) == paid


def test_a_decline_survives_a_reload() -> None:
    service = FakeService()
    service.status = "failed"
    shop = checkout(service)
    ask(shop)
    declined = told(ask(shop, body=POSTED))
    assert declined == {"status": "failed", "reason": "card_declined"}
    last = {"last": "failed", "reason": "card_declined", "key_id": "cek_1"}
    assert told(ask(shop, "GET")) == {"status": "open", **last}
    assert told(ask(shop)).items() >= {"status": "open", **last}.items()


@pytest.mark.parametrize("accept, status", [("text/html,*/*", 303), ("*/*", 200)])
def test_a_form_that_the_browser_submits_is_answered_with_303(accept: str, status: int) -> None:
    shop = checkout()
    ask(shop)
    body = urllib.parse.urlencode({"encrypted_card": POSTED.decode()}).encode()
    response = ask(
        shop,
        body=body,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": accept,
            "Referer": "https://shop.example//pay?a=1&outcome=no_order",
        },
    )
    assert response.status == status
    if status == 303:
        assert response.headers["Location"] == "/pay?a=1"
    assert told(ask(shop, "GET"))["status"] == "committed"


@pytest.mark.parametrize(
    "page, location",
    [
        ("/", "/?outcome=invalid_encrypted_card"),
        ("/?checkout", "/?checkout&outcome=invalid_encrypted_card"),
        ("/p?q=&x=1", "/p?q=&x=1&outcome=invalid_encrypted_card"),
        ("/p?id=2&id=1&id=2", "/p?id=2&id=1&id=2&outcome=invalid_encrypted_card"),
        ("/p?a=%FF+b%20c;d", "/p?a=%FF+b%20c;d&outcome=invalid_encrypted_card"),
        ("/p?outcome=no_order&a=1&outc%6Fme", "/p?a=1&outcome=invalid_encrypted_card"),
        ("/p?a=1#card", "/p?a=1&outcome=invalid_encrypted_card#card"),
        ("/caf\u00e9?a=\u20ac", "/caf%C3%A9?a=%E2%82%AC&outcome=invalid_encrypted_card"),
    ],
)
def test_the_address_of_the_page_stays_as_it_is_but_for_the_outcome(
    page: str, location: str
) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    request = Request("POST", headers, b"encrypted_card=none", sender=SENDER)
    response = handle(checkout(), request, ORDER, page)
    assert (response.status, response.headers["Location"]) == (303, location)
    if "#" not in page and page.isascii():
        headers["Referer"] = "https://shop.example" + page
        assert handle(checkout(), request, ORDER).headers["Location"] == location


def test_a_key_of_another_order_pays_nothing() -> None:
    service = FakeService()
    lines: list[str] = []
    shop = checkout(service, lines=lines)
    ask(shop)
    response = ask(shop, body=POSTED, headers={"Cardseal-Order": "order-2"})
    assert (response.status, told(response)) == (404, {"status": "no_order"})
    assert "authorize" not in service.asked
    assert lines == ['Block not sent: order "order-1": the page is of another order']


@pytest.mark.parametrize(
    "method, headers, body, status, word",
    [
        ("POST", {"Sec-Fetch-Site": "cross-site"}, b"", 403, "cross_site"),
        ("POST", {"Sec-Fetch-Site": "same-site"}, b"", 403, "cross_site"),
        ("POST", {"Content-Length": str(MOST_BODY_BYTES + 1)}, b"", 413, "too_large"),
        ("POST", {"Content-Length": "9" * 5000}, b"", 413, "too_large"),
        ("POST", {}, b"x" * (MOST_BODY_BYTES + 1), 413, "too_large"),
        ("POST", {"Content-Length": "555"}, b"", 500, "misconfigured"),
        ("POST", {"Content-Length": "555"}, None, 500, "misconfigured"),
        ("POST", {"Transfer-Encoding": "chunked"}, None, 500, "misconfigured"),
        ("PUT", {}, b"", 405, "method"),
        ("POST", {}, b"number=4242424242424242", 400, "invalid_encrypted_card"),
    ],
)
def test_refuses(
    method: str, headers: dict[str, str], body: Optional[bytes], status: int, word: str
) -> None:
    lines: list[str] = []
    response = ask(checkout(lines=lines), method, body, headers)
    assert (response.status, told(response)) == (status, {"status": word})
    assert "4242" not in "".join(lines)


MULTIPART = {"Content-Type": "multipart/form-data; boundary=b"}


def part(name: str, value: bytes, more: str = "") -> bytes:
    head = '--b\r\nContent-Disposition: form-data; name="%s"\r\n%s\r\n' % (name, more)
    return head.encode() + value + b"\r\n"


def test_a_multipart_form_pays_without_a_framework() -> None:
    shop = checkout()
    shop.issue_key(ORDER, SENDER)
    body = part("email", b"zo\xc3\xa9") + part("encrypted_card", POSTED) + b"--b--\r\n"
    response = ask(shop, body=body, headers=MULTIPART)
    assert (response.status, told(response)["status"]) == (200, "committed")


@pytest.mark.parametrize(
    "body, content_type",
    [
        (b"--b", "multipart/form-data"),
        (b"--b", "multipart/form-data; boundary=b"),
        (part("email", b"a@b") + b"--b--", "multipart/form-data; boundary=b"),
        (part("encrypted_card", POSTED) * 2 + b"--b--", "multipart/form-data; boundary=b"),
        (part("encrypted_card", b"\xff") + b"--b--", "multipart/form-data; boundary=b"),
        (
            part("encrypted_card", b"--c\r\n\r\n--c--", "Content-Type: multipart/mixed; boundary=c\r\n"),
            "multipart/form-data; boundary=b",
        ),
        (
            part("encrypted_card", b"Content-Type: message/rfc822\r\n\r\n" * 200)[:8000],
            "multipart/form-data; boundary=b",
        ),
        (b"Content-Type: message/rfc822\r\n\r\n" * 250, "multipart/form-data; boundary=\u20ac"),
    ],
)
def test_a_multipart_form_without_one_block_is_refused(body: bytes, content_type: str) -> None:
    response = ask(checkout(), body=body, headers={"Content-Type": content_type})
    assert (response.status, told(response)) == (400, {"status": "invalid_encrypted_card"})


def test_without_an_order_there_is_none() -> None:
    lines: list[str] = []
    for method in ("GET", "POST"):
        response = ask(checkout(lines=lines), method, order=None)
        assert (response.status, told(response)) == (404, {"status": "no_order"})
    assert lines == []
    ask(checkout(lines=lines), body=POSTED, order=None)
    assert [line.split(".")[0] for line in lines] == ["Block not sent: the session has no order"]


def test_too_many_requests_say_when_to_come_back() -> None:
    shop = checkout()
    responses = [ask(shop) for _ in range(7)]
    assert [response.status for response in responses] == [200] * 6 + [429]
    assert int(responses[-1].headers["Retry-After"]) > 0
