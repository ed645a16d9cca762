"""How a request reaches the service. Another client can take its place: see ``Transport``."""

from __future__ import annotations

import http.client
import ssl
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Mapping, Optional, Protocol, Union

from .within import within

# The key, the intent and the errors of the specification take less than 2 KiB.
MOST_RESPONSE_BYTES = 64 * 1024


class NoResponse(Exception):
    """No whole response came in time. The service may have done what it was asked to do."""


@dataclass(frozen=True)
class ServiceRequest:
    """A POST to the service. ``headers`` hold the secret key, and ``body`` the block."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout_s: float = 30.0


@dataclass(frozen=True)
class ServiceResponse:
    """What the service has answered. ``body`` is None if it did not come whole."""

    status: int
    body: Optional[bytes] = field(repr=False)


class Transport(Protocol):
    """Sends one request and returns its response. Replace it to use another HTTP client.

    It must send the request once: no retry, no redirect. ``timeout_s`` is for everything, from the
    look-up of the name to the last byte. It raises ``NoResponse`` for whatever goes wrong, and no
    other error: an error can repeat what was sent.
    """

    def __call__(self, request: ServiceRequest) -> ServiceResponse:
        """POST ``request``."""


def send(request: ServiceRequest) -> ServiceResponse:
    """POST by Python's own client, on a connection of its own.

    Its time limits start again with each address and each byte that comes. So the request runs in
    a thread, and the caller waits no longer than ``timeout_s`` for it.

    Raises ``NoResponse``.
    """
    deadline = time.monotonic() + request.timeout_s
    try:
        return within(request.timeout_s, lambda: _exchange(request, deadline))
    except (OSError, http.client.HTTPException, ValueError):  # TimeoutError is an OSError
        pass
    raise NoResponse("The service did not respond in time")  # with nothing of the error before


def _exchange(request: ServiceRequest, deadline: float) -> ServiceResponse:
    url = urllib.parse.urlsplit(request.url)
    connection = _connection(url, request.timeout_s)
    try:
        connection.connect()
        if time.monotonic() > deadline:
            raise TimeoutError  # nobody waits for it any more, so nothing is sent
        connection.auto_open = 0  # never a second connection, and with it a second request
        connection.request("POST", url.path, request.body, dict(request.headers))
        response = connection.getresponse()
        while 100 <= response.status < 200:  # Python passes over 100 only
            response.headers = None  # type: ignore[assignment]
            response.begin()
        return ServiceResponse(response.status, _whole_body(response))
    finally:
        connection.close()


def _whole_body(response: http.client.HTTPResponse) -> Optional[bytes]:
    try:
        body = response.read(MOST_RESPONSE_BYTES + 1)
    except (OSError, http.client.HTTPException):
        return None
    return body if not response.length and len(body) <= MOST_RESPONSE_BYTES else None


def _connection(
    url: urllib.parse.SplitResult, timeout_s: float
) -> Union[http.client.HTTPConnection, http.client.HTTPSConnection]:
    host = url.hostname or ""
    if url.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, url.port, timeout=timeout_s, context=context)
    return http.client.HTTPConnection(host, url.port, timeout=timeout_s)
