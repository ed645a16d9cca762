"""The JSON of an order in the store."""

from __future__ import annotations

import json

import pytest
from cardseal.stored_value import UnreadableOrder, read_value, value_of


def stored(expires_at: object) -> str:
    key = {"id": "cek_1", "amount": 1, "currency": "USD", "block": "none", "reason": None}
    order = {"state": "open", "amount": 1, "currency": "USD", "paid": None, "intentId": None}
    more = {"sent": False, "attempt": None, "keyErrors": 0, "declines": 0, "last": None}
    return json.dumps({**order, **more, "keys": [{**key, "expiresAt": expires_at}]})


@pytest.mark.parametrize("expires_at", [-(2**53) + 1, -1, 0, 2**53 - 1])
def test_a_time_is_any_whole_number_that_json_keeps(expires_at: int) -> None:
    value = stored(expires_at)
    assert json.loads(value_of(read_value(value, "order-1"))) == json.loads(value)


@pytest.mark.parametrize("expires_at", [-(2**53), 2**53, 0.5, "0", True, None])
def test_nothing_else_is_a_time(expires_at: object) -> None:
    with pytest.raises(UnreadableOrder):
        read_value(stored(expires_at), "order-1")


def test_an_order_that_was_withdrawn_is_read_as_it_was_written() -> None:
    value = json.dumps({**json.loads(stored(1)), "state": "withdrawn"})
    assert json.loads(value_of(read_value(value, "order-1"))) == json.loads(value)


@pytest.mark.parametrize(
    "damage",
    [
        {"sent": True, "intentId": "pi_card_1"},
        {"attempt": {"token": "t", "keyId": "cek_1", "startedAt": 1}},
    ],
)
def test_an_order_with_a_block_on_its_way_was_not_withdrawn(damage: dict[str, object]) -> None:
    value = json.dumps({**json.loads(stored(1)), "state": "withdrawn", **damage})
    with pytest.raises(UnreadableOrder):
        read_value(value, "order-1")
