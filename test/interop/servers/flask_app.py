"""A shop for the tests, in Flask."""

import flask
from app import cardseal, checkout, order_of

from cardseal.frameworks.flask import respond

assert cardseal
app = flask.Flask(__name__)


@app.route("/checkout", methods=["GET", "POST"])
def pay():
    return respond(checkout, order_of(flask.request.args), sender="203.0.113.7")
