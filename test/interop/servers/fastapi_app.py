"""A shop for the tests, in FastAPI."""

import fastapi
from app import cardseal, checkout, order_of

from cardseal.frameworks.starlette import respond

assert cardseal
app = fastapi.FastAPI()


@app.api_route("/checkout", methods=["GET", "POST"])
async def pay(request: fastapi.Request):
    return await respond(checkout, request, order_of(request.query_params), sender="203.0.113.7")
