"""The merchant's half of a card payment, in Python 3.8 or later: one file, made to be copied.

It needs nothing but Python.

- ``Checkout`` is what a shop uses: a key for each form, and one charge for each order.
- ``SqlStore``, ``sqlite_store``: where the orders are kept.
- ``CardPayments`` is a client of the Card Payment Service.
- ``browser_key`` picks what a browser may see of an encryption key.
- ``parse_encrypted_card`` accepts the encrypted card that the browser posts, and nothing else.

Your server never sees a card. It forwards an encrypted block that only the service can open.
"""

import base64
import http.client
import json
import logging
import math
import re
import secrets
import socket
import sqlite3
import ssl
import threading
import time
import urllib.parse

__all__ = [
    "Checkout",
    "SqlStore",
    "sqlite_store",
    "browser_key",
    "parse_encrypted_card",
    "CardEncryptionError",
    "CardPayments",
    "CardPaymentsError",
]

SCHEME = "RSA_OAEP_SHA256_V1"

# By scheme, in the order of the specification: field, fewest and most bytes.
_FIELDS = {
    SCHEME: (
        ("Pan", 12, 19),
        ("Name", 1, 446),
        ("ExpMonth", 2, 2),
        ("ExpYear", 4, 4),
        ("Cvc", 3, 4),
    ),
}


class CardEncryptionError(Exception):
    """Why a key or a block was refused. The message is fixed text: nothing of the input is in it.

    ``code`` is ``invalid_key``, ``unsupported_scheme`` or ``invalid_encrypted_card``.
    """

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


# --- The checkout ----------------------------------------------------------------------------

_logger = logging.getLogger("cardseal")


class Checkout:
    """One payment, one charge: by the rules further down, whatever network, shopper, tabs,
    processes and restarts do. One object serves all threads::

        checkout = Checkout(
            CardPayments(base_url, secret_key), sqlite_store("/var/lib/shop/orders.sqlite")
        )

    An order is a ``dict``, which you take from your own database and never from the browser::

        {"id": "1001", "amount": 2490, "currency": "USD"}

    - ``id``: your own id of the order, from the shopper's session: one id for one purchase.
    - ``amount``: minor units; 1000 is 10.00 in a two-decimal currency.
    - ``description``: free text for the intent, if you like.
    - ``capture_method``: ``automatic`` (unless given) or ``manual``.

    An outcome is a ``dict`` with a ``status``. Tell the shopper:

    - ``committed`` or ``authorized``: paid. ``reference`` is the id of the intent.
    - ``failed``: declined, not paid; another card may be tried. ``reason`` is the service's, or
      None.
    - ``not_paid``: not paid; the card may be entered again.
    - ``retry_is_safe``: perhaps charged, perhaps not, but another try cannot charge twice.
    - ``not_certain``: perhaps charged. Show no form; your staff find out and call ``resolve``.
    - ``invalid_encrypted_card``: what was posted is no encrypted card. Answer with status 400.
    - ``open``, only from ``outcome`` and ``resolve``: show the form. With the ``note``
      ``retry_is_safe``: and its text.
    """

    # How long to wait before the order is read again while another attempt is on its way.
    _POLL_S = 0.25
    # A store that never lets anybody write is broken.
    _MOST_WRITES = 20

    def __init__(self, payments, store):
        """``payments``: a ``CardPayments``. ``store``: see ``SqlStore``."""
        self._payments = payments
        self._store = store
        # By then an attempt has its answer, unless its process has ended.
        self._limit_ms = int(payments.timeout_s * 1000) + 5000

    def issue_key(self, order):
        """A fresh key for the form of an order.

        Returns a ``dict`` with ``status`` and ``body`` to answer with, as JSON and with
        ``Cache-Control: no-store``:

        - 200: ``body`` is the key. With ``note``: show the text of ``retry_is_safe`` beside the
          form.
        - 409: ``body`` is an outcome. Nothing is left to pay, or it is not certain: show no form.
        - 429: too many requests. ``retry_after`` is in seconds, for the header ``Retry-After``.
        - 502: the service gave no key.

        Raises ``ValueError`` if ``order`` is none.
        """
        order = _read_order(order)
        try:
            stored = self._read_settled(order["id"])
            decision = on_key_requested(stored, order)
            if "outcome" in decision:
                if stored["state"] == "open":
                    # Something was sent for another amount: nobody can pay until staff have
                    # settled it.
                    _log_uncertain(order["id"], stored["intentId"])
                return {"status": 409, "body": decision["outcome"]}
            seconds = self._seconds_to_wait(order["id"])
            if seconds > 0:
                return {"status": 429, "body": {"status": "too_many"}, "retry_after": seconds}
            return self._key_for(order, decision["order"]["intentId"] is None)
        except Exception as error:
            _log("No key for order %s" % order["id"], error)
            return {"status": 502, "body": {"status": "no_key"}}

    def _key_for(self, order, needs_intent):
        try:
            key = self._payments.create_encryption_key()
            body = browser_key(key)
            draft_id = self._create_draft(order) if needs_intent else None
        except Exception as error:
            _log("No key for order %s" % order["id"], error)
            current = outcome_of(self._read(order["id"]))
            if current["status"] != "open":
                return {"status": 409, "body": current}
            return {"status": 502, "body": {"status": "no_key"}}
        decision = self._change(
            order["id"], lambda stored: on_key_arrived(stored, order, key, draft_id)
        )
        if "outcome" in decision:
            return {"status": 409, "body": decision["outcome"]}
        answer = {"status": 200, "body": body}
        if decision["order"]["sent"]:
            answer["note"] = "retry_is_safe"
        return answer

    def pay(self, order, posted):
        """Pays an order with the block that a browser has posted. Returns the outcome.

        ``posted`` is what ``parse_encrypted_card`` takes: the value of the form field
        ``encrypted_card``, or the body of a JSON request. Nothing that a browser can send makes it
        raise. Raises ``ValueError`` if ``order`` is none.
        """
        order = _read_order(order)
        block = _read_block(posted, _FIELDS[SCHEME])
        if block is None:
            _logger.warning("Refused: invalid_encrypted_card")
            return {"status": "invalid_encrypted_card"}
        try:
            return self._pay_with(order, block)
        except Exception as error:
            _log("Payment not certain, the store failed: order %s" % order["id"], error)
            return _NOT_CERTAIN

    def _pay_with(self, order, block):
        order_id, key_id = order["id"], block["key_id"]
        attempt = {
            "token": secrets.token_hex(16),
            "keyId": key_id,
            "price": order,
            "draftId": None,
        }
        while True:
            attempt["now"] = _now_ms()
            decision = self._change(order_id, lambda stored: on_block(stored, attempt))
            if decision["next"] == "answer":
                status = decision["outcome"]["status"]
                if status in ("not_paid", "not_certain"):
                    _logger.warning("Block not sent: order %s, %s", order_id, status)
                return decision["outcome"]
            if decision["next"] == "authorize":
                answer = self._authorize(decision["intentId"], block)
                settled = self._change(order_id, lambda stored: on_answer(stored, attempt, answer))
                if settled["outcome"] == _NOT_CERTAIN:
                    _log_uncertain(order_id, decision["intentId"])
                return settled["outcome"]
            if decision["next"] == "wait":
                if self._read_settled(order_id)["state"] == "paying":
                    return _NOT_CERTAIN
            if decision["next"] == "create_intent":
                try:
                    attempt["draftId"] = self._create_draft(order)
                except Exception as error:
                    _log("No intent for order %s" % order_id, error)
                    self._read_settled(order_id)  # the same block may have come twice
                    refusal = self._change(order_id, lambda stored: on_refusal(stored, key_id))
                    return refusal["outcome"]

    def _create_draft(self, order):
        """Returns the id of a new intent."""
        draft = self._payments.create_intent(
            order["amount"],
            order["currency"],
            capture_method=order.get("capture_method"),
            description=order.get("description"),
            idempotency_key=secrets.token_hex(16),
        )
        if not _is_for(draft, order):
            raise ValueError("The service made an intent for another price")
        return draft["id"]

    def _authorize(self, intent_id, block):
        """Sends the card on. Returns what ``on_answer`` needs to know of the answer."""
        try:
            key = urllib.parse.quote("%s.%s" % (intent_id, block["key_id"]), safe="")
            intent = self._payments.authorize(intent_id, block, idempotency_key=key)
            return {"kind": "intent", "intent": intent}
        except Exception as error:
            _log("Authorization failed: %s" % intent_id, error)
            is_key_error = isinstance(error, CardPaymentsError) and error.code is not None
            return {"kind": "key_error" if is_key_error else "unclear"}

    def outcome(self, order_id):
        """How the payment went: for a reload, a receipt, another tab."""
        try:
            return outcome_of(self._read_settled(order_id))
        except Exception as error:
            _log("The store failed: order %s" % order_id, error)
            return _NOT_CERTAIN

    def resolve(self, order_id, intent_id, truth):
        """For your staff, after ``not_certain``: what has become of the intent.

        ``truth`` is ``committed``, ``authorized``, or ``not_paid``: only if you have seen the
        intent as failed or cancelled. Returns the outcome now. Raises the error of the store.
        """
        if truth not in ("committed", "authorized", "not_paid"):
            raise ValueError("truth must be committed, authorized or not_paid")
        decision = self._change(
            order_id,
            lambda stored: on_resolve(stored, intent_id, truth, self._is_under_way(stored)),
        )
        return decision["outcome"]

    # The store and the clock.

    def _read(self, order_id):
        return _parse_order(self._store.read(order_id))

    def _read_settled(self, order_id):
        """Waits while an attempt is on its way: its shopper may have reloaded, or has two tabs."""
        begin = _now_ms()
        while True:
            stored = self._read(order_id)
            # By this clock, whatever another server's says.
            is_over = _now_ms() > begin + self._limit_ms
            if is_over or not self._is_under_way(stored):
                if stored is not None and stored["state"] == "paying":
                    # The process of the attempt may have ended: then it has logged nothing.
                    _log_uncertain(order_id, stored["intentId"])
                return stored
            time.sleep(self._POLL_S)

    def _is_under_way(self, stored):
        if stored is None or stored["state"] != "paying":
            return False
        # A start in the future is that of a clock which was wrong.
        return abs(_now_ms() - stored["attempt"]["startedAt"]) <= self._limit_ms

    def _change(self, order_id, decide):
        """Reads, decides and writes, until nobody else has written in between.

        If the answer of a write is lost, the order is read and decided again: the decision sees
        what became of the write.
        """
        for _ in range(self._MOST_WRITES):
            entry = self._store.read(order_id)
            decision = decide(_parse_order(entry))
            if "store" not in decision:
                return decision
            value, version = json.dumps(decision["store"]), entry[1] if entry else 0
            try:
                if self._store.write(order_id, value, version):
                    return decision
            except Exception as error:
                _log("A write failed: order %s" % order_id, error)
        raise RuntimeError("The order could not be written")

    def _seconds_to_wait(self, order_id):
        """Takes one key request of the limits: 0, or in how many seconds to ask again."""
        of_order = self._take_one(_KEYS_OF + order_id, _KEYS_PER_ORDER)
        return of_order or self._take_one(_KEYS_OF, _KEYS_IN_ALL)

    def _take_one(self, counter_id, rate):
        for _ in range(self._MOST_WRITES):
            entry = self._store.read(counter_id)
            counter = json.loads(entry[0]) if entry else None
            counter, seconds = after_one_more(counter, rate, _now_ms())
            if seconds > 0:
                return seconds
            if self._store.write(counter_id, json.dumps(counter), entry[1] if entry else 0):
                return 0
        return 1  # so many are asking at this moment


def _parse_order(entry):
    """What is stored of an order. Anything else must never count as a new order."""
    if entry is None:
        return None
    stored = json.loads(entry[0])
    if stored["state"] not in ("open", "paying", "uncertain", "paid"):
        raise ValueError("The store gave something else")
    return stored


def _log(what, error):
    """Codes and ids, and never a message: an error can repeat what was posted."""
    codes = [type(error).__name__]
    if isinstance(error, CardPaymentsError):
        codes = [error.recovery, error.status, error.code]
    _logger.warning(", ".join([what] + [str(code) for code in codes if code is not None]))


def _log_uncertain(order_id, intent_id):
    """For the staff, who look the intent up."""
    _logger.warning("Payment not certain: order %s, intent %s", order_id, intent_id)


def _read_order(order):
    """A copy: the shop may change its own while a request is on its way."""
    order = dict(order)
    order_id = order.get("id")
    if not _is_text(order_id) or order_id.startswith(_KEYS_OF):
        raise ValueError("The id of the order must be text")
    amount = order.get("amount")
    if type(amount) is not int or not 0 <= amount < 2**53:
        raise ValueError("The amount must be a whole number of minor units")
    if not _is_text(order.get("currency")):
        raise ValueError("The currency must be text")
    return order


# --- The rules of an order -------------------------------------------------------------------

# These functions know no network and no store: each takes what is stored of the order and what has
# happened, and returns what to store ("store", if something changes) and what comes next. They are
# the same, name for name, as in src/checkout/decide.ts of the package and in cardseal.php.
#
# Stored is JSON, the same in every language. Nothing of a card is in it.
#
# - state: open (nothing is on its way), paying (one attempt is on its way to the service),
#   uncertain (a card may have been charged; only people can find out), paid (nothing replaces it).
# - amount, currency: what the order costs.
# - paid: committed or authorized; None unless paid.
# - intentId: the intent that is, or may have been, charged. A draft until sent. The service
#   charges an intent at most once, so an order keeps its intent until it is certain that this
#   intent can no longer be charged.
# - sent: whether a block may have reached the service under this intent.
# - attempt: token (random: tells one call of pay from every other), keyId, startedAt
#   (milliseconds); None in open and paid.
# - keyErrors: how often the service has answered this intent with one of its three key errors.
# - keys: those that pages of this order have: id, amount, currency, expiresAt (milliseconds),
#   block (what became of the block under it: none, sent, declined, error, not_settled), and
#   reason (the service's, of a decline, or None).

_NOT_CERTAIN = {"status": "not_certain"}


def outcome_of(order):
    """For ``outcome``, and for a page that gets no key."""
    if order is None:
        return {"status": "open"}
    if order["state"] == "paid":
        return {"status": order["paid"], "reference": order["intentId"]}
    if order["state"] != "open":
        return _NOT_CERTAIN
    if order["sent"]:
        return {"status": "open", "note": "retry_is_safe"}
    return {"status": "open"}


def outcome_of_block(order, key_id):
    """The outcome for a shopper who has posted a block under this key."""
    # The store has never had, or has lost, the order of this block.
    if order is None:
        return _NOT_CERTAIN
    if order["state"] != "open":
        return outcome_of(order)
    key = _find_key(order, key_id)
    # A block of another order may have been charged there.
    if key is None:
        return _NOT_CERTAIN
    if order["sent"]:
        return {"status": "retry_is_safe"}
    if key["block"] == "declined":
        return {"status": "failed", "reason": key["reason"]}
    return {"status": "not_paid"}


def on_key_requested(stored, price):
    """A key is requested, to pay the price: a ``dict`` with amount and currency.

    Returns "order", or "outcome" if there is no key.
    """
    order = _at_price(stored, price)
    if order["state"] != "open":
        return {"outcome": outcome_of(order)}
    # Something was sent for the other amount: its intent must be settled before a new one exists.
    if not _is_for(order, price):
        return {"outcome": _NOT_CERTAIN}
    return {"order": order}


def on_key_arrived(stored, price, key, draft_id):
    """A key has arrived, and a draft if the order had no intent. The state may be another by now.

    ``key`` is the service's answer. Returns "order" and "store", or "outcome".
    """
    decision = on_key_requested(stored, price)
    if "outcome" in decision:
        return decision
    order = decision["order"]
    # Only the answer of the write was lost; or the service gave the same key twice.
    if _find_key(order, key["id"]) is not None:
        return {"order": order}
    fresh = {
        "id": key["id"],
        "amount": price["amount"],
        "currency": price["currency"],
        "expiresAt": key["expires_at"],
        "block": "none",
        "reason": None,
    }
    intent_id = draft_id if order["intentId"] is None else order["intentId"]
    keys = _newest_keys(order["keys"]) + [fresh]
    return {"order": order, "store": {**order, "intentId": intent_id, "keys": keys}}


def on_block(stored, attempt):
    """A block has come. The state is checked before the block.

    ``attempt`` has token, keyId, price, now, and draftId: of a draft that was made for the price,
    because the order had no intent.

    Returns "next": authorize, create_intent (and decide again), wait (until no attempt is on its
    way, and decide again; after the limit: not certain) or answer.
    """
    token, key_id, price = attempt["token"], attempt["keyId"], attempt["price"]
    if stored is not None and stored["state"] == "paying":
        if stored["attempt"]["token"] == token:  # only the answer of the write was lost
            return {"next": "authorize", "intentId": stored["intentId"]}
        return {"next": "wait"}
    order = None if stored is None else _at_price(stored, price)
    key = None if order is None else _find_key(order, key_id)
    is_good = (
        key is not None
        and order["state"] == "open"
        and key["block"] == "none"
        and attempt["now"] <= key["expiresAt"]
        and _is_for(key, price)
        and _is_for(order, price)
    )
    if not is_good:
        return {"next": "answer", **on_refusal(stored, key_id)}
    intent_id = attempt["draftId"] if order["intentId"] is None else order["intentId"]
    if intent_id is None:
        return {"next": "create_intent"}
    store = {
        **_with_block(order, key_id, "sent"),
        "state": "paying",
        "intentId": intent_id,
        "sent": True,
        "attempt": {"token": token, "keyId": key_id, "startedAt": attempt["now"]},
    }
    return {"next": "authorize", "intentId": intent_id, "store": store}


def on_refusal(stored, key_id):
    """A block is not sent now. The shopper may read that nothing was paid, so it must never be sent
    later either: it may come again, or come twice at once.
    """
    outcome = outcome_of_block(stored, key_id)
    key = _find_key(stored, key_id) if stored and stored["state"] == "open" else None
    if key is None or key["block"] != "none":
        return {"outcome": outcome}
    return {"store": _with_block(stored, key_id, "error"), "outcome": outcome}


def on_answer(stored, attempt, answer):
    """The service has answered an attempt, or has not answered it in time.

    The "kind" of the answer is intent (200 with the intent in question), key_error (one of the
    specification's three errors) or unclear (everything else, no answer included).
    """
    key_id = attempt["keyId"]
    # A late answer of an attempt that was replaced, or a write whose answer was lost.
    is_own = stored is not None and (stored["attempt"] or {}).get("token") == attempt["token"]
    if not is_own:
        return {"outcome": outcome_of_block(stored, key_id)}
    store = _after_answer(stored, key_id, answer)
    return {"store": store, "outcome": outcome_of_block(store, key_id)}


def _after_answer(order, key_id, answer):
    intent = answer.get("intent")
    if intent and intent["id"] == order["intentId"] and _is_for(order, intent):
        if intent["status"] in ("committed", "authorized"):
            return _as_paid(order, intent["status"])
        if intent["status"] == "failed":
            declined = _with_block(order, key_id, "declined", intent["failure_reason"])
            return _without_intent(declined)
    # A proxy may answer so after the charge. Then another try under the same intent cannot charge.
    if answer["kind"] == "key_error" and order["keyErrors"] == 0:
        opened = _with_block(order, key_id, "error")
        return {**opened, "state": "open", "attempt": None, "keyErrors": 1}
    return {**_with_block(order, key_id, "not_settled"), "state": "uncertain"}


def on_resolve(stored, intent_id, truth, is_under_way):
    """Staff say what became of an intent.

    ``truth`` is ``committed``, ``authorized``, or ``not_paid``: only after the intent was seen as
    failed or cancelled. ``is_under_way``: whether the answer of an attempt may still come.
    """
    is_unsettled = (
        stored is not None
        and stored["intentId"] == intent_id
        and stored["sent"]
        and stored["state"] != "paid"
        and not is_under_way
    )
    if not is_unsettled:
        return {"outcome": outcome_of(stored)}
    store = _without_intent(stored) if truth == "not_paid" else _as_paid(stored, truth)
    return {"store": store, "outcome": outcome_of(store)}


def _at_price(stored, price):
    """An order that is new; or one with another price, if nothing was sent for the old one."""
    new_price = {"amount": price["amount"], "currency": price["currency"]}
    if stored is None:
        return {
            "state": "open",
            **new_price,
            "paid": None,
            "intentId": None,
            "sent": False,
            "attempt": None,
            "keyErrors": 0,
            "keys": [],
        }
    if stored["state"] != "open" or stored["sent"] or _is_for(stored, price):
        return stored
    return {**stored, **new_price, "intentId": None}


def _as_paid(order, paid):
    return {**order, "state": "paid", "paid": paid, "attempt": None}


def _without_intent(order):
    """The intent is dead: a new one may be made. The keys stay used."""
    opened = {"state": "open", "intentId": None, "sent": False, "attempt": None, "keyErrors": 0}
    return {**order, **opened}


def _with_block(order, key_id, block, reason=None):
    keys = [
        {**key, "block": block, "reason": reason} if key["id"] == key_id else key
        for key in order["keys"]
    ]
    return {**order, "keys": keys}


def _find_key(order, key_id):
    return next((key for key in order["keys"] if key["id"] == key_id), None)


def _is_for(one, other):
    """Whether two things have the same price."""
    return one["amount"] == other["amount"] and one["currency"] == other["currency"]


# More pages than these are not waiting for a card. Without a bound, the order would grow.
_UNUSED_KEYS = 50


def _newest_keys(keys):
    """All keys that took a card, and the newest of the others."""
    unused = [key for key in keys if key["block"] == "none"]
    dropped = unused[:-_UNUSED_KEYS]
    return [key for key in keys if key not in dropped]


# --- The limits of key requests --------------------------------------------------------------

# Making a key costs the service work. One shopper must not keep the others waiting. The counters
# are in the store, beside the orders, so that all processes of the shop share them.

# So many requests at once, and then so many in a second.
_KEYS_PER_ORDER = {"burst": 6, "per_second": 0.2}
_KEYS_IN_ALL = {"burst": 40, "per_second": 10}

# In the store, the counter of an order has this before its id. The counter of all is this.
_KEYS_OF = "cardseal-keys:"


def after_one_more(counter, rate, now):
    """The counter after one more request, and 0; or in how many seconds to ask again.

    A counter is what was left of the rate, at a time in milliseconds.
    """
    left = rate["burst"]
    if counter is not None:
        passed = abs(now - counter["at"]) / 1000  # a clock may be set back
        left = min(left, counter["left"] + passed * rate["per_second"])
    seconds = math.ceil((1 - left) / rate["per_second"]) if left < 1 else 0
    return {"left": left - 1, "at": now}, seconds


# --- The stores ------------------------------------------------------------------------------


class SqlStore:
    """Keeps orders in a database, through any driver of the DB-API (PEP 249).

    A store has two functions, so that you can write your own. It must keep what it has
    acknowledged: a cache that forgets is no store. Every process of the shop must see the same one.

    Create the table once. PostgreSQL and SQLite::

        CREATE TABLE cardseal_orders (
            id TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL)

    MySQL and MariaDB, where text is compared without regard to case unless you say otherwise::

        CREATE TABLE cardseal_orders (
            id VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
            value MEDIUMTEXT NOT NULL, version INTEGER NOT NULL)
    """

    def __init__(self, connect, placeholder="%s"):
        """``connect`` returns a connection of its own for each call: ``close`` ends it, or gives
        it back to its pool. It must reach the primary server, not a replica. ``placeholder`` is
        how the driver marks a value: ``%s`` for psycopg and MySQL, ``?`` for sqlite3.
        """
        self._connect = connect
        self._placeholder = placeholder

    def read(self, order_id):
        """The newest value of an order and its version; None if it was never written."""
        select = "SELECT value, version FROM cardseal_orders WHERE id = ?"
        row, _ = self._run(select, (order_id,), has_rows=True)
        return None if row is None else (row[0], row[1])

    def write(self, order_id, value, version):
        """Replaces the value, in one step, only if its version is still ``version``.

        0 stands for an order that was never written. The new version is higher, also over
        restarts. ``value`` is JSON text of a few KiB; nothing of a card is in it.

        Returns False if somebody else has written: nothing was changed.
        """
        if version > 0:
            update = (
                "UPDATE cardseal_orders SET value = ?, version = ? WHERE id = ? AND version = ?"
            )
            _, count = self._run(update, (value, version + 1, order_id, version))
            return count == 1
        try:
            insert = "INSERT INTO cardseal_orders (id, value, version) VALUES (?, ?, 1)"
            self._run(insert, (order_id, value))
            return True
        except Exception:  # each driver has a class of its own for an id that comes twice
            if self.read(order_id) is None:
                raise
            return False

    def _run(self, sql, values, has_rows=False):
        connection = self._connect()
        try:
            cursor = connection.cursor()
            cursor.execute(sql.replace("?", self._placeholder), values)
            row = cursor.fetchone() if has_rows else None
            count = cursor.rowcount
            connection.commit()
            return row, count
        finally:
            connection.close()


def sqlite_store(path):
    """Keeps orders in a file of SQLite, which it creates: for a shop on one machine.

    ``path``: a file that lasts, and that no web server sends to anybody.
    """

    def connect():
        connection = sqlite3.connect(path, timeout=10)  # seconds, while another process writes
        connection.execute("PRAGMA synchronous = FULL")  # what was acknowledged survives
        return connection

    store = SqlStore(connect, placeholder="?")
    store._run(
        "CREATE TABLE IF NOT EXISTS cardseal_orders ("
        "id TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL)",
        (),
    )
    return store


# --- The key ---------------------------------------------------------------------------------


def browser_key(key, accepted=(SCHEME,)):
    """Returns what a browser may see of the service's answer: id, scheme and public_key.

    ``expires_at`` and everything else stay on the server: keep ``id`` and ``expires_at`` in the
    shopper's session, for ``parse_encrypted_card``.

    ``accepted`` names the schemes that the page can encrypt under. A new scheme has to be added
    here, so that an update of the service never reaches a page that does not know it.

    Raises ``CardEncryptionError``: ``invalid_key`` if this is not the service's answer,
    ``unsupported_scheme`` if its scheme is not accepted, or this file does not know it.
    """
    picked = {}
    for name in ("id", "scheme", "public_key"):
        value = key.get(name) if isinstance(key, dict) else None
        if not _is_text(value):
            raise CardEncryptionError(
                "invalid_key",
                "This is not the service's answer: id, scheme and public_key must be text",
            )
        picked[name] = value
    if picked["scheme"] not in accepted or picked["scheme"] not in _FIELDS:
        raise CardEncryptionError(
            "unsupported_scheme", "The page does not know the scheme of this key"
        )
    return picked


# --- The block -------------------------------------------------------------------------------

_MAX_TEXT = 4096  # a real block takes less than 1,200 characters


def parse_encrypted_card(body, *, key_id, expires_at, scheme=SCHEME):
    """Returns the encrypted card that ``body`` holds, as the body for ``CardPayments.authorize``.

    Hand it what the browser posted before anything has parsed or logged it: the value of the form
    field ``encrypted_card``, or the body of a JSON request, as ``str`` or ``bytes``. Text counts
    only as the browser's ``JSON.stringify`` writes it: no spaces, no property twice. A value that
    a framework has parsed already (a ``dict``) is accepted, too.

    ``key_id`` and ``expires_at`` are what the shopper's session remembers of the key: ``id`` and
    ``expires_at`` (milliseconds) of the service's answer. Both must be given. ``None``, for a
    session that has no key, matches nothing.

    Raises ``CardEncryptionError`` with the code ``invalid_encrypted_card`` for everything else:
    above all for a card in clear text, for a block under another key, and after ``expires_at``.
    """
    # The error is raised out here and not in an "except": Python would attach the JSON error to
    # it, and that one holds the whole body.
    block = _read_block(body, _FIELDS.get(scheme) if isinstance(scheme, str) else None)
    if block is None:
        raise _refusal("This is not an encrypted card block, as the card form makes it")
    if block["key_id"] != key_id:
        raise _refusal("The card was not encrypted under the key of this checkout")
    if not _is_number(expires_at) or not _now_ms() <= expires_at:  # so that "nan" has expired
        raise _refusal("The key of this checkout has expired: start it again with a fresh one")
    return block


def _refusal(message):
    return CardEncryptionError("invalid_encrypted_card", message)


def _read_block(body, fields):
    """The block, checked and copied. None if anything about it is wrong."""
    try:
        _require(fields is not None)
        if isinstance(body, (bytes, bytearray)):
            _require(len(body) <= 4 * _MAX_TEXT)
            body = body.decode("utf-8")
        value = _parse_text(body) if isinstance(body, str) else body
        _require_properties(value, ("payload", "key_id", "layout"))
        payload, key_id, entries = value["payload"], value["key_id"], value["layout"]
        _require(_is_text(key_id) and isinstance(entries, list) and len(entries) == len(fields))
        layout = []
        for entry, (field, fewest, most) in zip(entries, fields):
            _require_properties(entry, ("field", "len"))
            length = _whole_number(entry["len"])
            _require(_same_text(entry["field"], field))
            _require(length is not None and fewest <= length <= most)
            layout.append({"field": field, "len": length})
        # RSA-OAEP with SHA-256 takes 66 bytes of the modulus for itself: RFC 8017, section 7.1.1.
        _require(sum(entry["len"] for entry in layout) <= _modulus_length(payload) - 66)
        return {"payload": payload, "key_id": key_id, "layout": layout}
    except (ValueError, RecursionError):
        # ValueError: ours, or no JSON, no UTF-8, no Base64. RecursionError: nested too deeply.
        return None


def _parse_text(text):
    """The value of JSON text that is exactly what JavaScript's JSON.stringify would write.

    Of a property that comes twice a parser keeps only the last one. The first could be a card
    number on its way to your logs; here the text would not come out the same.
    """
    _require(len(text) <= _MAX_TEXT)
    # JavaScript counts UTF-16 units: most emoji are two.
    _require(len(text.encode("utf-16-le")) // 2 <= _MAX_TEXT)
    # No number of a block has a fraction, and NaN and Infinity, which Python accepts, are not JSON.
    value = json.loads(text, parse_float=_refuse, parse_constant=_refuse)
    _require(json.dumps(value, ensure_ascii=False, separators=(",", ":")) == text)
    return value


def _modulus_length(payload):
    """The length of the ciphertext in bytes: canonical Base64 of 2048, 3072 or 4096 bits only."""
    _require(isinstance(payload, str) and len(payload) <= 684)
    ciphertext = base64.b64decode(payload.encode("ascii"), validate=True)
    _require(len(ciphertext) in (256, 384, 512))
    # Base64 can say the same in several ways; only one of them is what the browser makes.
    _require(base64.b64encode(ciphertext).decode("ascii") == payload)
    return len(ciphertext)


def _require(condition):
    if not condition:
        raise ValueError


def _refuse(_number):
    raise ValueError


def _require_properties(value, names):
    """Exactly these: whatever else stands in a block could be a card in clear text."""
    _require(isinstance(value, dict) and len(value) == len(names))
    _require(all(name in value for name in names))


def _is_text(value):
    return isinstance(value, str) and value != ""


def _same_text(value, text):
    return isinstance(value, str) and value == text


def _is_number(value):
    # bool is a kind of int in Python: True would be 1.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole_number(value):
    """16 for 16 and for 16.0, which are the same number in JSON. Otherwise None."""
    if not _is_number(value):
        return None
    if isinstance(value, float) and not value.is_integer():
        return None
    return int(value)


def _now_ms():
    return time.time_ns() // 1_000_000


# --- The service -----------------------------------------------------------------------------

# What to do about an error of ``authorize``, as the specification says it ("Errors").
RECOVERIES = {
    "encryption_key_expired": "restart_checkout",
    "unknown_encryption_key": "forward_key_id",
    "invalid_encryption_block": "check_layout",
}

# The key, the intent and the errors of the specification take less than 2 KiB.
_MAX_ANSWER_BYTES = 64 * 1024


class CardPaymentsError(Exception):
    """A request that failed. The message is fixed text, without a secret and without a card.

    ``recovery`` says what to do:

    - ``restart_checkout``: request a new key and show the card form again. Only the shopper has
      the card.
    - ``forward_key_id``: fix your code. The ``id`` of the key must come back unmodified.
    - ``check_layout``: fix your code, or somebody changed the block on its way.
    - ``resolve_intent``: **the outcome is unknown.** The shopper may have paid. Find out what
      became of the intent ``intent_id``, and do not ask for the card again before that.
    - ``ask_again``: no key or draft came. Nobody was charged; it can be requested again.
    - ``not_specified``: refused for a reason that the specification does not show, see ``status``.

    ``status`` is the HTTP status and ``code`` the error code of the specification, or None.
    """

    def __init__(self, message, recovery, status=None, code=None, intent_id=None):
        super().__init__(message)
        self.recovery = recovery
        self.status = status
        self.code = code
        self.intent_id = intent_id


class CardPayments:
    """A client of the Card Payment Service.

    - A decline is an outcome, not an error: ``authorize`` returns an intent in ``failed``.
    - Nothing is ever tried again by itself: a second request could be a second payment.
    - The secret key goes to the base address only, and is in no message, log, ``repr`` or
      ``vars()``. A tool that records local variables with an error records what was passed in, the
      secret key and posted data included: switch that off.
    """

    def __init__(self, base_url, secret_key, timeout_s=30.0):
        """``base_url``: https, or http on localhost, 127.0.0.1 and [::1].

        ``secret_key`` begins with ``sk_test_`` or ``sk_live_``. ``timeout_s``: how long a request
        may take, with its answer, in seconds.

        Raises ``ValueError`` if one of them is not that.
        """
        base = re.fullmatch(
            r"(https?)://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::([0-9]{1,5}))?((?:/[\w.~-]*)*)",
            base_url if isinstance(base_url, str) else "",
            re.ASCII,
        )
        if not base or not _is_secure(base[1], base[2]):
            raise ValueError(
                "base_url must be https, or http to this machine, "
                "and have no credentials, query or fragment"
            )
        if not _matches(r"sk_(test|live)_[!-~]+", secret_key):
            raise ValueError("secret_key must begin with sk_test_ or sk_live_")
        if not _is_number(timeout_s) or not 0 < timeout_s <= 600:
            raise ValueError("timeout_s must be seconds, 600 at most")
        self._is_https = base[1] == "https"
        self._host = base[2].strip("[]")
        self._port = int(base[3]) if base[3] else (443 if self._is_https else 80)
        self._path = base[4].rstrip("/")
        self.timeout_s = timeout_s
        # Inside a function, so that vars() and pickle cannot show it.
        self._authorization = lambda: "Bearer " + secret_key

    def create_encryption_key(self):
        """Returns a fresh encryption key, for one checkout session.

        Give the browser no more of it than ``browser_key`` returns.
        Raises ``CardPaymentsError``.
        """
        return self._post("/payments/card/encryption-keys", success=201, check=_is_encryption_key)

    def create_intent(
        self, amount, currency, capture_method=None, description=None, idempotency_key=None
    ):
        """Returns a draft that fixes amount and currency. No card is involved.

        ``amount``: minor units; 1000 is 10.00 USD. ``capture_method``: ``automatic`` unless given.
        ``idempotency_key``: visible ASCII, such as ``str(uuid.uuid4())``.
        Raises ``CardPaymentsError``; ``ValueError`` if the amount is none.
        """
        if type(amount) is not int or not 0 <= amount < 2**53:
            raise ValueError("amount must be a whole number of minor units")
        draft = {"amount": amount, "currency": currency}
        if capture_method is not None:
            draft["capture_method"] = capture_method
        if description is not None:
            draft["description"] = description
        return self._post(
            "/payments/card",
            success=201,
            check=_is_intent,
            body=draft,
            idempotency_key=idempotency_key,
        )

    def authorize(self, intent_id, card, idempotency_key=None):
        """Charges or reserves the amount of an intent in ``created``, and returns the intent.

        ``card`` is what ``parse_encrypted_card`` returned. Never log or keep it.

        Look at ``status``: ``committed`` (charged), ``authorized`` (reserved, with the capture
        method ``manual``) or ``failed`` (declined; ``failure_reason`` says why).
        Raises ``CardPaymentsError``; ``ValueError`` if the id is none of an intent.
        """
        if not _is_intent_id(intent_id):
            raise ValueError("intent_id must be the id of a card payment intent")
        layout = [{"field": entry["field"], "len": entry["len"]} for entry in card["layout"]]
        return self._post(
            "/payments/card/" + intent_id + "/authorize",
            success=200,
            check=lambda answer: _is_intent(answer) and answer["id"] == intent_id,
            body={"payload": card["payload"], "key_id": card["key_id"], "layout": layout},
            idempotency_key=idempotency_key,
            intent_id=intent_id,
        )

    def _post(
        self, path, *, success, check, body=None, idempotency_key=None, intent_id=None
    ):
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key is not None:
            if not _matches(r"[!-~]+", idempotency_key):
                raise ValueError("idempotency_key must be visible ASCII characters")
            headers["Idempotency-Key"] = idempotency_key
        data = b"" if body is None else json.dumps(body).encode("utf-8")

        status, text = self._exchange(self._path + path, headers, data)
        if status == success and text is not None:
            answer = _parse_answer(text)
            if check(answer):
                return answer
        if status is not None and 400 <= status < 500 and text is not None:
            code = _encryption_error_code(_parse_answer(text))
            recovery = RECOVERIES.get(code, "not_specified")
            raise CardPaymentsError(
                "The service refused the request", recovery, status, code, intent_id
            )
        # A lost answer may have been a payment. A lost key or draft charges nobody.
        recovery = "ask_again" if intent_id is None else "resolve_intent"
        raise CardPaymentsError(
            "The service did not answer as specified, or not in time",
            recovery,
            status,
            None,
            intent_id,
        )

    def _exchange(self, path, headers, data):
        """One request. Returns the status and the text of the answer, None for what did not come.

        No redirect is followed: another host would get the secret key.
        """
        status, text = None, None
        sock = connection = None
        expired = threading.Event()

        def expire():
            # Python's own time limit starts again with each address and each byte that comes. This
            # one does not.
            expired.set()
            try:
                if sock:
                    socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                pass  # closed already

        watchdog = threading.Timer(self.timeout_s, expire)
        watchdog.daemon = True
        try:
            watchdog.start()
            sock = socket.create_connection((self._host, self._port), self.timeout_s)
            if expired.is_set():
                raise TimeoutError  # several addresses were tried: nothing is sent so late
            if self._is_https:
                context = ssl.create_default_context()
                sock = context.wrap_socket(
                    sock, server_hostname=self._host, do_handshake_on_connect=False
                )
                connection = http.client.HTTPSConnection(self._host, self._port, context=context)
            else:
                connection = http.client.HTTPConnection(self._host, self._port)
            connection.sock = sock
            connection.auto_open = 0  # never a second connection, and with it a second request
            if self._is_https:
                sock.do_handshake()
            # Here, where no error leaves: a traceback may be shown with its local variables.
            headers = {**headers, "Authorization": self._authorization()}
            connection.request("POST", path, data, headers)
            answer = connection.getresponse()
            while 100 <= answer.status < 200:  # an interim answer: Python passes over 100 only
                answer.headers = None
                answer.begin()
            status = answer.status
            content = answer.read(_MAX_ANSWER_BYTES + 1)
            is_whole = not answer.length and len(content) <= _MAX_ANSWER_BYTES
            if is_whole and not expired.is_set():
                text = content.decode("utf-8")
        except (OSError, http.client.HTTPException, ValueError):
            pass  # none of it goes on: an error can repeat what was sent or received
        finally:
            watchdog.cancel()
            if connection is not None:
                connection.close()
            elif sock is not None:
                sock.close()
        return status, text


def _is_secure(protocol, host):
    return protocol == "https" or host.lower() in ("localhost", "127.0.0.1", "[::1]")


def _matches(pattern, value):
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _parse_answer(text):
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None  # a JSON error holds the text


def _encryption_error_code(answer):
    """The envelope of errors is not specified: the code may stand anywhere. Two are none."""
    found = set()
    waiting = [answer]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value in RECOVERIES:
            found.add(value)
    return found.pop() if len(found) == 1 else None


def _is_any_text(value):
    return isinstance(value, str)


def _is_integer(value):
    number = _whole_number(value)
    return number is not None and abs(number) < 2**53


def _or_none(check):
    return lambda value: value is None or check(value)


def _is_intent_id(value):
    return _matches(r"pi_card_[A-Za-z0-9_-]+", value)


def _is_payment_method(value):
    if not isinstance(value, dict):
        return False
    return _is_any_text(value.get("brand")) and _is_any_text(value.get("last4"))


_KEY_CHECKS = {
    "id": lambda value: _is_any_text(value) and value.startswith("cek_"),
    "scheme": _is_any_text,
    "public_key": _is_any_text,
    "expires_at": _is_integer,
}

_INTENT_CHECKS = {
    "id": _is_intent_id,
    "amount": _is_integer,
    "amount_captured": _is_integer,
    "amount_refunded": _is_integer,
    "currency": _is_any_text,
    "status": _is_any_text,
    "status_at": _or_none(_is_integer),
    "processor_ref": _or_none(_is_any_text),
    "failure_reason": _or_none(_is_any_text),
    "cancellation_reason": _or_none(_is_any_text),
    "capture_method": lambda value: value in ("automatic", "manual"),
    "payment_method": _or_none(_is_payment_method),
    "description": _or_none(_is_any_text),
    "statement_descriptor": _or_none(_is_any_text),
    "metadata": lambda value: isinstance(value, dict),
    "created": _is_integer,
    "updated": _is_integer,
    "livemode": lambda value: isinstance(value, bool),
}


def _has_shape(value, checks):
    if not isinstance(value, dict):
        return False
    return all(name in value and check(value[name]) for name, check in checks.items())


def _is_encryption_key(value):
    return _has_shape(value, _KEY_CHECKS)


def _is_intent(value):
    return _has_shape(value, _INTENT_CHECKS)
