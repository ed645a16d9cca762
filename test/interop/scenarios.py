"""Runs the Python port over the scenarios of an order: reads them as JSON, answers with one line
for each: what every step returned, stored and asked the service for.

Usage: scenarios.py FOLDER [contended], where FOLDER holds the port. If the store is contended,
somebody else is faster at each first try of a write.
"""

import json
import logging
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import cardseal  # noqa: E402: the folder has to be known first

logging.disable(logging.CRITICAL)

ORDER_ID = "order-1"
IS_CONTENDED = sys.argv[2:] == ["contended"]
MORE_OF_AN_INTENT = {"resource": {}}


class Clock:
    now = 0

    def now_ms(self):
        return self.now

    def sleep(self, seconds):
        self.now += int(seconds * 1000)


class Step:
    """One step of a scenario that is under way."""

    def __init__(self, given):
        self.given = given
        self.found = {}  # answer, stored, and the requests to others
        self.faults = list(given.get("store", []))  # what the store is to do with the next writes


class World:
    """The store, the service and the shop: all do what the scenario says."""

    timeout_s = 30

    def __init__(self, scenario, block):
        start = scenario["start"]
        self.block = block
        text = start if isinstance(start, str) else json.dumps(start)
        self.entry = None if start is None else (text, 1)
        self.due = True
        self.step = None
        self.is_contended = False
        self.clock = Clock()
        delivers = scenario.get("delivers", False)
        self.checkout = cardseal.Checkout(
            self, self, on_paid=self.deliver if delivers else None, clock=self.clock
        )

    # The store.

    def read(self, order_id):
        return self.entry

    def write(self, order_id, value, version, due=True):
        self.is_contended = IS_CONTENDED and not self.is_contended
        if self.is_contended:
            return False
        fault = self.step.faults.pop(0) if self.step.faults else "ok"
        if fault == "fails":
            raise RuntimeError("Nothing was written")
        is_newest = version == (self.entry[1] if self.entry else 0)
        if is_newest:
            self.entry, self.due = (value, version + 1), due
        if fault == "answer_lost":
            raise RuntimeError("The answer was lost")
        return is_newest

    def list_due(self, limit, after=""):
        is_listed = self.entry is not None and self.due and after == ""
        return [cardseal.ListedOrder(ORDER_ID, *self.entry)] if is_listed else []

    # The service.

    def create_encryption_key(self):
        key = self.exchange("key", {})
        return cardseal.EncryptionKey(key["id"], cardseal.SCHEME, "AAAA", key["expires_at"])

    def create_intent(self, amount, currency, capture_method, **_more):
        return self.intent(
            "intent", {"asked": {"amount": amount, "currency": currency}}, capture_method
        )

    def authorize(self, intent_id, card, **_more):
        return self.intent("authorize", {"asked": {"intentId": intent_id, "keyId": card.key_id}})

    def intent(self, kind, found, capture_method=cardseal.CaptureMethod.AUTOMATIC):
        return cardseal.Intent(
            **self.exchange(kind, found), capture_method=capture_method, **MORE_OF_AN_INTENT
        )

    # The shop.

    def look_up(self, intent_id, _order_id):
        return self.exchange("lookUp", {"asked": {"intentId": intent_id}})

    def deliver(self, _order, outcome):
        asked = {"reference": outcome.reference, "tries": outcome.tries}
        self.exchange("deliver", {"asked": asked})

    def exchange(self, kind, found):
        """What others answer to this request, after what others do meanwhile."""
        step = self.step
        script = step.given.get(kind)
        if script is None or kind in step.found:
            step.found.setdefault("unexpected", []).append(kind)
            raise cardseal.CardPaymentsError("Unexpected", cardseal.Recovery.RESOLVE_INTENT)
        step.found[kind] = found
        if "during" in script:
            found["during"] = [self.run(other) for other in script["during"]]
        error = script.get("error")
        if error is None:
            return script.get("answer")
        if error == "no_answer":
            raise cardseal.CardPaymentsError("No answer", cardseal.Recovery.RESOLVE_INTENT)
        code = None if error == "refused" else cardseal.EncryptionErrorCode(error)
        raise cardseal.CardPaymentsError("", cardseal.Recovery.NOT_SPECIFIED, 422, code)

    # The scenario.

    def run(self, given):
        # A step can run while another one waits for an answer.
        outer_step, outer_now = self.step, self.clock.now
        step = self.step = Step(given)
        self.clock.now = given["at"]
        step.found["answer"] = self.call(given)
        step.found["stored"] = self.stored()
        self.step, self.clock.now = outer_step, outer_now
        return step.found

    def stored(self):
        try:
            return json.loads(self.entry[0]) if self.entry else None
        except ValueError:
            return self.entry[0]

    def call(self, given):
        block = {
            "payload": self.block["payload"],
            "key_id": given.get("keyId"),
            "layout": self.block["layout"],
        }
        text = given.get("body", json.dumps(block, ensure_ascii=False, separators=(",", ":")))
        try:
            if given["call"] == "issueKey":
                return issued_json(self.checkout.issue_key(order_of(given["order"])))
            if given["call"] == "pay":
                return self.checkout.pay(order_of(given["order"]), text).as_json()
            if given["call"] == "outcome":
                return self.checkout.outcome(ORDER_ID).as_json()
            if given["call"] == "withdraw":
                return self.checkout.withdraw(order_of(given["order"])).as_json()
            if given["call"] == "sweep":
                look_up = self.look_up if "lookUp" in given else None
                return [vars(swept) for swept in self.checkout.sweep(look_up)]
            order = order_of(given["whole"]) if "whole" in given else ORDER_ID
            return self.checkout.resolve(order, given["intentId"], given["truth"]).as_json()
        except Exception as error:
            return {"thrown": repr(error)}


def order_of(given):
    capture_method = given.get("capture_method", "automatic")
    return cardseal.Order(
        ORDER_ID, given["amount"], given["currency"], capture_method=capture_method
    )


def issued_json(issued):
    """As issueKey of the npm package answers."""
    if isinstance(issued, cardseal.IssuedKey):
        outcome = issued.outcome.as_json()
        outcome.pop("status")
        return {"status": 200, "body": {"id": issued.key.id}, "order": issued.order, **outcome}
    if isinstance(issued, cardseal.NoKey):
        return {"status": 502, "body": {"status": "no_key"}}
    return {"status": 409, "body": issued.as_json()}


corpus = json.load(sys.stdin)
for scenario in corpus["scenarios"]:
    world = World(scenario, corpus["block"])
    print(json.dumps([world.run(step) for step in scenario["steps"]]), flush=True)
