"""Limits of one process, by rate: one sender must not use up what others need.

The numbers are those of the TypeScript package. A botnet that behaves like shoppers is not solved
by any limit. Nothing here is kept over a restart.
"""

from __future__ import annotations

import ipaddress
import math
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Optional, Union


@dataclass(frozen=True)
class Rate:
    """``burst`` at once, and then ``per_second``."""

    burst: float
    per_second: float


_KEYS_OF_ORDER = Rate(6, 0.2)
_KEYS_OF_SENDER = Rate(60, 1)
_KEYS_OF_ALL = 100
# When others have used up the keys of all, these are left for senders that have just come.
_KEYS_OF_NEWCOMERS = 200
# So many requests of a sender count as those of a newcomer.
_NEWCOMER = 3
_DECLINES_OF_SENDER = Rate(10, 10 / 3600)
# A payment that succeeds says that a shared address has honest shoppers.
_GIVEN_BACK_BY_SUCCESS = 5

_TEN_MINUTES_MS = 600_000
_MANY_DECLINES = 20


def sender_of(address: Optional[str]) -> Optional[str]:
    """Who counts as one sender: an IPv4 address, or the first 64 bits of an IPv6 address.

    Many lines have a /48 or a /56 of IPv6, and so are many senders: docs/production.md#bots.
    None if the address is of a private network or of this machine, and so is a proxy's and not a
    shopper's, or if it is no address.
    """
    try:
        ip: Union[ipaddress.IPv4Address, ipaddress.IPv6Address] = ipaddress.ip_address(
            (address or "").strip().split("%")[0]
        )
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    if ip.is_loopback or ip.is_link_local or ip.is_unspecified or _is_private(ip):
        return None
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    return str(ipaddress.ip_network((ip, 64), strict=False))


# Python's own "is_private" also counts networks that shoppers of a test or a document have.
_PRIVATE = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by a carrier's own equipment
        "172.16.0.0/12",
        "192.168.0.0/16",
        "fc00::/7",
    )
]


def _is_private(ip: Union[ipaddress.IPv4Address, ipaddress.IPv6Address]) -> bool:
    return any(ip in network for network in _PRIVATE if network.version == ip.version)


class KeyLimits:
    """Key requests: of an order, of a sender, and of all senders together."""

    def __init__(self, keys_per_second: float) -> None:
        self._lock = threading.Lock()
        self._orders = _Buckets(_KEYS_OF_ORDER)
        self._senders = _Buckets(_KEYS_OF_SENDER)
        self._all = _Buckets(Rate(_KEYS_OF_ALL, keys_per_second))
        self._newcomers = _Buckets(Rate(_KEYS_OF_NEWCOMERS, keys_per_second))

    def take(self, order_id: str, sender: Optional[str], now: int) -> int:
        """Take one key. Return 0, or the seconds to wait before the next try.

        ``sender`` is what ``sender_of`` says. None: there is no limit by sender.
        """
        with self._lock:
            shared = self._shared(sender, now)
            waits = [self._orders.wait(order_id, now), shared.wait("", now)]
            if sender is not None:
                waits.append(self._senders.wait(sender, now))
            if max(waits) > 0:
                return max(waits)
            self._orders.add(order_id, -1, now)
            if sender is not None:
                self._senders.add(sender, -1, now)
            shared.add("", -1, now)
            return 0

    def _shared(self, sender: Optional[str], now: int) -> _Buckets:
        if sender is None or self._all.wait("", now) <= 0:
            return self._all
        is_newcomer = self._senders.left(sender, now) > _KEYS_OF_SENDER.burst - _NEWCOMER
        return self._newcomers if is_newcomer else self._all


class TryEnd(Enum):
    """How a try to pay ended. REFUSED: the service has answered with an error about the key or the
    block.
    """

    DECLINED = "declined"
    REFUSED = "refused"
    OTHER = "other"
    PAID = "paid"


# What a sender gets back of the try. A block that is refused needs no card, and leaves an order
# that a look-up has to settle: bots make as many as they are let.
_GIVEN_BACK = {
    TryEnd.DECLINED: 0,
    TryEnd.REFUSED: 0,
    TryEnd.OTHER: 1,
    TryEnd.PAID: 1 + _GIVEN_BACK_BY_SUCCESS,
}


class DeclineLimits:
    """Declined cards of a sender. One is taken when a try begins, so many at once cannot pass."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._senders = _Buckets(_DECLINES_OF_SENDER)
        self._since = 0
        self._declined = 0
        self._paid = 0
        self._is_told = False

    def begin(self, sender: Optional[str], now: int) -> bool:
        """A try begins. False: this sender has had too many cards declined, or blocks refused."""
        if sender is None:
            return True
        with self._lock:
            if self._senders.wait(sender, now) > 0:
                return False
            self._senders.add(sender, -1, now)
            return True

    def end(self, sender: Optional[str], end: TryEnd, now: int) -> bool:
        """A try that has begun ends. Return whether so many are declined that it looks odd."""
        with self._lock:
            if sender is not None:
                self._senders.add(sender, _GIVEN_BACK[end], now)
            if end in (TryEnd.OTHER, TryEnd.REFUSED):
                return False
            if abs(now - self._since) > _TEN_MINUTES_MS:
                self._since, self._declined, self._paid, self._is_told = now, 0, 0, False
            if end is TryEnd.DECLINED:
                self._declined += 1
            else:
                self._paid += 1
            is_odd = self._declined >= _MANY_DECLINES and self._declined > self._paid
            is_new = is_odd and not self._is_told
            self._is_told = self._is_told or is_new
            return is_new


@dataclass
class _Bucket:
    """What is left of a rate, at a time in milliseconds."""

    left: float
    at: int


class _Buckets:
    """A bucket for each name. Full ones are forgotten, or they would grow with every name."""

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._buckets: dict[str, _Bucket] = {}

    def left(self, name: str, now: int) -> float:
        bucket = self._buckets.get(name)
        return self._left_of(bucket, now) if bucket else self._rate.burst

    def wait(self, name: str, now: int) -> int:
        """The seconds until one is left: not more than 0 if there is one now."""
        return math.ceil((1 - self.left(name, now)) / self._rate.per_second)

    def add(self, name: str, count: float, now: int) -> None:
        left = min(self._rate.burst, self.left(name, now) + count)
        self._buckets.pop(name, None)  # the buckets are in the order of the last request
        self._buckets[name] = _Bucket(left, now)
        while self._buckets:
            oldest = next(iter(self._buckets))
            if self._left_of(self._buckets[oldest], now) < self._rate.burst:
                return
            del self._buckets[oldest]

    def _left_of(self, bucket: _Bucket, now: int) -> float:
        passed = abs(now - bucket.at) / 1000  # a clock may be set back
        return min(self._rate.burst, bucket.left + passed * self._rate.per_second)
