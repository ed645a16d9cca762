"""What the scenarios of the corpus do not say: delivery, sweep, limits, lines of the log."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any, Optional

import pytest
from cardseal import (
    CaptureMethod,
    CardPaymentsError,
    Checkout,
    EncryptionErrorCode,
    EncryptionKey,
    Entry,
    Intent,
    IssuedKey,
    LastTry,
    ListedOrder,
    NoKey,
    Order,
    Outcome,
    PaidOrder,
    PaidOutcome,
    Recovery,
    Resolution,
    Status,
    StoreContractError,
    SweptOrder,
    sqlite_store,
)
from cardseal.limits import DeclineLimits, KeyLimits, sender_of
from cardseal.stored_value import ForeignOrder, UnreadableOrder
from helpers import ORDER, POSTED, SENDER, FakeService, MemoryStore, checkout


def test_on_paid_is_called_once_for_each_order() -> None:
    calls: list[tuple[PaidOrder, PaidOutcome]] = []
    shop = checkout(on_paid=lambda order, outcome: calls.append((order, outcome)))
    shop.issue_key(ORDER, SENDER)
    for _ in range(3):
        assert shop.pay(ORDER, POSTED, SENDER).is_paid
        shop.outcome(ORDER.id)
    paid = PaidOutcome(Status.COMMITTED, "pi_card_1", 1)
    assert calls == [(PaidOrder("order-1", 2490, "USD"), paid)]


def test_on_paid_is_called_again_after_a_pause_until_it_returns() -> None:
    tries: list[int] = []

    def on_paid(_order: PaidOrder, outcome: PaidOutcome) -> None:
        tries.append(outcome.tries)
        if len(tries) < 3:
            raise RuntimeError("4242424242424242")

    lines: list[str] = []
    shop = checkout(on_paid=on_paid, lines=lines)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).is_paid
    shop.outcome(ORDER.id)
    assert tries == [1]
    for _ in range(4):
        shop._clock.sleep(200)
        shop.sweep()
    assert tries == [1, 2, 3]
    assert "4242" not in "".join(lines)
    assert sum("Not delivered yet" in line for line in lines) == 2


def test_a_log_that_raises_loses_no_payment() -> None:
    def on_paid(_order: PaidOrder, _outcome: PaidOutcome) -> None:
        raise RuntimeError

    class Lines(list[str]):
        def append(self, line: str) -> None:
            raise BrokenPipeError

    shop = checkout(on_paid=on_paid, lines=Lines())
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).is_paid


def test_an_async_on_paid_is_refused() -> None:
    async def on_paid(_order: PaidOrder, _outcome: PaidOutcome) -> None: ...

    with pytest.raises(TypeError, match="on_paid must be a plain function"):
        checkout(on_paid=on_paid)


def test_what_an_async_function_returns_is_neither_delivery_nor_look_up() -> None:
    async def coroutine() -> str:
        return "committed"

    lines: list[str] = []
    store = MemoryStore()
    shop = checkout(store=store, on_paid=lambda *_: coroutine(), lines=lines)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).is_paid
    assert store.due[ORDER.id]  # not delivered: sweep calls it again
    assert any("on_paid must be a plain function" in line for line in lines)

    service = FakeService()
    service.status = "unheard_of"
    unclear = checkout(service, lines=lines)
    unclear.issue_key(ORDER, SENDER)
    assert unclear.pay(ORDER, POSTED, SENDER).status is Status.NOT_CERTAIN
    look_up: Any = lambda *_: coroutine()  # noqa: E731
    assert unclear.sweep(look_up)[0].left == "look_up"
    assert any("look_up must be a plain function" in line for line in lines)


def test_a_store_that_is_slower_than_the_claim_keeps_no_order_from_delivery() -> None:
    class Slow(MemoryStore):
        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            if '"tries": 1' in value or '"tries": 2' in value:
                shop._clock.sleep(61)
            return super().write(order_id, value, version, due)

    tries: list[int] = []
    shop = checkout(store=Slow(), on_paid=lambda _, outcome: tries.append(outcome.tries))
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).is_paid
    assert tries == [3]  # the third claim, of the same call


@pytest.mark.parametrize(
    ("answer", "seconds", "times"),
    [
        (False, 0, 20),  # a lost race
        (OSError(), 0, 20),
        (False, 4, 3),
        (OSError(), 4, 3),  # the driver gives up
        (OSError(), 5, 2),
        (OSError(), 60, 1),
    ],
)
def test_writes_that_do_not_succeed_end_after_10_s_or_20_times(
    answer: Any, seconds: int, times: int
) -> None:
    class Blocked(MemoryStore):
        writes = 0

        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            self.writes += 1
            shop._clock.sleep(seconds)
            if isinstance(answer, Exception):
                raise answer
            return False

    store = Blocked()
    shop = checkout(store=store)
    assert shop.issue_key(ORDER, SENDER) == NoKey()
    assert store.writes == times


@pytest.mark.parametrize("call", ["issue_key", "outcome", "pay nothing"])
def test_a_read_that_fails_once_is_tried_again(call: str) -> None:
    class Failing(MemoryStore):
        left = 0

        def read(self, order_id: str) -> Optional[Entry]:
            self.left -= 1
            if self.left >= 0:
                raise OSError("the database has gone")
            return super().read(order_id)

    answers: list[object] = []
    for failures in (0, 1):
        store = Failing()
        shop = checkout(store=store)
        shop.issue_key(ORDER, SENDER)
        store.left = failures
        if call == "issue_key":
            answers.append(type(shop.issue_key(ORDER, SENDER)))
        elif call == "outcome":
            answers.append(shop.outcome(ORDER.id).status)
        else:
            answers.append(shop.pay(ORDER, "", SENDER).status)
    assert answers[0] == answers[1]
    assert answers[0] not in (NoKey, Status.NOT_CERTAIN)


def paying(entry: Entry, started_at: int) -> Entry:
    """The stored order, while an attempt is under way."""
    order = json.loads(entry.value)
    attempt = {"token": str(started_at), "keyId": "cek_1", "startedAt": started_at}
    order.update(state="paying", sent=True, intentId="pi_card_1", attempt=attempt)
    return Entry(json.dumps(order), entry.version)


def test_who_waits_for_an_attempt_waits_anew_for_the_next_one() -> None:
    class TwoAttempts(MemoryStore):
        begin = 0

        def read(self, order_id: str) -> Optional[Entry]:
            entry = super().read(order_id)
            passed = shop._clock.now_ms() - self.begin
            if entry is None or not self.begin or passed >= 60_000:
                return entry
            return paying(entry, self.begin + (30_000 if passed >= 30_000 else 0))

    store = TwoAttempts()
    shop = checkout(store=store)
    shop.issue_key(ORDER, SENDER)
    store.begin = shop._clock.now_ms()
    assert shop.outcome(ORDER.id).status is Status.OPEN


@pytest.mark.parametrize("paid", [True, False])
def test_a_page_that_asks_for_a_key_just_before_another_begins_to_pay_waits(paid: bool) -> None:
    class Paying(MemoryStore):
        since: Optional[int] = None

        def read(self, order_id: str) -> Optional[Entry]:
            entry = super().read(order_id)
            if entry is None or self.since is None:
                return entry
            order = json.loads(entry.value)
            if shop._clock.now_ms() < self.since + 2000:
                attempt = {"token": "t", "keyId": "cek_1", "startedAt": self.since}
                order.update(state="paying", sent=True, intentId="pi_card_1", attempt=attempt)
            elif paid:
                order.update(state="paid", paid="committed", sent=True, intentId="pi_card_1")
            return Entry(json.dumps(order), entry.version)

    class Service(FakeService):
        def create_encryption_key(self) -> EncryptionKey:
            if self.keys == 1:
                store.since = shop._clock.now_ms()
            return super().create_encryption_key()

    store = Paying()
    shop = checkout(service=Service(), store=store)
    shop.issue_key(ORDER, SENDER)
    second = shop.issue_key(ORDER, SENDER)
    assert isinstance(second, Outcome if paid else IssuedKey)
    if isinstance(second, Outcome):
        assert second.status is Status.COMMITTED


def test_a_claim_that_ends_later_than_any_can_is_made_anew() -> None:
    tries: list[int] = []

    def on_paid(_: PaidOrder, outcome: PaidOutcome) -> None:
        tries.append(outcome.tries)
        if outcome.tries == 1:
            raise OSError("the mail server")

    shop = checkout(on_paid=on_paid)
    shop.issue_key(ORDER, SENDER)
    shop.pay(ORDER, POSTED, SENDER)
    shop._clock.sleep(-3570)  # it was ahead, and is set right
    shop.outcome(ORDER.id)
    assert tries == [1]  # the claim may be one of an hour
    shop._clock.sleep(-1)
    shop.outcome(ORDER.id)
    assert tries == [1, 2]


def test_a_slow_store_is_written_to_once_and_what_became_of_that_write_is_read() -> None:
    class Slow(MemoryStore):
        def read(self, order_id: str) -> Optional[Entry]:
            shop._clock.sleep(10)
            return super().read(order_id)

        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            super().write(order_id, value, version, due)
            raise OSError

    shop = checkout(store=Slow())
    assert isinstance(shop.issue_key(ORDER, SENDER), IssuedKey)


@pytest.mark.parametrize(
    ("posted", "why"),
    [
        (None, "no field encrypted_card was posted"),
        (b"", "no field encrypted_card was posted"),
        (b"4242", "the body is no block"),
    ],
)
def test_a_line_says_whether_nothing_was_posted_or_what_is_no_block(posted: object, why: str) -> None:
    lines: list[str] = []
    outcome = checkout(lines=lines).pay(ORDER, posted, SENDER)
    assert outcome.status is Status.INVALID_ENCRYPTED_CARD
    assert 'order "order-1": ' + why in lines[-1]


def test_ten_declines_end_an_order() -> None:
    service = FakeService()
    service.status = "failed"
    lines: list[str] = []
    shop = checkout(service, lines=lines)
    for count in range(1, 11):
        shop._clock.sleep(60)
        shop.issue_key(ORDER, SENDER)
        posted = POSTED.replace(b"cek_1", b"cek_%d" % count)
        assert shop.pay(ORDER, posted, None).status is Status.FAILED
    shop._clock.sleep(60)
    asked = len(service.asked)
    refused = shop.issue_key(ORDER, SENDER)
    assert getattr(refused, "status", None) is Status.FAILED
    assert len(service.asked) == asked
    assert len([line for line in lines if line.startswith("10 cards of order")]) == 1
    assert shop.withdraw(ORDER).status is Status.NO_ORDER  # staff let an honest shopper go on


class RefusingService(FakeService):
    """An error about the key of each block."""

    def authorize(self, *_: object, **__: object) -> Intent:
        self.asked.append("authorize")
        code = EncryptionErrorCode.ENCRYPTION_KEY_EXPIRED
        raise CardPaymentsError("", Recovery.RESTART_CHECKOUT, 422, code)


def test_many_declines_of_one_sender_end_before_the_service_is_asked() -> None:
    service = FakeService()
    service.status = "failed"
    shop = checkout(service)
    for count in range(1, 12):
        order = Order("order-%d" % count, ORDER.amount, ORDER.currency)
        shop.issue_key(order, SENDER)
        shop.pay(order, POSTED.replace(b"cek_1", b"cek_%d" % count), SENDER)
    assert service.asked.count("authorize") == 10


def test_blocks_that_the_service_refuses_count_as_declines_of_their_sender() -> None:
    service = RefusingService()
    shop = checkout(service)
    for count in range(1, 12):
        order = Order("order-%d" % ((count + 1) // 2), ORDER.amount, ORDER.currency)
        shop.issue_key(order, SENDER)
        outcome = shop.pay(order, POSTED.replace(b"cek_1", b"cek_%d" % count), SENDER)
        is_second = count % 2 == 0  # of its order: it counts, too
        expected = Status.NOT_CERTAIN if is_second else Status.RETRY_IS_SAFE
        assert outcome.status is (expected if count <= 10 else Status.NOT_PAID)
    assert service.asked.count("authorize") == 10


def test_a_sweep_delivers_what_is_paid_before_it_looks_anything_up() -> None:
    events: list[str] = []

    def on_paid(order: PaidOrder, outcome: PaidOutcome) -> None:
        events.append("deliver " + order.id)
        if outcome.tries == 1:
            raise RuntimeError

    def look_up(_intent_id: str, order_id: str) -> str:
        events.append("look up " + order_id)
        raise RuntimeError

    service = FakeService()
    shop = checkout(service, on_paid=on_paid)
    pay_uncertain(shop, service, "order-1")
    service.status = "committed"
    pay_as(shop, service, "order-2")
    shop._clock.sleep(200)
    events.clear()
    shop.sweep(look_up)
    assert events == ["deliver order-2", "look up order-1"]


def test_a_sweep_asks_no_more_after_three_look_ups_in_a_row_without_an_answer() -> None:
    asked: list[str] = []

    def look_up(_intent_id: str, order_id: str) -> str:
        asked.append(order_id)
        if order_id == "c":
            return "unknown"
        raise RuntimeError

    service = FakeService()
    shop = checkout(service)
    for order_id in "abcdefgh":
        pay_uncertain(shop, service, order_id)
    assert [one.left for one in shop.sweep(look_up)] == ["look_up"] * 8
    assert asked == list("abcdef")  # the answer of c counts
    asked.clear()
    shop._clock.sleep(0.003)
    shop.sweep(look_up)
    assert asked == list("def")  # each time from another place on


@pytest.mark.parametrize(
    ("error", "status", "left", "described"),
    [
        (OSError("SECRET"), "not_certain", "wait", "OSError"),
        (StoreContractError("what to change"), "not_certain", "wait", "what to change"),
        (UnreadableOrder(), "unreadable", "repair", "its stored value is damaged"),
        (ForeignOrder("another order"), "unreadable", "repair", "another order"),
    ],
)
def test_a_sweep_says_wait_if_the_store_fails_and_repair_if_the_value_is_damaged(
    error: Exception, status: str, left: str, described: str
) -> None:
    class Failing(MemoryStore):
        fails = False

        def read(self, order_id: str) -> Optional[Entry]:
            if self.fails:
                raise error
            return super().read(order_id)

    service, store = FakeService(), Failing()
    lines: list[str] = []
    shop = checkout(service, store=store, lines=lines)
    pay_uncertain(shop, service, ORDER.id)
    store.fails = True
    assert shop.sweep() == [SweptOrder(ORDER.id, None, status, left)]
    assert lines[-1].startswith('Sweep: order "order-1": ' + described)
    assert "SECRET" not in lines[-1]


def test_a_sweep_ends_if_the_store_lists_the_same_orders_again() -> None:
    class WithoutAfter(MemoryStore):
        def list_due(self, limit: int, after: str = "") -> list[ListedOrder]:
            return super().list_due(limit) * limit  # as many as may come

    service, store = FakeService(), WithoutAfter()
    shop = checkout(service, store=store)
    pay_uncertain(shop, service, ORDER.id)
    with pytest.raises(StoreContractError, match="after `after`"):
        shop.sweep()


def pay_uncertain(shop: Checkout, service: FakeService, order_id: str) -> None:
    service.status = "processing"
    pay_as(shop, service, order_id)


def pay_as(shop: Checkout, service: FakeService, order_id: str) -> None:
    order = Order(order_id, ORDER.amount, ORDER.currency)
    shop.issue_key(order, SENDER)
    posted = POSTED.replace(b"cek_1", b"cek_%d" % service.keys)
    shop.pay(order, posted, SENDER)


def test_a_sweep_settles_what_a_look_up_finds() -> None:
    service = FakeService()
    service.status = "a word of tomorrow"
    shop = checkout(service)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).status is Status.NOT_CERTAIN
    assert [one.left for one in shop.sweep()] == ["look_up"]
    assert [one.left for one in shop.sweep(lambda *_: "created")] == ["cancel"]
    assert shop.outcome(ORDER.id).status is Status.OPEN
    assert [one.left for one in shop.sweep(lambda *_: "committed")] == ["nothing"]
    assert shop.outcome(ORDER.id).status is Status.COMMITTED
    assert shop.sweep() == []


def test_nothing_is_sent_under_a_draft_with_another_capture_method() -> None:
    service = FakeService()
    shop = checkout(service)
    order = Order("order-1", 2490, "USD", capture_method=CaptureMethod.MANUAL)
    shop.issue_key(order, SENDER)  # the service makes "automatic" of it
    assert shop.pay(order, POSTED, SENDER).status is Status.NOT_PAID
    assert "authorize" not in service.asked


def test_a_response_about_another_amount_says_nothing() -> None:
    service = FakeService()
    service.amount = 1
    shop = checkout(service)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).status is Status.NOT_CERTAIN


@pytest.mark.parametrize(
    ("failures", "status"),
    [(1, Status.COMMITTED), (10, Status.COMMITTED), (100, Status.NOT_CERTAIN)],
)
def test_a_store_that_fails_after_the_charge_is_asked_again(failures: int, status: Status) -> None:
    class Failing(MemoryStore):
        left = failures

        def fail(self) -> None:
            if "authorize" in service.asked and self.left > 0:
                self.left -= 1
                raise OSError("the database has gone")

        def read(self, order_id: str) -> Any:
            self.fail()
            return super().read(order_id)

        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            self.fail()
            return super().write(order_id, value, version, due)

    lines: list[str] = []
    service = FakeService()
    shop = checkout(service, store=Failing(), lines=lines)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).status is status
    line = 'Answer not stored: order "order-1", intent "pi_card_1", status "committed"'
    assert (line in lines) is (status is Status.NOT_CERTAIN)


def test_an_order_that_was_withdrawn_gets_no_key_and_sends_no_block() -> None:
    service, store = FakeService(), MemoryStore()
    lines: list[str] = []
    shop = checkout(service, store=store, lines=lines)
    shop.issue_key(ORDER, SENDER)
    assert shop.withdraw(ORDER) == Outcome(Status.NO_ORDER)
    assert not store.due[ORDER.id]  # nothing is left for sweep

    asked = list(service.asked)
    assert shop.issue_key(ORDER, SENDER) == Outcome(Status.NO_ORDER)
    assert shop.pay(ORDER, POSTED, SENDER) == Outcome(Status.NOT_PAID)
    assert lines[-1].endswith("or is for another price, or the order was withdrawn")
    other = POSTED.replace(b"cek_1", b"cek_2")
    assert shop.pay(ORDER, other, SENDER) == Outcome(Status.NO_ORDER, key_id="cek_2")
    assert service.asked == asked
    assert shop.outcome(ORDER.id) == Outcome(Status.NO_ORDER)
    assert shop.withdraw(ORDER) == Outcome(Status.NO_ORDER)


def test_an_order_can_be_withdrawn_before_the_store_has_it() -> None:
    store = MemoryStore()
    shop = checkout(store=store)
    assert shop.withdraw(ORDER) == Outcome(Status.NO_ORDER)
    assert json.loads(store.entries[ORDER.id].value)["id"] == ORDER.id
    assert shop.issue_key(ORDER, SENDER) == Outcome(Status.NO_ORDER)


def test_an_order_is_withdrawn_after_a_decline_whose_text_stays_true() -> None:
    service = FakeService()
    service.status = "failed"
    shop = checkout(service)
    shop.issue_key(ORDER, SENDER)
    declined = Outcome(Status.FAILED, reason="card_declined")
    assert shop.pay(ORDER, POSTED, SENDER) == declined
    assert shop.withdraw(ORDER) == Outcome(Status.NO_ORDER)
    assert shop.pay(ORDER, POSTED, SENDER) == declined


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("committed", Outcome(Status.COMMITTED, reference="pi_card_1")),
        ("processing", Outcome(Status.NOT_CERTAIN, order=ORDER.id)),
    ],
)
def test_an_order_that_is_paid_or_may_be_is_not_withdrawn(status: str, outcome: Outcome) -> None:
    service, store = FakeService(), MemoryStore()
    service.status = status
    shop = checkout(service, store=store)
    shop.issue_key(ORDER, SENDER)
    shop.pay(ORDER, POSTED, SENDER)
    before = store.entries[ORDER.id]
    assert shop.withdraw(ORDER) == outcome
    assert store.entries[ORDER.id] == before


def test_an_order_that_may_have_been_charged_before_a_key_error_is_not_withdrawn() -> None:
    shop = checkout(RefusingService())
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER) == Outcome(Status.RETRY_IS_SAFE)
    assert shop.withdraw(ORDER) == Outcome(Status.OPEN, last=LastTry.RETRY_IS_SAFE)
    assert isinstance(shop.issue_key(ORDER, SENDER), IssuedKey)


def test_a_payment_that_waits_for_its_draft_sends_nothing_once_its_order_is_withdrawn() -> None:
    class Service(FakeService):
        withdrawn: Optional[Outcome] = None

        def create_intent(self, *arguments: Any, **more: Any) -> Intent:
            assert shop.outcome(ORDER.id) == Outcome(Status.OPEN)  # only how it stands
            self.withdrawn = shop.withdraw(ORDER)
            return super().create_intent(*arguments, **more)

    service = Service()
    shop = checkout(service)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER) == Outcome(Status.NOT_PAID)
    assert service.withdrawn == Outcome(Status.NO_ORDER)
    assert "authorize" not in service.asked


def test_an_order_is_withdrawn_once_the_card_of_a_payment_under_way_is_declined() -> None:
    class Paying(MemoryStore):
        since: Optional[int] = None

        def read(self, order_id: str) -> Optional[Entry]:
            entry = super().read(order_id)
            if entry is None or self.since is None or shop._clock.now_ms() >= self.since + 2000:
                return entry
            return paying(entry, self.since)

    store = Paying()
    shop = checkout(store=store)
    shop.issue_key(ORDER, SENDER)
    store.since = shop._clock.now_ms()
    assert shop.withdraw(ORDER) == Outcome(Status.NO_ORDER)


def test_an_order_is_not_withdrawn_during_a_payment() -> None:
    class Service(FakeService):
        withdrawn: Optional[Outcome] = None

        def authorize(self, *arguments: Any, **more: Any) -> Intent:
            self.withdrawn = shop.withdraw(ORDER)
            return super().authorize(*arguments, **more)

    service = Service()
    shop = checkout(service)
    shop.issue_key(ORDER, SENDER)
    assert shop.pay(ORDER, POSTED, SENDER).is_paid
    assert service.withdrawn == Outcome(Status.NOT_CERTAIN, order=ORDER.id)


def test_an_order_is_not_certain_to_be_withdrawn_if_the_store_fails() -> None:
    class Failing(MemoryStore):
        fails = False

        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            if self.fails:
                raise OSError("SECRET")
            return super().write(order_id, value, version, due)

    store = Failing()
    lines: list[str] = []
    shop = checkout(store=store, lines=lines)
    shop.issue_key(ORDER, SENDER)
    store.fails = True
    assert shop.withdraw(ORDER) == Outcome(Status.NOT_CERTAIN, order=ORDER.id)
    assert lines[-1].startswith('The store failed: order "order-1": ')
    assert "SECRET" not in "".join(lines)
    store.fails = False
    assert shop.pay(ORDER, POSTED, SENDER).is_paid  # it goes on


def test_an_order_is_withdrawn_although_the_answer_of_the_write_was_lost() -> None:
    class Losing(MemoryStore):
        def write(self, order_id: str, value: str, version: int, due: bool = True) -> bool:
            super().write(order_id, value, version, due)
            raise OSError

    assert checkout(store=Losing()).withdraw(ORDER) == Outcome(Status.NO_ORDER)


def test_staff_settle_an_order_whose_value_is_damaged() -> None:
    store = MemoryStore()
    store.write(ORDER.id, '{"state":"pay', 0)
    lines: list[str] = []
    shop = checkout(store=store, lines=lines)
    assert shop.outcome(ORDER.id).status is Status.NOT_CERTAIN
    assert "stored value is damaged" in lines[-1]
    assert shop.resolve(ORDER, "pi_card_1", Resolution.COMMITTED).is_paid
    assert json.loads(store.entries[ORDER.id].value)["intentId"] == "pi_card_1"


def test_another_orders_value_is_refused() -> None:
    store = MemoryStore()
    shop = checkout(store=store)
    shop.issue_key(ORDER, SENDER)
    store.entries["ORDER-1"] = store.entries["order-1"]
    lines: list[str] = []
    other = checkout(store=store, lines=lines)
    assert other.outcome("ORDER-1").status is Status.NOT_CERTAIN
    assert 'the value of order "order-1"' in lines[-1]


def test_a_write_that_does_not_say_true_or_false_is_an_error() -> None:
    class Counting(MemoryStore):
        def write(self, *arguments: object) -> bool:
            super().write(*arguments)  # type: ignore[arg-type]
            return 1  # type: ignore[return-value]

    with pytest.raises(StoreContractError):
        checkout(store=Counting()).issue_key(ORDER, SENDER)


def test_a_table_that_takes_two_ids_for_one_is_an_error_at_once(tmp_path: Path) -> None:
    path = "%s/orders.sqlite" % tmp_path
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE cardseal_orders (id text COLLATE NOCASE PRIMARY KEY, value text NOT NULL,"
        " version integer NOT NULL, due integer NOT NULL DEFAULT 1,"
        " changed text NOT NULL DEFAULT CURRENT_TIMESTAMP)"
    )
    connection.commit()
    connection.close()
    shop = checkout(store=sqlite_store(path))
    shop.issue_key(Order("a", 1000, "USD"), SENDER)
    with pytest.raises(StoreContractError, match="takes two ids for one"):
        shop.issue_key(Order("A", 1000, "USD"), SENDER)


def test_an_id_forges_no_line() -> None:
    lines: list[str] = []
    shop = checkout(lines=lines)
    shop.pay(Order("a\nPayment certain", 1, "USD"), b"{}", SENDER)
    assert lines and not any("\n" in line for line in lines)


@pytest.mark.parametrize(
    "address, sender",
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("10.1.2.3", None),
        ("127.0.0.1", None),
        ("fe80::1%eth0", None),
        ("::1", None),
        ("unknown", None),
        (None, None),
    ],
)
def test_a_sender(address: str, sender: str) -> None:
    assert sender_of(address) == sender


def test_one_sender_does_not_use_up_the_keys_of_others() -> None:
    shop = checkout()
    for count in range(300):
        shop.issue_key(Order("bot-%d" % count, 1, "USD"), "198.51.100.1")
    for count in range(40):
        order = Order("shopper-%d" % count, 1, "USD")
        assert hasattr(shop.issue_key(order, "192.0.2.%d" % count), "key")


def test_nobody_waits_for_a_clock_that_was_set_back() -> None:
    keys, declines = KeyLimits(10), DeclineLimits()
    before, later = 1_800_000_000_000, 1_800_003_600_000
    for _ in range(6):
        assert keys.take("order-1", SENDER, later) == 0
    for count in range(100):
        keys.take("other-%d" % count, None, later)
    assert keys.take("order-1", SENDER, later) > 0
    assert [keys.take("order-1", SENDER, before) for _ in range(6)] == [0] * 6
    assert keys.take("order-1", SENDER, before) > 0
    assert [declines.begin(SENDER, later) for _ in range(11)] == [True] * 10 + [False]
    assert declines.begin(SENDER, before)


def test_orders_survive_a_restart(tmp_path: object) -> None:
    path = "%s/orders.sqlite" % tmp_path
    first = checkout(store=sqlite_store(path))
    first.issue_key(ORDER, SENDER)
    first.pay(ORDER, POSTED, SENDER)
    assert checkout(store=sqlite_store(path)).outcome(ORDER.id).is_paid
