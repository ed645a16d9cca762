"""Runs the Python port over the scenarios of an order: reads them as JSON, answers with one line
for each: what every step returned, stored and asked the service for.

Usage: scenarios.py FOLDER [contended], where FOLDER holds the port, cardseal.py. If the store is
contended, somebody else is faster at each first try of a write.
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


class Clock:
    """Stands in for the module ``time`` in the port."""

    now = 0

    def time_ns(self):
        return self.now * 1_000_000

    def sleep(self, seconds):
        self.now += int(seconds * 1000)


clock = cardseal.time = Clock()


class Step:
    """One step of a scenario that is under way."""

    def __init__(self, given):
        self.given = given
        self.found = {}  # answer, stored, and the requests to the service
        self.faults = list(given.get("store", []))  # what the store is to do with the next writes


class World:
    """The store and the service: both do what the scenario says."""

    timeout_s = 30

    def __init__(self, start, block):
        self.block = block
        self.entry = None if start is None else (json.dumps(start), 1)
        self.step = None
        self.is_contended = False
        self.checkout = cardseal.Checkout(self, self)

    # The store.

    def read(self, order_id):
        return self.entry if order_id == ORDER_ID else None  # a counter of key requests

    def write(self, order_id, value, version):
        if order_id != ORDER_ID:
            return True
        self.is_contended = IS_CONTENDED and not self.is_contended
        if self.is_contended:
            return False
        fault = self.step.faults.pop(0) if self.step.faults else "ok"
        if fault == "fails":
            raise RuntimeError("Nothing was written")
        is_newest = version == (self.entry[1] if self.entry else 0)
        if is_newest:
            self.entry = (value, version + 1)
        if fault == "answer_lost":
            raise RuntimeError("The answer was lost")
        return is_newest

    # The service.

    def create_encryption_key(self):
        return {"scheme": cardseal.SCHEME, "public_key": "AAAA", **self.exchange("key", {})}

    def create_intent(self, amount, currency, **_more):
        return self.exchange("intent", {"asked": {"amount": amount, "currency": currency}})

    def authorize(self, intent_id, card, **_more):
        asked = {"intentId": intent_id, "keyId": card["key_id"]}
        return self.exchange("authorize", {"asked": asked})

    def exchange(self, kind, found):
        """What the service answers to this request, after what others do meanwhile."""
        step = self.step
        script = step.given.get(kind)
        if script is None or kind in step.found:
            step.found.setdefault("unexpected", []).append(kind)
            raise cardseal.CardPaymentsError("Unexpected", "resolve_intent")
        step.found[kind] = found
        if "during" in script:
            found["during"] = [self.run(other) for other in script["during"]]
        error = script.get("error")
        if error is None:
            return script["answer"]
        if error == "no_answer":
            raise cardseal.CardPaymentsError("No answer", "resolve_intent")
        if error == "refused":
            raise cardseal.CardPaymentsError("Refused", "not_specified", 404)
        raise cardseal.CardPaymentsError("Refused", "not_specified", 422, error)

    # The scenario.

    def run(self, given):
        # A step can run while another one waits for the service.
        outer_step, outer_now = self.step, clock.now
        step = self.step = Step(given)
        clock.now = given["at"]
        step.found["answer"] = self.call(given)
        step.found["stored"] = json.loads(self.entry[0]) if self.entry else None
        self.step, clock.now = outer_step, outer_now
        return step.found

    def call(self, given):
        order = {"id": ORDER_ID, **given.get("order", {})}
        block = {
            "payload": self.block["payload"],
            "key_id": given.get("keyId"),
            "layout": self.block["layout"],
        }
        text = given.get("body", json.dumps(block, ensure_ascii=False, separators=(",", ":")))
        try:
            if given["call"] == "issueKey":
                issued = self.checkout.issue_key(order)
                if issued["status"] == 200:
                    issued["body"] = {"id": issued["body"]["id"]}
                return issued
            if given["call"] == "pay":
                return self.checkout.pay(order, text)
            if given["call"] == "outcome":
                return self.checkout.outcome(ORDER_ID)
            return self.checkout.resolve(ORDER_ID, given["intentId"], given["truth"])
        except Exception as error:
            return {"thrown": repr(error)}


corpus = json.load(sys.stdin)
for scenario in corpus["scenarios"]:
    world = World(scenario["start"], corpus["block"])
    print(json.dumps([world.run(step) for step in scenario["steps"]]))
