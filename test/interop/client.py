"""Drives the Python port's client: reads one call a line as JSON, answers with what came of it.

Usage: client.py FOLDER, where FOLDER holds the port: the package cardseal, or the file.
"""

import json
import pickle
import sys
import traceback

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import cardseal  # noqa: E402: the folder has to be known first


def everything_of(error):
    """What a log, an error page or an error tracker could show of an error."""
    seen = []
    while error is not None:
        seen += [repr(error), str(error), repr(vars(error))]
        seen += traceback.format_exception(type(error), error, error.__traceback__)
        error = error.__context__ or error.__cause__
    return "\n".join(seen)


def everything_of_client(client):
    seen = [repr(client), str(client), repr(vars(client))]
    try:
        seen.append(repr(pickle.dumps(client)))
    except Exception as error:  # it cannot be pickled, which is as good
        seen.append(str(error))
    return "\n".join(seen)


def card_of(given):
    layout = [cardseal.LayoutEntry(entry["field"], entry["len"]) for entry in given["layout"]]
    return cardseal.EncryptedCard(given["payload"], given["key_id"], tuple(layout))


def call(given):
    timeout = {} if given.get("timeoutMs") is None else {"timeout_s": given["timeoutMs"] / 1000}
    client = cardseal.CardPayments(given["baseUrl"], given["secretKey"], **timeout)
    arguments = given["arguments"]
    output = {
        "none": lambda: None,
        "createEncryptionKey": lambda: client.create_encryption_key().as_json(),
        "createIntent": lambda: client.create_intent(
            arguments["amount"],
            arguments["currency"],
            capture_method=arguments.get("captureMethod"),
            description=arguments.get("description"),
            idempotency_key=arguments.get("idempotencyKey"),
        ).resource,
        "authorize": lambda: client.authorize(
            arguments["intentId"],
            card_of(arguments["card"]),
            idempotency_key=arguments.get("idempotencyKey"),
        ).resource,
    }[given["method"]]()
    return {"output": output, "shown": everything_of_client(client)}


for line in sys.stdin:
    try:
        answer = call(json.loads(line))
    except cardseal.CardPaymentsError as error:
        answer = {
            "error": {
                "recovery": error.recovery.value,
                "status": error.status,
                "code": error.code and error.code.value,
                "intentId": error.intent_id,
            },
            "shown": everything_of(error),
        }
    except ValueError as error:
        answer = {"invalid": str(error), "shown": everything_of(error)}
    print(json.dumps(answer), flush=True)
