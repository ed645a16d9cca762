"""Runs the Python port over the corpus: reads it as JSON, answers with one verdict a line.

Usage: corpus.py FOLDER, where FOLDER holds the port: the package cardseal, or the file.
"""

import json
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import cardseal  # noqa: E402: the folder has to be known first


def inputs(given):
    """Every form in which a Python server may have this input."""
    if "text" in given:
        return [given["text"], given["text"].encode("utf-8")]
    if "bytes" in given:
        body = bytes.fromhex(given["bytes"])
        as_text = body.decode("utf-8", "surrogatepass" if b"\xed" in body else "replace")
        return [body, bytearray(body), as_text]
    return [json.loads(given["parsed"])]


def run(function, case, value):
    if function == "browserKey":
        accepted = {"accepted": case["accepted"]} if "accepted" in case else {}
        return cardseal.browser_key(value, **accepted)
    expected = case["expected"] or {}
    scheme = {"scheme": expected["scheme"]} if "scheme" in expected else {}
    return cardseal.parse_encrypted_card(
        value,
        key_id=expected.get("keyId"),
        expires_at=expected.get("expiresAt"),
        now=case["now"],
        **scheme,
    )


def verdict(function, case, value):
    try:
        output = run(function, case, value)
    except cardseal.CardEncryptionError as error:
        assert error.__cause__ is None and error.__context__ is None
        return {"refuse": error.code.value}
    return {"accept": output.as_json()}


def verdicts(function, case):
    try:
        values = inputs(case["input"])
    except (ValueError, RecursionError):
        # Python itself cannot read it, so no port ever gets it.
        return [{"refuse": "invalid_encrypted_card"}]
    return [verdict(function, case, value) for value in values]


for corpus in json.load(sys.stdin):
    for case in corpus["cases"]:
        found = verdicts(corpus["function"], case)
        print(json.dumps(found, ensure_ascii=True, separators=(",", ":")))
