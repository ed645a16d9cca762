"""The decrypting side of RSA_OAEP_SHA256_V1 in Python 3.8 or later, in one file to read and to copy.

It needs the package "cryptography". docs/decrypting.md says the same in words.
"""

import functools
import json
import sys
from base64 import b64decode, b64encode

from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_private_key

# In the order of the plaintext: layout identifier, the client's name, fewest and most bytes.
FIELDS = [
    ("Pan", "number", 12, 19),
    ("Name", "name", 1, 446),
    ("ExpMonth", "exp_month", 2, 2),
    ("ExpYear", "exp_year", 4, 4),
    ("Cvc", "cvv", 3, 4),
]


class InvalidEncryptionBlock(Exception):
    """The one error, for whatever is wrong with a block. It says nothing more, on purpose."""


def decrypt_block(private_key, payload, layout):
    """Returns the card as a dict of texts. `layout` is what the JSON parser gives.

    Raises InvalidEncryptionBlock for anything else than one whole, valid card.
    """
    try:
        plaintext = decrypt(private_key, payload)  # first, even if the layout is bad
        return read_card(plaintext, read_layout(layout, len(plaintext)))
    except ValueError:
        pass  # a text of this error could tell what was wrong
    raise InvalidEncryptionBlock


def decrypt(private_key, payload):
    ensure(type(payload) is str)
    ciphertext = b64decode(payload, validate=True)
    ensure(b64encode(ciphertext).decode() == payload)  # canonical: no stray bits
    ensure(len(ciphertext) * 8 == private_key.key_size)
    padding = OAEP(mgf=MGF1(algorithm=SHA256()), algorithm=SHA256(), label=None)
    return private_key.decrypt(ciphertext, padding)


def read_layout(layout, total):
    """The five lengths, which add up to that of the plaintext."""
    ensure(type(layout) is list and len(layout) == len(FIELDS))
    lengths = []
    for entry, (identifier, _, _, _) in zip(layout, FIELDS):
        ensure(type(entry) is dict and entry.keys() == {"field", "len"})
        ensure(entry["field"] == identifier)
        ensure(type(entry["len"]) is int and entry["len"] >= 0)  # a bool is no int here
        lengths.append(entry["len"])
    ensure(sum(lengths) == total)
    return lengths


def read_card(plaintext, lengths):
    """Cuts bytes, never characters, and checks each field."""
    card = {}
    start = 0
    for (_, name, least, most), length in zip(FIELDS, lengths):
        value = plaintext[start : start + length]
        start += length
        ensure(least <= length <= most)
        # bytes.isdigit knows ASCII only; str.isdigit would take other digits, too.
        ensure(name == "name" or value.isdigit())
        card[name] = value.decode("utf-8")  # strict, and keeps a byte order mark
    ensure("01" <= card["exp_month"] <= "12")
    ensure(passes_luhn(card["number"]))
    return card


def passes_luhn(number):
    """ISO/IEC 7812-1, annex B: from the right, each second digit counts double."""
    weighted = [int(digit) * (1 + i % 2) for i, digit in enumerate(reversed(number))]
    return sum(value - 9 if value > 9 else value for value in weighted) % 10 == 0


def ensure(condition):
    if not condition:
        raise ValueError


@functools.lru_cache(None)
def load(private_key):
    return load_der_private_key(b64decode(private_key), password=None)


def main():
    """For `npm run interop`: reads lines of private key, payload (in Base64, once more) and layout.

    Tabs divide them. Answers each with the fields in hexadecimal, or with the name of the error.
    """
    for line in sys.stdin:
        private_key, payload, layout = line.rstrip("\n").split("\t")
        try:
            text = b64decode(payload).decode()
            card = decrypt_block(load(private_key), text, json.loads(layout))
            print(" ".join(text.encode().hex() for text in card.values()))
        except InvalidEncryptionBlock as error:
            print(repr(error))


if __name__ == "__main__":
    main()
