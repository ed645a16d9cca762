"""Reads lines of "private key (PKCS #8, Base64), space, payload"; answers each with the plaintext in hexadecimal, or "-"."""

import sys
from base64 import b64decode
from functools import cache

from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_der_private_key


@cache
def load(private_key):
    return load_der_private_key(b64decode(private_key), password=None)


for line in sys.stdin:
    private_key, payload = line.rstrip("\n").split(" ", 1)
    try:
        padding = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None)
        print(load(private_key).decrypt(b64decode(payload), padding).hex())
    except ValueError:
        print("-")
