"""One payment, one charge, one delivery: does what ``decide.py`` says."""

from __future__ import annotations

import inspect
import secrets
import urllib.parse
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Protocol, Union

from .card_payments import CaptureMethod, CardPaymentsError, EncryptionKey, Intent
from .clock import Clock, SystemClock
from .decide import (
    NOT_CERTAIN,
    Decider,
    Decision,
    Failure,
    IntentResponse,
    NewAttempt,
    Next,
    ServiceAnswer,
    State,
    StoredOrder,
    has_too_many_declines,
    is_due,
    on_answer,
    on_block,
    on_deliver,
    on_delivered,
    on_key_arrived,
    on_key_requested,
    on_look_up,
    on_no_block,
    on_refusal,
    on_resolve,
    on_resolve_unreadable,
    on_withdraw,
    outcome_of,
    question_of,
)
from .encrypted_card import BrowserKey, EncryptedCard, browser_key, read_encrypted_card
from .limits import DeclineLimits, KeyLimits, TryEnd, sender_of
from .log import Log, Problem, described, log, quoted, safe
from .order import Order, Outcome, Resolution, Status
from .orders import Orders
from .stored_value import ForeignOrder, UnreadableOrder, read_value
from .stores import ListedOrder, OrderStore, StoreContractError
from .within import within

# A draft takes a service that is there less than a second. Nothing was sent before it.
_DRAFT_LIMIT_S = 10.0
# How long on_paid is waited for: less than its claim lasts.
_DELIVERY_LIMIT_S = 20.0
# How many orders sweep reads at once.
_SWEPT_AT_ONCE = 100
# After so many look-ups in a row without an answer, a sweep asks for no more.
_MOST_UNANSWERED = 3
# The service's reasons are a few words.
_LONGEST_REASON = 200


class PaymentsClient(Protocol):
    """The part of ``CardPayments`` that the checkout uses. A wrapper of it works, too."""

    timeout_s: float

    def create_encryption_key(self) -> EncryptionKey: ...

    def create_intent(
        self,
        amount: int,
        currency: str,
        capture_method: Optional[CaptureMethod] = None,
        description: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout_s: Optional[float] = None,
    ) -> Intent: ...

    def authorize(
        self, intent_id: str, card: EncryptedCard, idempotency_key: Optional[str] = None
    ) -> Intent: ...


@dataclass(frozen=True)
class PaidOrder:
    """An order that is paid, as it was stored. ``amount`` is in minor units."""

    id: str
    amount: int
    currency: str


@dataclass(frozen=True)
class PaidOutcome:
    """How it was paid.

    - ``reference``: the id of the intent, the same whenever ``on_paid`` is repeated.
    - ``tries``: how often the delivery was claimed. After a crash, the first call may have more
      than 1.
    """

    status: Status
    reference: str
    tries: int


#: Delivers a paid order. A plain function: nothing awaits an ``async def``.
OnPaid = Callable[[PaidOrder, PaidOutcome], None]


@dataclass(frozen=True)
class IssuedKey:
    """A key for the form of an order. ``outcome`` says what became of the last try."""

    key: BrowserKey
    order: str
    outcome: Outcome


@dataclass(frozen=True)
class TooMany:
    """Too many requests. ``retry_after`` is in seconds, for the header ``Retry-After``."""

    retry_after: int


@dataclass(frozen=True)
class NoKey:
    """No key: the service or the store has failed. The log says which."""


@dataclass(frozen=True)
class SweptOrder:
    """An order that needed a look.

    - ``intent``: the intent that is, or may have been, charged.
    - ``status``: how the order stands now; ``unreadable`` if its stored value is damaged, or
      another order's.
    - ``left``: what is left to do. ``nothing``; ``wait`` (a payment or a delivery is under way or
      is repeated later, or the store has failed); ``cancel`` (the intent is still ``created``: the
      shopper can try again; to close the order, cancel the intent: the next sweep finds that);
      ``look_up`` (look the intent up in the service's records, and call ``resolve``); ``repair``
      (see the log).
    """

    order: str
    intent: Optional[str]
    status: str
    left: str


#: Asks the service, or its records, for the ``status`` of an intent: (intent id, order id). A plain
#: function, too.
LookUp = Callable[[str, str], str]


@dataclass
class _Asking:
    """The look-ups of one sweep. ``unanswered``: how many of the last, in a row, got no answer."""

    look_up: Optional[LookUp]
    unanswered: int = 0


class Checkout:
    """One payment, one charge, one delivery. One object serves all threads::

        checkout = Checkout(
            CardPayments(base_url, secret_key), sqlite_store("/var/lib/shop/orders.sqlite")
        )
    """

    def __init__(
        self,
        payments: PaymentsClient,
        store: OrderStore,
        on_paid: Optional[OnPaid] = None,
        keys_per_second: float = 10,
        log: Log = log,
        clock: Optional[Clock] = None,
    ) -> None:
        """``payments``: a ``CardPayments``. ``store``: see ``OrderStore``.

        ``on_paid`` sends the mail, tells the warehouse. It is called once if nothing crashes; and
        again, from any process that sees the order, until it has returned once. So let
        ``outcome.reference`` be the idempotency key of whatever it does. A call may take 20 s.
        It runs in a thread of its own: it has no context of the request, and what it opens for
        the thread, such as a connection of Django, it closes.

        ``keys_per_second``: how many keys a second all shoppers of this process may request
        when they have used up what they may request at once: docs/production.md#bots.
        ``log`` gets a line for each event that needs a look.

        Raises ``TypeError`` if ``on_paid`` is an ``async def``.
        """
        if on_paid is not None and inspect.iscoroutinefunction(on_paid):
            raise TypeError(_ASYNC % "on_paid")
        self._payments = payments
        self._store = store
        self._on_paid = on_paid
        self._log = safe(log)
        self._clock = clock or SystemClock()
        # After this time an attempt has its answer, unless its process has ended or the store is
        # slow.
        self._limit_ms = int(payments.timeout_s * 1000) + 5000
        self._orders = Orders(store, self._limit_ms, self._log, self._clock)
        self._keys = KeyLimits(keys_per_second)
        self._declines = DeclineLimits()
        self._has_told_of_sender = False

    def issue_key(
        self, order: Order, sender: Optional[str] = None
    ) -> Union[IssuedKey, Outcome, TooMany, NoKey]:
        """A fresh key for the form of an order. An ``Outcome`` means: show it, and no form.

        ``sender``: the address of the client, as your own outermost proxy saw it. One sender
        cannot use up what others need.

        Raises ``StoreContractError`` if the store does not do what it must.
        """
        retry_after = self._keys.take(order.id, self._read_sender(sender), self._clock.now_ms())
        if retry_after > 0:
            return TooMany(retry_after)
        try:
            return self._outcome_instead_of_key(order) or self._key_for(order)
        except StoreContractError:
            raise
        except Exception as error:
            self._log("No key for order %s: %s" % (quoted(order.id), described(error)))
            return NoKey()

    def _key_for(self, order: Order) -> Union[IssuedKey, Outcome, NoKey]:
        try:
            key = self._payments.create_encryption_key()
            public = browser_key(key.as_json())
        except Exception as error:
            self._log("No key for order %s: %s" % (quoted(order.id), described(error)))
            return self._outcome_instead_of_key(order) or NoKey()
        while True:
            decision = self._orders.change(
                order.id, lambda stored: on_key_arrived(stored, order, key.id, key.expires_at)
            )
            if decision.outcome is None:
                return IssuedKey(public, order.id, outcome_of(decision.order))
            # Another page has begun to pay meanwhile. If its card is declined, the key is of use.
            instead = self._outcome_instead_of_key(order)
            if instead is not None:
                return instead

    def _outcome_instead_of_key(self, order: Order) -> Optional[Outcome]:
        """What a page gets that needs no key; None if it needs one."""
        stored = self._read_settled(order.id)
        decision = on_key_requested(stored, order)
        if decision.outcome is None:
            return None
        return self._no_key(order.id, stored, decision.outcome)

    def _no_key(self, order_id: str, stored: Optional[StoredOrder], outcome: Outcome) -> Outcome:
        # Something was sent for another amount: nobody can pay until staff have settled it.
        is_uncertain = outcome.status is Status.NOT_CERTAIN
        if is_uncertain and stored is not None and stored.state is State.OPEN:
            self._log_uncertain(order_id, stored.intent_id)
        if outcome.is_paid:
            self._deliver(order_id, _random_id())
        return _named(order_id, outcome)

    def pay(self, order: Order, posted: object, sender: Optional[str] = None) -> Outcome:
        """Pay an order with the block that a browser has posted.

        ``posted``: the text of the body, or the value of the form field ``encrypted_card``. It
        waits for ``on_paid``, at most 20 s, and returns the outcome whatever becomes of that.
        Nothing that a browser can send makes it raise.
        """
        known = self._read_sender(sender)
        token = _random_id()
        try:
            card = read_encrypted_card(posted)
            if card is None:
                outcome = self._pay_without_block(order.id, posted)
            else:
                outcome = self._pay_with(order, card, known, token)
            if outcome.is_paid:
                self._deliver(order.id, token)
            return _named(order.id, outcome)
        except Exception as error:
            self._log(
                "Payment not certain, the store failed: order %s: %s. "
                "If a card was sent, sweep finds the order" % (quoted(order.id), described(error))
            )
            return _named(order.id, NOT_CERTAIN)

    def _pay_without_block(self, order_id: str, posted: object) -> Outcome:
        stored = self._orders.read(order_id)
        outcome = on_no_block(stored, self._clock.now_ms(), self._limit_ms)
        if outcome.status is Status.INVALID_ENCRYPTED_CARD:
            problem = _NO_BLOCK if posted else _NOTHING_POSTED
            self._log("Refused: invalid_encrypted_card: order %s: %s" % (quoted(order_id), problem))
        return outcome

    def _pay_with(
        self, order: Order, card: EncryptedCard, sender: Optional[str], token: str
    ) -> Outcome:
        if not self._declines.begin(sender, self._clock.now_ms()):
            self._log(
                "Block not sent: order %s: too many cards of the sender %s were declined or refused"
                % (quoted(order.id), quoted(sender or ""))
            )
            return self._refuse(order.id, card.key_id)
        end = TryEnd.OTHER
        try:
            outcome, end = self._attempt(order, card, token)
            return outcome
        finally:
            if self._declines.end(sender, end, self._clock.now_ms()):
                self._log(
                    "More cards are declined than paid: somebody may be testing stolen cards"
                )

    def _attempt(self, order: Order, card: EncryptedCard, token: str) -> tuple[Outcome, TryEnd]:
        attempt = NewAttempt(token, card.key_id, order, self._clock.now_ms())
        while True:
            attempt = replace(attempt, now=self._clock.now_ms())
            current = attempt
            decision = self._orders.change(order.id, lambda stored: on_block(stored, current))
            if decision.next is Next.ANSWER and decision.outcome is not None:
                self._log_refusal(order.id, card.key_id, decision.outcome)
                return decision.outcome, TryEnd.OTHER
            if decision.next is Next.AUTHORIZE and decision.intent_id is not None:
                return self._authorize(order.id, decision.intent_id, card, token)
            if decision.next is Next.WAIT:
                stored = self._read_settled(order.id)
                if stored is not None and stored.state is State.PAYING:
                    return outcome_of(stored), TryEnd.OTHER
            if decision.next is Next.CREATE_INTENT:
                draft_id = self._create_draft(order)
                if draft_id is None:
                    return self._refuse(order.id, card.key_id), TryEnd.OTHER
                attempt = replace(attempt, draft_id=draft_id)

    def _refuse(self, order_id: str, key_id: str) -> Outcome:
        """Marks the block as never to be sent."""
        self._read_settled(order_id)  # the same block may have come twice
        return self._orders.change(order_id, lambda stored: on_refusal(stored, key_id)).outcome

    def _create_draft(self, order: Order) -> Optional[str]:
        """The id of a new intent. None if there is none: nothing was sent."""
        try:
            draft = self._payments.create_intent(
                order.amount,
                order.currency,
                capture_method=order.capture_method,
                description=order.description,
                idempotency_key=_random_id(),
                timeout_s=_DRAFT_LIMIT_S,
            )
            # O16: a draft is used only if it is for what was asked.
            if draft.amount != order.amount:
                raise Problem("it made a draft for another amount")
            if draft.currency != order.currency:
                raise Problem(
                    "it made a draft in another currency: "
                    "write the currency as the service does, such as USD"
                )
            if draft.capture_method is not order.capture_method:
                raise Problem("it made a draft with another capture_method")
            return draft.id
        except Exception as error:
            self._log(
                "Block not sent: order %s: no draft from the service: %s"
                % (quoted(order.id), described(error))
            )
            return None

    def _authorize(
        self, order_id: str, intent_id: str, card: EncryptedCard, token: str
    ) -> tuple[Outcome, TryEnd]:
        answer = self._ask_to_authorize(intent_id, card)
        decider = self._decider(token)
        try:
            settled = self._orders.change(
                order_id, lambda stored: on_answer(stored, token, card.key_id, answer, decider)
            )
        except Exception:
            if isinstance(answer, IntentResponse):
                self._log(
                    "Answer not stored: order %s, intent %s, status %s"
                    % (quoted(order_id), quoted(intent_id), quoted(answer.status))
                )
            raise
        self._log_declines(order_id, settled)
        if settled.outcome.status is Status.NOT_CERTAIN:
            self._log_uncertain(order_id, intent_id)
        return settled.outcome, _end_of(answer, settled.outcome)

    def _ask_to_authorize(self, intent_id: str, card: EncryptedCard) -> ServiceAnswer:
        try:
            key = urllib.parse.quote("%s.%s" % (intent_id, card.key_id), safe="")
            intent = self._payments.authorize(intent_id, card, idempotency_key=key)
        except Exception as error:
            self._log("Authorization failed: intent %s: %s" % (quoted(intent_id), described(error)))
            is_key_error = isinstance(error, CardPaymentsError) and error.code is not None
            return Failure.KEY_ERROR if is_key_error else Failure.UNCLEAR
        reason = None if intent.failure_reason is None else intent.failure_reason[:_LONGEST_REASON]
        return IntentResponse(intent.id, intent.status, reason, intent.amount, intent.currency)

    def outcome(self, order_id: str) -> Outcome:
        """How the payment went: for a reload, a receipt, another tab. It delivers what is due."""
        try:
            outcome = outcome_of(self._read_settled(order_id))
            if outcome.is_paid:
                self._deliver(order_id, _random_id())
            return _named(order_id, outcome)
        except Exception as error:
            return self._store_failed(order_id, error)

    def withdraw(self, order: Order) -> Outcome:
        """Give an order up for good: another order, or another way to pay, can take its place.

        Afterwards it gets no key, and no block of it is sent. It waits while a payment of the order
        is under way.

        Returns ``no_order`` if the order is withdrawn. Every other outcome says that it is not: it
        is paid, or may have been, or the store has failed.
        """
        try:
            while True:
                self._read_settled(order.id)  # its card may be declined
                now = self._clock.now_ms()
                decision = self._orders.change(
                    order.id, lambda stored: on_withdraw(stored, order, now, self._limit_ms)
                )
                if not decision.is_to_wait:
                    break
            store = decision.store
            return self.outcome(order.id) if store is None else outcome_of(store)
        except Exception as error:
            return self._store_failed(order.id, error)

    def _store_failed(self, order_id: str, error: Exception) -> Outcome:
        self._log("The store failed: order %s: %s" % (quoted(order_id), described(error)))
        return _named(order_id, NOT_CERTAIN)

    def resolve(
        self, order: Union[str, Order], intent_id: str, resolution: Union[Resolution, str]
    ) -> Outcome:
        """For your staff, after ``not_certain``: what has become of the intent.

        ``order``: its id; the whole order if its stored value is damaged. Raises the error of the
        store, that of a damaged value if only its id was given, and ``ValueError`` if
        ``resolution`` is none. It changes nothing if the order has another intent, is settled, or
        is being paid.
        """
        said = Resolution(resolution)
        decider = self._decider(_random_id())
        order_id = order if isinstance(order, str) else order.id
        repair = None
        if not isinstance(order, str):
            price = order
            repair = lambda: on_resolve_unreadable(price, intent_id, said, decider)  # noqa: E731
        decision = self._orders.change(
            order_id, lambda stored: on_resolve(stored, intent_id, said, decider), repair
        )
        if decision.outcome.is_paid:
            self._deliver(order_id, decider.token)
        return _named(order_id, decision.outcome)

    def sweep(self, look_up: Optional[LookUp] = None) -> list[SweptOrder]:
        """Settle and deliver what can be, and report every order that needed a look.

        Run it every few minutes. It delivers what is paid before it looks anything up. ``look_up``
        says ``committed``, ``authorized``, ``failed`` or ``cancelled`` only if that is final;
        ``created`` opens the order for another try. If it raises, or says another word, nothing is
        concluded. After it has raised three times in a row, this sweep asks no more. Without it,
        paid orders are delivered and the others reported.

        Raises the error of the store, if it cannot list the orders, and ``StoreContractError`` if
        it lists one twice.
        """
        asking = _Asking(look_up)
        swept: list[SweptOrder] = []
        unsettled: list[ListedOrder] = []
        known: set[str] = set()
        after = ""
        while True:
            listed = self._store.list_due(_SWEPT_AT_ONCE, after)
            for one in listed:
                if one.order_id in known:
                    raise StoreContractError(
                        "store.list_due must return only orders that come after `after`"
                    )
                known.add(one.order_id)
                # Last: a service that does not answer must not hold up what is paid.
                if self._is_unsettled(one):
                    unsettled.append(one)
                else:
                    swept.append(self._sweep_one(one, asking))
            if len(listed) < _SWEPT_AT_ONCE:
                break
            after = listed[-1].order_id
        # Each time from another place on: three orders without an answer stop no others.
        first = self._clock.now_ms() % max(1, len(unsettled))
        return swept + [
            self._sweep_one(one, asking) for one in unsettled[first:] + unsettled[:first]
        ]

    def _is_unsettled(self, listed: ListedOrder) -> bool:
        try:
            stored = read_value(listed.value, listed.order_id)
            return question_of(stored, self._decider("")) is not None
        except Exception:
            return False  # _sweep_one reports what cannot be read

    def _sweep_one(self, listed: ListedOrder, asking: _Asking) -> SweptOrder:
        order_id, token = listed.order_id, _random_id()
        try:
            stored = read_value(listed.value, order_id)
            found = self._look_up(order_id, stored, asking, token)
            self._deliver(order_id, token)
            return self._reported(order_id, self._orders.read(order_id), found)
        except Exception as error:
            self._log("Sweep: order %s: %s" % (quoted(order_id), described(error)))
            if isinstance(error, (UnreadableOrder, ForeignOrder)):
                return SweptOrder(order_id, None, "unreadable", "repair")
            return SweptOrder(order_id, None, "not_certain", "wait")  # the store has failed

    def _look_up(
        self, order_id: str, listed: StoredOrder, asking: _Asking, token: str
    ) -> Optional[str]:
        """What the look-up said, if one was needed."""
        decider = self._decider(token)
        question = question_of(listed, decider)
        look_up = asking.look_up
        if question is None or look_up is None or asking.unanswered >= _MOST_UNANSWERED:
            return None
        asked, ask = question, look_up
        try:
            found = within(self._payments.timeout_s, lambda: ask(asked.intent_id, order_id))
            _refuse_awaitable("look_up", found)
            asking.unanswered = 0
        except Exception as error:
            asking.unanswered += 1
            self._log(
                "The look-up of intent %s of order %s failed: %s"
                % (quoted(asked.intent_id), quoted(order_id), described(error))
            )
            return None
        later = replace(decider, now=self._clock.now_ms())
        decision = self._orders.change(
            order_id, lambda stored: on_look_up(stored, asked, found, later)
        )
        self._log_declines(order_id, decision)
        return found

    def _reported(
        self, order_id: str, stored: Optional[StoredOrder], found: Optional[str]
    ) -> SweptOrder:
        status = outcome_of(stored).status.value
        intent = None if stored is None else stored.intent_id
        if stored is None or not is_due(stored):
            return SweptOrder(order_id, intent, status, "nothing")
        if question_of(stored, self._decider("")) is None:
            return SweptOrder(order_id, intent, status, "wait")
        if stored.state is State.OPEN and found == "created":
            return SweptOrder(order_id, intent, status, "cancel")
        self._log_uncertain(order_id, intent)
        return SweptOrder(order_id, intent, status, "look_up")

    def _deliver(self, order_id: str, token: str) -> None:
        """Delivers a paid order, unless it is delivered, or somebody else does it just now.

        It never raises: the next call that sees the order delivers it.
        """
        on_paid = self._on_paid
        if on_paid is None:
            return
        deliver = on_paid
        try:
            decider = self._decider(token)
            decision = self._orders.change(order_id, lambda stored: on_deliver(stored, decider))
            claim, order = decision.claim, decision.order
            if claim is None or order is None or order.paid is None or order.intent_id is None:
                return
            # O12: the store may have been slow. Then somebody else may deliver by now.
            if self._clock.now_ms() > claim.until:
                return self._deliver(order_id, token)
            paid = PaidOrder(order_id, order.amount, order.currency)
            outcome = PaidOutcome(Status(order.paid.value), order.intent_id, claim.tries)

            def call() -> None:
                _refuse_awaitable("on_paid", deliver(paid, outcome))
                self._orders.change(order_id, on_delivered)

            within(_DELIVERY_LIMIT_S, call)
        except Exception as error:
            self._log(
                "Not delivered yet: order %s: %s. on_paid is called again when somebody asks for "
                "the order, or by sweep" % (quoted(order_id), described(error))
            )

    def _read_settled(self, order_id: str) -> Optional[StoredOrder]:
        """Waits while an attempt is under way."""
        stored = self._orders.read_settled(order_id)
        if stored is not None and stored.state is State.PAYING:
            # The process of the attempt may have ended: then it has logged nothing.
            self._log_uncertain(order_id, stored.intent_id)
        return stored

    def _decider(self, token: str) -> Decider:
        has_on_paid = self._on_paid is not None
        return Decider(token, self._clock.now_ms(), self._limit_ms, has_on_paid)

    def _read_sender(self, address: Optional[str]) -> Optional[str]:
        sender = sender_of(address)
        if sender is None and not self._has_told_of_sender:
            self._has_told_of_sender = True
            what = "" if address is None else "the sender is a private address, or none. "
            self._log(
                "No limits by sender: %sGive the address of the client, as your outermost proxy "
                "saw it" % what
            )
        return sender

    def _log_uncertain(self, order_id: str, intent_id: Optional[str]) -> None:
        """For the staff, who look the intent up."""
        self._log(
            "Payment not certain: order %s, intent %s. Find out what became of the intent: "
            "sweep, or resolve" % (quoted(order_id), quoted(intent_id or "none"))
        )

    def _log_declines(self, order_id: str, decision: Decision) -> None:
        """O13: for the staff, when the last card that may be tried is declined."""
        store = decision.store
        if store is None or not has_too_many_declines(store):
            return
        self._log(
            "%d cards of order %s were declined: no more are taken. Look at it, and withdraw it if "
            "the shopper is honest: then another order can begin"
            % (store.declines, quoted(order_id))
        )

    def _log_refusal(self, order_id: str, key_id: str, outcome: Outcome) -> None:
        why = _REFUSALS.get(outcome.status)
        if why:
            self._log("Block not sent: order %s, key %s: %s" % (quoted(order_id), quoted(key_id), why))


_REFUSALS = {
    Status.NOT_PAID: (
        "its key has expired, was used before, or is for another price, or the order was withdrawn"
    ),
    Status.NOT_CERTAIN: "the order is not certain, and nobody has settled it",
    Status.NO_ORDER: (
        "the order has no such key. The session has lost its order, or has begun another one. The "
        "order whose stored value has this key is the one that the shopper means"
    ),
}

_ASYNC = "%s must be a plain function: nothing awaits an async one. Use asyncio.run in it"


def _refuse_awaitable(name: str, returned: object) -> None:
    """A coroutine that nobody awaits has done nothing: it must not count as done."""
    if inspect.isawaitable(returned):
        if inspect.iscoroutine(returned):
            returned.close()
        raise Problem(_ASYNC % name)


_NOTHING_POSTED = (
    "no field encrypted_card was posted: a script has sent the form without a press, or the form is "
    "not bound. See 'The server gets no block' in docs/troubleshooting.md"
)
_NO_BLOCK = (
    "the body is no block, in the text that JSON.stringify writes. Give pay the text that the page "
    "has posted, before a parser or a gateway has changed it"
)


def _end_of(answer: ServiceAnswer, outcome: Outcome) -> TryEnd:
    """How a try ended for its sender. A key error counts, also if it makes the order uncertain."""
    if answer is Failure.KEY_ERROR:
        return TryEnd.REFUSED
    if outcome.status is Status.FAILED:
        return TryEnd.DECLINED
    return TryEnd.PAID if outcome.is_paid else TryEnd.OTHER


def _named(order_id: str, outcome: Outcome) -> Outcome:
    """The shopper needs the order's id to ask about it."""
    is_uncertain = outcome.status is Status.NOT_CERTAIN
    return replace(outcome, order=order_id) if is_uncertain else outcome


def _random_id() -> str:
    return secrets.token_hex(16)
