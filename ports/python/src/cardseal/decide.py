"""The rules of an order: one payment, one charge, one delivery.

This file knows no network and no store. Each function takes what is stored of the order and what
has happened, and returns what to store and what the shopper gets. ``checkout.py`` does what these
functions say. They are the same, name for name and rule for rule, as in ``Decide.php`` and in
``src/checkout/decide.ts`` of the repository: that file has the rules O1 to O21 in words.

An order is in one of five states:

- ``open``: nothing of it is on its way. ``sent`` says whether something ever was.
- ``paying``: one attempt is on its way to the service.
- ``uncertain``: a card may have been charged, and the shop does not know.
- ``paid``: nothing replaces this state.
- ``withdrawn``: the shop has given the order up. Nothing replaces this state.

It is **unsettled** while it was ``sent``, is not ``paid``, and no attempt is under way. That
includes ``open``: a proxy may have answered with a key error after the charge.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Mapping, Optional, Union

from .card_payments import CaptureMethod
from .order import LastTry, Order, Outcome, Resolution, Status

# After so many cards a person has to look.
MOST_DECLINES = 10
# More pages than these never wait for a card at once.
_MOST_KEYS = 50
# Longer than a call of on_paid may take.
_FIRST_CLAIM_MS = 30_000
_LONGEST_CLAIM_MS = 3_600_000


class State(str, Enum):
    OPEN = "open"
    PAYING = "paying"
    UNCERTAIN = "uncertain"
    PAID = "paid"
    WITHDRAWN = "withdrawn"


class Paid(str, Enum):
    COMMITTED = "committed"
    AUTHORIZED = "authorized"


class Block(str, Enum):
    """What became of the block under a key."""

    NONE = "none"
    SENT = "sent"
    DECLINED = "declined"
    ERROR = "error"
    NOT_SETTLED = "not_settled"


@dataclass(frozen=True)
class StoredKey:
    """A key that a page of an order has, with the sum that the page shows."""

    id: str
    amount: int
    currency: str
    #: Unix time in milliseconds.
    expires_at: int
    block: Block = Block.NONE
    #: The service's reason for a decline.
    reason: Optional[str] = None


@dataclass(frozen=True)
class Attempt:
    """One call of ``pay`` that sends a block to the service."""

    #: Random: tells this attempt from every other, also if the answer of a write was lost.
    token: str
    key_id: str
    #: Unix time in milliseconds.
    started_at: int


@dataclass(frozen=True)
class Claim:
    """Who delivers a paid order, and until when. After ``until``, anyone may claim it."""

    token: str
    #: Unix time in milliseconds.
    until: int
    #: 1 for the first claim.
    tries: int


class Delivery(Enum):
    DONE = "done"


@dataclass(frozen=True)
class Last:
    """What became of the last try, while the order is open."""

    status: LastTry
    reason: Optional[str] = None
    #: The key of its block. None if staff or a look-up have settled the order.
    key_id: Optional[str] = None


@dataclass(frozen=True)
class StoredOrder:
    """What is stored of an order. Nothing of a card is in it."""

    state: State
    #: Minor units.
    amount: int
    currency: str
    #: The order's own id. None in what builds before 0.3.0 have written.
    id: Optional[str] = None
    #: None in what builds before 0.3.0 have written: then it is for either.
    capture_method: Optional[CaptureMethod] = None
    #: How the order was paid; None unless the state is ``paid``.
    paid: Optional[Paid] = None
    #: The intent that is, or may have been, charged; None until the first block is sent.
    intent_id: Optional[str] = None
    #: Whether a block may have reached the service under this intent.
    sent: bool = False
    #: The attempt that is on its way or was not settled; None in every other state.
    attempt: Optional[Attempt] = None
    #: How often the service has answered this intent with an error about the key or the block.
    key_errors: int = 0
    keys: tuple[StoredKey, ...] = ()
    declines: int = 0
    last: Optional[Last] = None
    #: Only of a paid order, in a shop with ``on_paid``.
    delivery: Union[Claim, Delivery, None] = None
    #: What a newer version has stored in addition.
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Decider:
    """Who makes a decision, and when: for the claim that comes with a paid order."""

    #: Random, one for each call.
    token: str
    #: Unix time in milliseconds.
    now: int
    #: How long an attempt may be under way.
    limit_ms: int
    #: Whether the shop has ``on_paid``.
    delivers: bool


@dataclass(frozen=True)
class Decision:
    """``store`` is None if nothing changes."""

    outcome: Outcome
    store: Optional[StoredOrder] = None


NOT_CERTAIN = Outcome(Status.NOT_CERTAIN)


def is_under_way(order: Optional[StoredOrder], now: int, limit_ms: int) -> bool:
    """Whether a response may still come. Others wait until then. After it, staff may resolve."""
    if order is None or order.state is not State.PAYING or order.attempt is None:
        return False
    # A start in the future is that of a clock which was wrong.
    return abs(now - order.attempt.started_at) <= limit_ms


def is_due(order: StoredOrder) -> bool:
    """Whether the order needs another look: it is not settled, or not delivered."""
    if order.state is State.PAID:
        return order.delivery is not None and order.delivery is not Delivery.DONE
    return order.sent


def outcome_of(order: Optional[StoredOrder]) -> Outcome:
    """For ``outcome``, and for a page that gets no key."""
    if order is None:
        return Outcome(Status.OPEN)
    if order.state is State.PAID and order.paid is not None:
        return Outcome(Status(order.paid.value), reference=order.intent_id)
    if order.state is State.WITHDRAWN:
        return Outcome(Status.NO_ORDER)
    if order.state is not State.OPEN:
        return NOT_CERTAIN
    if order.sent:
        return Outcome(Status.OPEN, last=LastTry.RETRY_IS_SAFE)
    if has_too_many_declines(order):
        return _last_decline(order)
    if order.last is None:
        return Outcome(Status.OPEN)
    is_declined = order.last.status is LastTry.FAILED
    return Outcome(
        Status.OPEN,
        last=order.last.status,
        reason=order.last.reason if is_declined else None,
        key_id=order.last.key_id,
    )


@dataclass(frozen=True)
class KeyDecision:
    """Either ``order``, which may get a key, or ``outcome``: then it gets none."""

    order: Optional[StoredOrder] = None
    outcome: Optional[Outcome] = None
    store: Optional[StoredOrder] = None


def on_key_requested(stored: Optional[StoredOrder], price: Order) -> KeyDecision:
    """A key is requested, to pay ``price``."""
    order = _at_price(stored, price)
    if order.state is not State.OPEN:
        return KeyDecision(outcome=outcome_of(order))
    # O9: the intent of the other price must be settled before a new one exists.
    if not _is_for(order, price):
        return KeyDecision(outcome=NOT_CERTAIN)
    if has_too_many_declines(order):
        return KeyDecision(outcome=_last_decline(order))  # O13
    return KeyDecision(order=order)


def on_key_arrived(
    stored: Optional[StoredOrder], price: Order, key_id: str, expires_at: int
) -> KeyDecision:
    """A key has arrived. The state may be another by now."""
    decision = on_key_requested(stored, price)
    order = decision.order
    # Only the answer of the write was lost; or the service gave the same key twice.
    if order is None or _find_key(order, key_id) is not None:
        return decision
    fresh = StoredKey(key_id, price.amount, price.currency, expires_at)
    keys = (*order.keys, fresh)[-_MOST_KEYS:]  # O17
    return KeyDecision(order=order, store=replace(order, id=price.id, keys=keys))


class Next(Enum):
    """What comes next for a block."""

    #: Send it to the service, under ``intent_id``.
    AUTHORIZE = "authorize"
    #: Create a draft intent for this price, and decide again.
    CREATE_INTENT = "create_intent"
    #: Another attempt is on its way: wait, and decide again. After the limit: not certain.
    WAIT = "wait"
    #: Answer with ``outcome``.
    ANSWER = "answer"


@dataclass(frozen=True)
class BlockDecision:
    next: Next
    store: Optional[StoredOrder] = None
    intent_id: Optional[str] = None
    outcome: Optional[Outcome] = None


@dataclass(frozen=True)
class NewAttempt:
    """What a block is sent with."""

    token: str
    key_id: str
    price: Order
    now: int
    #: A draft that was made for ``price``, because the order had no intent.
    draft_id: Optional[str] = None


def on_block(stored: Optional[StoredOrder], attempt: NewAttempt) -> BlockDecision:
    """A block was posted. The state is checked before the block."""
    if stored is not None and stored.state is State.PAYING and stored.attempt is not None:
        if stored.attempt.token == attempt.token:  # O3: only the answer of the write was lost
            return BlockDecision(Next.AUTHORIZE, intent_id=stored.intent_id)
        return BlockDecision(Next.WAIT)
    order = None if stored is None else _at_price(stored, attempt.price)
    if order is None or not _is_good(order, attempt):
        refusal = on_refusal(stored, attempt.key_id)
        return BlockDecision(Next.ANSWER, refusal.store, outcome=refusal.outcome)
    intent_id = order.intent_id if order.intent_id is not None else attempt.draft_id
    if intent_id is None:
        store = None if order.last is None else replace(order, last=None)  # O21
        return BlockDecision(Next.CREATE_INTENT, store)  # O18
    store = replace(
        _with_block(order, attempt.key_id, Block.SENT),
        state=State.PAYING,
        intent_id=intent_id,
        sent=True,
        attempt=Attempt(attempt.token, attempt.key_id, attempt.now),
    )
    return BlockDecision(Next.AUTHORIZE, store, intent_id)


def _is_good(order: StoredOrder, attempt: NewAttempt) -> bool:
    """O4: a block is sent once, before its key expires, for the price that its page showed."""
    key = _find_key(order, attempt.key_id)
    return (
        key is not None
        and order.state is State.OPEN
        and key.block is Block.NONE
        and attempt.now <= key.expires_at
        and _is_shown_as(key.amount, key.currency, attempt.price)
        and _is_for(order, attempt.price)
        and not has_too_many_declines(order)  # O13
    )


def on_refusal(stored: Optional[StoredOrder], key_id: str) -> Decision:
    """O5: a block is not sent now, and the shopper may read that nothing was paid."""
    outcome = outcome_of_block(stored, key_id)
    if stored is None or stored.state is not State.OPEN:
        return Decision(outcome)
    key = _find_key(stored, key_id)
    if key is None or key.block is not Block.NONE:
        return Decision(outcome)
    order = _with_block(stored, key_id, Block.ERROR)
    return Decision(outcome, replace(order, last=Last(LastTry.NOT_PAID, key_id=key_id)))


def on_no_block(stored: Optional[StoredOrder], now: int, limit_ms: int) -> Outcome:
    """What was posted is no block. The order's state comes first."""
    is_open = stored is None or stored.state is State.OPEN or is_under_way(stored, now, limit_ms)
    return Outcome(Status.INVALID_ENCRYPTED_CARD) if is_open else outcome_of(stored)


@dataclass(frozen=True)
class IntentResponse:
    """The service has answered with an intent: 200."""

    id: str
    status: str
    reason: Optional[str]
    amount: int
    currency: str


class Failure(Enum):
    """The service has answered in another way, or not in time."""

    #: One of the specification's three errors about the key or the block.
    KEY_ERROR = "key_error"
    #: Everything else, no response included.
    UNCLEAR = "unclear"


ServiceAnswer = Union[IntentResponse, Failure]


def on_answer(
    stored: Optional[StoredOrder],
    token: str,
    key_id: str,
    answer: ServiceAnswer,
    decider: Decider,
) -> Decision:
    """The service has answered an attempt, or has not answered it in time."""
    is_own = stored is not None and stored.attempt is not None and stored.attempt.token == token
    is_late = stored is not None and stored.sent and stored.state is not State.PAID  # O8
    if stored is None or not (is_own or is_late):
        return Decision(outcome_of_block(stored, key_id))
    store = _after_response(stored, key_id, answer, decider)
    if store is None and is_own:
        store = _after_failure(stored, key_id, answer)
    return Decision(outcome_of_block(store or stored, key_id), store)


def _after_response(
    order: StoredOrder, key_id: str, answer: ServiceAnswer, decider: Decider
) -> Optional[StoredOrder]:
    """None if the answer does not say for certain what became of the order's own intent."""
    # O6
    if not isinstance(answer, IntentResponse) or answer.id != order.intent_id:
        return None
    if answer.amount != order.amount or answer.currency != order.currency:
        return None
    if answer.status in ("committed", "authorized"):
        return _as_paid(order, Paid(answer.status), decider)
    if answer.status != "failed":
        return None
    declined = _with_block(order, key_id, Block.DECLINED, answer.reason)
    return _declined(declined, answer.reason, key_id)


def _after_failure(order: StoredOrder, key_id: str, answer: ServiceAnswer) -> StoredOrder:
    # O7: a proxy may answer so after the charge. Another try under the same intent cannot charge.
    if answer is Failure.KEY_ERROR and order.key_errors == 0:
        opened = _with_block(order, key_id, Block.ERROR)
        return replace(opened, state=State.OPEN, attempt=None, key_errors=1)
    return replace(_with_block(order, key_id, Block.NOT_SETTLED), state=State.UNCERTAIN)


def on_resolve(
    stored: Optional[StoredOrder], intent_id: str, resolution: Resolution, decider: Decider
) -> Decision:
    """Staff say what became of an intent."""
    # O10
    if stored is None or stored.intent_id != intent_id or not _is_unsettled(stored, decider):
        return Decision(outcome_of(stored))
    store = _resolved(stored, resolution, decider)
    return Decision(outcome_of(store), store)


def on_resolve_unreadable(
    price: Order, intent_id: str, resolution: Resolution, decider: Decider
) -> Decision:
    """Staff settle an order whose value is damaged: what they say becomes the order."""
    order = replace(_new_order(price), id=price.id, intent_id=intent_id, sent=True)
    store = _resolved(order, resolution, decider)
    return Decision(outcome_of(store), store)


def _resolved(order: StoredOrder, resolution: Resolution, decider: Decider) -> StoredOrder:
    if resolution is Resolution.NOT_PAID:
        return _without_intent(order)
    return _as_paid(order, Paid(resolution.value), decider)


@dataclass(frozen=True)
class Withdrawal:
    """``store`` is None if the order is not given up."""

    store: Optional[StoredOrder] = None
    #: An attempt has begun. Its card may be declined: decide again then.
    is_to_wait: bool = False


def on_withdraw(
    stored: Optional[StoredOrder], price: Order, now: int, limit_ms: int
) -> Withdrawal:
    """The shop gives the order up: to begin another one, or to be paid in another way."""
    # A key for a new order may be on its way.
    order = stored if stored is not None else replace(_new_order(price), id=price.id)
    if is_under_way(order, now, limit_ms):
        return Withdrawal(is_to_wait=True)
    may_be_charged = order.state is not State.OPEN or order.sent  # O20
    return Withdrawal(None if may_be_charged else replace(order, state=State.WITHDRAWN))


@dataclass(frozen=True)
class Question:
    """What a look-up is about."""

    intent_id: str
    #: The attempt before the look-up; None in ``open``.
    token: Optional[str]


def question_of(stored: Optional[StoredOrder], decider: Decider) -> Optional[Question]:
    """What to look up of an order, or None if nothing of it is unsettled."""
    if stored is None or not _is_unsettled(stored, decider) or stored.intent_id is None:
        return None
    return Question(stored.intent_id, stored.attempt.token if stored.attempt else None)


def on_look_up(
    stored: Optional[StoredOrder], asked: Question, found: object, decider: Decider
) -> Decision:
    """A look-up says that an intent is ``found``: a word of the service, or any other."""
    store = _after_look_up(stored, asked, found, decider)
    return Decision(outcome_of(store or stored), store)


def _after_look_up(
    stored: Optional[StoredOrder], asked: Question, found: object, decider: Decider
) -> Optional[StoredOrder]:
    # O10
    if stored is None or not stored.sent or stored.state is State.PAID:
        return None
    if stored.intent_id != asked.intent_id:
        return None
    if found in ("committed", "authorized"):
        return _as_paid(stored, Paid(found), decider)
    if not _is_unsettled(stored, decider):
        return None
    if found == "failed":
        return _declined(stored, None, stored.attempt.key_id if stored.attempt else None)
    if found == "cancelled":
        return _without_intent(stored)
    is_same_attempt = (stored.attempt.token if stored.attempt else None) == asked.token
    if found != "created" or not is_same_attempt or stored.state is State.OPEN:
        return None
    return replace(stored, state=State.OPEN, attempt=None)  # O11


@dataclass(frozen=True)
class DeliveryDecision:
    """If there is a ``claim``, call ``on_paid`` for ``order`` while it lasts."""

    store: Optional[StoredOrder] = None
    claim: Optional[Claim] = None
    order: Optional[StoredOrder] = None


def on_deliver(stored: Optional[StoredOrder], decider: Decider) -> DeliveryDecision:
    """O12: somebody sees the order, and would deliver it."""
    if stored is None or stored.state is not State.PAID or not isinstance(stored.delivery, Claim):
        return DeliveryDecision()
    claim = stored.delivery
    # A claim that ends later than any can was made by a clock that was wrong.
    if decider.now <= claim.until <= decider.now + _LONGEST_CLAIM_MS:
        is_own = claim.token == decider.token
        return DeliveryDecision(claim=claim, order=stored) if is_own else DeliveryDecision()
    claim = _claim_of(decider.token, decider.now, claim.tries + 1)
    return DeliveryDecision(replace(stored, delivery=claim), claim, stored)


def on_delivered(stored: Optional[StoredOrder]) -> DeliveryDecision:
    """``on_paid`` has returned, in time or late, no matter who holds the claim."""
    if stored is None or stored.state is not State.PAID or stored.delivery is Delivery.DONE:
        return DeliveryDecision()
    return DeliveryDecision(replace(stored, delivery=Delivery.DONE))


def outcome_of_block(order: Optional[StoredOrder], key_id: str) -> Outcome:
    """The outcome for a shopper who has posted a block under this key."""
    # The store has never had, or has lost, the order of this block.
    if order is None:
        return Outcome(Status.NO_ORDER, key_id=key_id)
    if order.state not in (State.OPEN, State.WITHDRAWN):
        return outcome_of(order)
    key = _find_key(order, key_id)
    # The block is of another order; or the order has dropped its key.
    if key is None:
        return Outcome(Status.NO_ORDER, key_id=key_id)
    if order.sent:
        return Outcome(Status.RETRY_IS_SAFE)
    if has_too_many_declines(order):
        return _last_decline(order)
    if key.block is Block.DECLINED:
        return Outcome(Status.FAILED, reason=key.reason)
    return Outcome(Status.NOT_PAID)


def _at_price(stored: Optional[StoredOrder], price: Order) -> StoredOrder:
    """An order that is new; or one with another price, if nothing was sent for the old one."""
    if stored is None:
        return _new_order(price)
    if stored.state is not State.OPEN or stored.sent or _is_for(stored, price):
        return stored  # O1
    return replace(
        stored,
        amount=price.amount,
        currency=price.currency,
        capture_method=price.capture_method,
        intent_id=None,
    )


def _new_order(price: Order) -> StoredOrder:
    return StoredOrder(
        State.OPEN, price.amount, price.currency, capture_method=price.capture_method
    )


def _is_unsettled(order: StoredOrder, decider: Decider) -> bool:
    is_open = order.sent and order.state is not State.PAID
    return is_open and not is_under_way(order, decider.now, decider.limit_ms)


def _as_paid(order: StoredOrder, paid: Paid, decider: Decider) -> StoredOrder:
    store = replace(order, state=State.PAID, paid=paid, attempt=None)
    if not decider.delivers:
        return store
    return replace(store, delivery=_claim_of(decider.token, decider.now, 1))  # O12


def _declined(order: StoredOrder, reason: Optional[str], key_id: Optional[str]) -> StoredOrder:
    last = Last(LastTry.FAILED, reason, key_id)
    return replace(_without_intent(order), declines=order.declines + 1, last=last)


def _without_intent(order: StoredOrder) -> StoredOrder:
    """O1: the intent is dead, so that a new one may be made. The keys stay used."""
    return replace(
        order,
        state=State.OPEN,
        intent_id=None,
        sent=False,
        attempt=None,
        key_errors=0,
        last=Last(LastTry.NOT_PAID),
    )


def _claim_of(token: str, now: int, tries: int) -> Claim:
    """The pause doubles with each try."""
    pause = min(_FIRST_CLAIM_MS * 2 ** min(tries - 1, 20), _LONGEST_CLAIM_MS)
    return Claim(token, now + pause, tries)


def has_too_many_declines(order: StoredOrder) -> bool:
    """O13."""
    return not order.sent and order.declines >= MOST_DECLINES


def _last_decline(order: StoredOrder) -> Outcome:
    return Outcome(Status.FAILED, reason=order.last.reason if order.last else None)


def _with_block(
    order: StoredOrder, key_id: str, block: Block, reason: Optional[str] = None
) -> StoredOrder:
    keys = tuple(
        replace(key, block=block, reason=reason) if key.id == key_id else key for key in order.keys
    )
    return replace(order, keys=keys)


def _find_key(order: StoredOrder, key_id: str) -> Optional[StoredKey]:
    return next((key for key in order.keys if key.id == key_id), None)


def _is_for(order: StoredOrder, price: Order) -> bool:
    """O15. An order of a build before 0.3.0 has no ``capture_method``: it is for either."""
    capture_method = order.capture_method or price.capture_method
    is_shown = _is_shown_as(order.amount, order.currency, price)
    return is_shown and capture_method is price.capture_method


def _is_shown_as(amount: int, currency: str, price: Order) -> bool:
    """Whether both show the same sum."""
    return amount == price.amount and currency == price.currency
