"""Uses the Python port's store: store.py FOLDER DSN COUNT. Adds 1 to the number in the order
"counter" COUNT times, and prints what it found at the end. With COUNT 0 it only reads.
"""

import json
import sys

folder, dsn, count = sys.argv[1:]
sys.path.insert(0, folder)
sys.dont_write_bytecode = True
import cardseal  # noqa: E402: the folder has to be known first

if dsn.startswith("sqlite:"):
    store = cardseal.sqlite_store(dsn[len("sqlite:") :])
else:
    import psycopg2

    store = cardseal.postgres_store(lambda: psycopg2.connect(dsn))

done = 0
while done < int(count):
    value, version = store.read("counter") or ("0", 0)
    done += store.write("counter", str(int(value) + 1), version)
found = store.read("counter")
if found and store.write("counter", "lost", found[1] - 1):
    raise Exception("A write under an old version was taken")
print(json.dumps(found and {"value": found[0], "version": found[1]}))
