"""What the shops in Python have in common: the checkout, and the orders of the tests."""

import json
import os
import sys
import urllib.request

sys.path.insert(0, os.environ["PORT_FOLDER"])
import cardseal  # noqa: E402: the folder has to be known first

kind, _, address = os.environ["STORE"].partition("|")


def store():
    if kind == "postgres":
        import psycopg

        return cardseal.postgres_store(lambda: psycopg.connect(address))
    if kind == "mysql":
        import pymysql

        return cardseal.mysql_store(
            lambda: pymysql.connect(
                unix_socket=address, user="root", database="shop", charset="utf8mb4"
            )
        )
    return cardseal.sqlite_store(address)


def on_paid(order, outcome):
    with open(os.environ["DELIVERED"], "a") as file:
        file.write("%s %s\n" % (order.id, outcome.reference))


checkout = cardseal.Checkout(
    cardseal.CardPayments(
        os.environ["CARD_PAYMENTS_URL"], os.environ["CARD_PAYMENTS_SECRET_KEY"], 5.0
    ),
    store(),
    on_paid=on_paid,
    keys_per_second=1000,
)


def order_of(query):
    order_id = query.get("order")
    return cardseal.Order(order_id, 2490, "USD") if order_id else None


def look_up(intent_id, _order_id):
    """The sandbox can be asked; the specification shows no way."""
    request = urllib.request.Request(
        "%s/payments/card/%s" % (os.environ["CARD_PAYMENTS_URL"], intent_id),
        headers={"Authorization": "Bearer " + os.environ["CARD_PAYMENTS_SECRET_KEY"]},
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)["status"]


if __name__ == "__main__":
    print(json.dumps([vars(swept) for swept in checkout.sweep(look_up)]))
