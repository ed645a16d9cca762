"""A small shop that takes cards, in Spanish. Run it with nothing but Python:

    python3 demo/merchant/python/shop.py --port 8080

See README.md for what to copy and what to change.

What holds at every step: each press of "Pagar" ends on a page that says what happened, and no
order is paid twice. The session remembers which keys were given out, and which were used.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import secrets
import sys
import threading
import time
import traceback
import uuid
from html import escape
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from cardseal import (
    CardEncryptionError,
    CardPayments,
    CardPaymentsError,
    browser_key,
    parse_encrypted_card,
)

PRODUCT = "Un libro"
AMOUNT = 2490  # minor units: 24.90
CURRENCY = "USD"

EXPIRED = "Ha pasado demasiado tiempo. Vuelva a introducir su tarjeta. No ha pagado."
REFUSED = "No se pudo hacer el pago. No ha pagado. Vuelva a introducir su tarjeta."

# What the shopper reads, by the names that the card form gives to problems.
MESSAGES = {
    "number_required": "Escriba el número de la tarjeta",
    "number_invalid": "Revise el número de la tarjeta",
    "name_required": "Escriba el nombre que figura en la tarjeta",
    "name_invalid": "Revise el nombre que figura en la tarjeta",
    "name_too_long": "Abrevie el nombre que figura en la tarjeta",
    "expiry_required": "Escriba la fecha de caducidad",
    "expiry_invalid": "Revise la fecha de caducidad",
    "expiry_past": "La tarjeta ha caducado",
    "cvv_required": "Escriba el código de seguridad",
    "cvv_invalid": "Revise el código de seguridad",
    "payment_unavailable": "No se puede pagar con tarjeta. No ha pagado.",
    "reload_page": "Recargue la página y vuelva a introducir su tarjeta. No ha pagado.",
    "press_again": "Pulse Pagar otra vez. Si no basta, recargue la página. No ha pagado.",
    "payment_under_way": "El pago está en curso. Espere a la página siguiente.",
    "one_moment": "Un momento…",
}

# What the shopper reads about a decline, where it helps them.
DECLINES = {
    "insufficient_funds": "no hay saldo suficiente",
    "expired_card": "la tarjeta ha caducado",
    "incorrect_cvc": "el código de seguridad no es correcto",
}

payments = CardPayments(
    os.environ.get("CARD_PAYMENTS_URL", "http://127.0.0.1:3001"),
    # The sandbox's, which is published. Yours never stands in a file of the shop.
    os.environ.get("CARD_PAYMENTS_SECRET_KEY", "sk_test_bookshop_published_key"),
)

# The script of the card form, dist/cardseal.js of the package: beside this file, or in a clone.
HERE = Path(__file__).resolve().parent
SCRIPTS = [HERE / "cardseal.js", HERE / "../../../dist/cardseal.js"]


def read_script():
    for path in SCRIPTS:
        if path.is_file():
            return path.read_bytes()
    sys.exit("Copy dist/cardseal.js of the package beside shop.py")


SCRIPT = read_script()
INTEGRITY = "sha384-" + base64.b64encode(hashlib.sha384(SCRIPT).digest()).decode("ascii")


# --- The session -----------------------------------------------------------------------------


class Order:
    """What comes out of the cart. Its phase:

    - open: the shopper may enter a card.
    - authorizing: a card is at the service.
    - paid.
    - unresolved: the answer was lost. No card is asked for again; somebody has to find out.
    """

    def __init__(self):
        self.id = secrets.token_hex(8)
        self.phase = "open"
        self.intent_id = None
        self.keys = {}  # id: expires_at, of every key that was given out and not used
        self.notice = None
        self.card = None


class Session:
    def __init__(self):
        self.csrf_token = secrets.token_urlsafe(32)
        self.orders = {}
        self.spent = {}  # id of a used key: the order that it was used for


class Sessions:
    """Sessions by the random id in the cookie. In memory: yours are in your framework's store."""

    LIMIT = 10_000  # of those with an order, and of those without one

    def __init__(self):
        self._with_order = {}
        self._without_order = {}
        self._lock = threading.Lock()

    def get(self, session_id):
        with self._lock:
            return self._with_order.get(session_id) or self._without_order.get(session_id)

    def add(self, session):
        """Keeps a session under a fresh id, which it returns. The oldest makes room.

        Visitors of the cart do not throw out who has an order.
        """
        session_id = secrets.token_urlsafe(32)
        kept = self._with_order if session.orders else self._without_order
        with self._lock:
            while len(kept) >= self.LIMIT:
                del kept[next(iter(kept))]
            kept[session_id] = session
        return session_id

    def remove(self, session_id):
        with self._lock:
            self._with_order.pop(session_id, None)
            self._without_order.pop(session_id, None)


sessions = Sessions()

# Held while an order is looked at and changed, and never during a request to the service.
# In a shop with a database, this is a transaction that locks the row of the order.
orders_lock = threading.Lock()


# --- The key ---------------------------------------------------------------------------------


def issue_key(order):
    """A fresh key for this order, noted in the session, and the draft that it will pay.

    None if the order is not open any more.
    """
    draft = None
    if order.intent_id is None:
        draft = create_intent()
    key = payments.create_encryption_key()
    with orders_lock:
        if order.phase != "open":
            return None
        # Another tab may have been faster, or a card was declined meanwhile.
        if order.intent_id is None:
            if draft is None:
                return None
            order.intent_id = draft
        # All of them: the shopper may have the page open twice.
        order.keys[key["id"]] = key["expires_at"]
    return browser_key(key)


# --- The payment -----------------------------------------------------------------------------


def pay(order, session, posted):
    """Sends the posted card on, once. What came of it is in the order."""
    key_id = key_id_of(posted)
    with orders_lock:
        if order.phase != "open":
            return
        # None for a key that this order did not give out: it is no key of this order.
        expires_at = order.keys.get(key_id)
        try:
            card = parse_encrypted_card(
                posted,
                key_id=None if expires_at is None else key_id,
                expires_at=expires_at,
            )
        except CardEncryptionError:
            has_expired = expires_at is not None and expires_at < time.time() * 1000
            order.notice = EXPIRED if has_expired else REFUSED
            return
        # Written down before the card is sent on: whatever happens now, no second card is asked
        # for.
        session.spent[key_id] = order.id
        del order.keys[key_id]
        order.phase = "authorizing"
        intent_id = order.intent_id
    try:
        # The draft may have been used up in another tab since this key was issued.
        if intent_id is None:
            intent_id = create_intent()
    except Exception as error:
        log("No draft: %s" % type(error).__name__)
        phase, notice, intent = "open", REFUSED, None
    else:
        phase, notice, intent = authorize(intent_id, card)
    with orders_lock:
        order.notice = notice
        if intent is None:
            order.intent_id = None
        else:
            order.intent_id = intent_id
            order.card = intent["payment_method"] if phase == "paid" else None
        order.phase = phase


def create_intent():
    """A draft of the payment. Returns its id."""
    return payments.create_intent(AMOUNT, CURRENCY, description=PRODUCT)["id"]


def authorize(intent_id, card):
    """Charges the card. Returns the order's phase, the notice, and the intent.

    The intent is None if the next card needs a new draft.
    """
    unchanged = {"payment_method": None}
    try:
        intent = payments.authorize(intent_id, card, idempotency_key=str(uuid.uuid4()))
    except Exception as error:  # whatever it was, the card may have been charged
        recovery = getattr(error, "recovery", "resolve_intent")
        log("Not authorized: %s, %s" % (intent_id, recovery))  # without its message
        if recovery == "resolve_intent":
            return "unresolved", None, unchanged
        if recovery == "restart_checkout":
            return "open", EXPIRED, unchanged
        # "not_specified": perhaps because of the draft.
        return "open", REFUSED, None if recovery == "not_specified" else unchanged
    if intent["status"] in ("committed", "authorized"):
        return "paid", None, intent
    if intent["status"] == "failed":
        reason = DECLINES.get(intent["failure_reason"], "el banco la ha rechazado")
        notice = "Tarjeta rechazada: %s. No ha pagado. Pruebe con otra tarjeta." % reason
        return "open", notice, None  # a declined intent is used up
    log("Not authorized: %s is in a status that the specification does not show" % intent_id)
    return "unresolved", None, unchanged


def key_id_of(posted):
    """The key that a posted block names, or None. Says nothing about the rest of it."""
    try:
        key_id = json.loads(posted)["key_id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return key_id if isinstance(key_id, str) else None


def log(line):
    print(line, file=sys.stderr, flush=True)


def log_failure(error):
    """Without the message: an error can repeat what was posted."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    log("Failed: %s\n%s" % (type(error).__name__, frames))


# --- The server ------------------------------------------------------------------------------


class Shop(BaseHTTPRequestHandler):
    """One request. The paths are those of ``do_GET`` and ``do_POST``."""

    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds without a byte; a connection that says nothing is closed
    MAX_BODY = 16 * 1024  # a block takes less than 2 KiB

    def do_GET(self):
        self.handle_request({"/": show_cart, "/cardseal.js": send_script, "/pago": show_payment})

    def do_POST(self):
        self.handle_request(
            {"/pedido": start_order, "/pago": post_payment, "/pago/clave": send_key}
        )

    def handle_request(self, pages):
        if not self.is_framed_clearly():
            return self.send_error(400)
        self.fields = {}
        self.new_cookie = None
        try:
            address = urlsplit(self.path)
        except ValueError:
            return self.send_error(400)
        self.query = parse_qs(address.query)
        self.session_id = self.read_cookie()
        self.session = sessions.get(self.session_id)
        try:
            if self.command == "POST" and not self.read_form():
                return self.send_page("Error", "<p>La tienda no aceptó lo enviado.</p>", 400)
            pages.get(address.path, show_nothing)(self)
        except CardPaymentsError as error:
            log("Card Payment Service: %s, status %s" % (error.recovery, error.status))
            self.send_page("Pago no disponible", UNAVAILABLE, 502)
        except OSError:
            raise  # the browser is gone
        except Exception as error:
            log_failure(error)
            self.send_page("Error", FAILED, 500)

    def is_framed_clearly(self):
        """Whether it is certain where the request ends: a proxy must not see another end."""
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) > 1:
            return False
        return self.command == "POST" or not lengths or lengths[0].strip() == "0"

    def send_error(self, code, message=None, explain=None):
        """A fixed text: Python would repeat what was sent. What follows is not read."""
        self.close_connection = True
        self.request_version = self.protocol_version  # without one, Python would send no status
        self.send_response(code, "Refused")
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def read_cookie(self):
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get("session")
        except CookieError:
            return None
        return cookie.value if cookie else None

    def read_form(self):
        length = self.headers.get("Content-Length", "0")
        if not length.isdecimal() or int(length) > self.MAX_BODY:
            self.close_connection = True  # what was not read would be taken for a request
            return False
        body = self.rfile.read(int(length))
        try:
            self.fields = parse_qs(body.decode("utf-8"), keep_blank_values=True)
        except ValueError:
            return False
        return True

    def field(self, name):
        """A form field that came exactly once, or None."""
        values = self.fields.get(name, [])
        return values[0] if len(values) == 1 else None

    def has_csrf_token(self):
        """Whether the page that asks is of this session: as Django does it, field or header."""
        if self.session is None:
            return False
        token = self.field("csrfmiddlewaretoken") or self.headers.get("X-CSRFToken", "")
        return hmac.compare_digest(token.encode(), self.session.csrf_token.encode())

    def keep_session(self, session):
        """Gives the session a fresh id: at its beginning, and when an order or a login begins."""
        sessions.remove(self.session_id)
        self.session = session
        self.session_id = sessions.add(session)
        self.new_cookie = "session=%s; Path=/; HttpOnly; SameSite=Lax" % self.session_id
        # With https, add: "; Secure"

    def order(self):
        """The order that the address or the form names, if this session has it."""
        order_id = self.field("pedido") or self.query.get("pedido", [""])[0]
        return self.session.orders.get(order_id) if self.session else None

    def redirect(self, path):
        """303: the browser asks for the page with GET, so that a reload posts nothing."""
        self.answer(303, b"", {"Location": path})

    def send_page(self, title, body, status=200, headers=None):
        """``body`` is HTML: what comes from elsewhere was escaped."""
        nonce = secrets.token_urlsafe(16)
        page = PAGE % {
            "title": title,
            "nonce": nonce,
            "integrity": INTEGRITY,
            "csrf": escape(self.session.csrf_token) if self.session else "",
            "body": body,
        }
        policy = (
            "default-src 'none'; script-src 'self'; connect-src 'self'; "
            "style-src 'nonce-%s'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        self.answer(
            status,
            page.encode("utf-8"),
            {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": policy % nonce,
                **(headers or {}),
            },
        )

    def answer(self, status, body, headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")  # pages have a key of one shopper alone
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        if self.new_cookie:
            self.send_header("Set-Cookie", self.new_cookie)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Nothing: Python would log the address as it was sent, and that can hold anything."""


def show_cart(request):
    if request.session is None:
        request.keep_session(Session())
    request.send_page(
        "Cesta",
        CART
        % {
            "product": PRODUCT,
            "price": price(),
            "csrf": escape(request.session.csrf_token),
        },
    )


def start_order(request):
    if not request.has_csrf_token():
        return request.redirect("/")
    order = Order()
    request.session.orders[order.id] = order
    # As after a login: an id that somebody else may know does not go into the checkout.
    request.keep_session(request.session)
    request.redirect("/pago?pedido=" + order.id)


def show_payment(request):
    """The form, or how the payment went."""
    order = request.order()
    if order is None:
        return request.redirect("/")
    if order.phase == "authorizing":
        # Comes back by itself until the outcome is known.
        request.send_page("Pago en curso", WAITING, headers={"Refresh": "2"})
    elif order.phase == "paid":
        card = "%s terminada en %s" % (order.card["brand"], order.card["last4"])
        values = {"price": price(), "card": escape(card), "reference": escape(order.intent_id)}
        request.send_page("Gracias", RECEIPT % values)
    elif order.phase == "unresolved":
        request.send_page("Pago incierto", unclear(order.intent_id))
    else:
        show_form(request, order)


def show_form(request, order):
    notice = ""
    if order.notice:
        notice = '<p class="notice" role="alert">%s</p>' % escape(order.notice)
    values = {
        "notice": notice,
        "product": PRODUCT,
        "price": price(),
        "key_url": escape("/pago/clave?pedido=" + order.id),
        "messages": escape(json.dumps(MESSAGES, ensure_ascii=False)),
        "csrf": escape(request.session.csrf_token),
        "order": escape(order.id),
    }
    request.send_page("Pago", FORM % values)


def send_key(request):
    """data-cardseal-key-url: the card form asks for a key when it loads, and for each later one."""
    order = request.order()
    key = None
    if request.has_csrf_token() and order is not None and order.phase == "open":
        key = issue_key(order)
    if key is None:
        return request.answer(409, b"", {})
    request.answer(200, json.dumps(key).encode("utf-8"), {"Content-Type": "application/json"})


def post_payment(request):
    posted = request.field("encrypted_card")
    session = request.session
    # The same block once more, by "Back", a reload or a second press: the outcome of the first.
    first = session.spent.get(key_id_of(posted)) if session else None
    if first is not None:
        return request.redirect("/pago?pedido=" + first)
    order = request.order()
    if order is None or not request.has_csrf_token():
        # The session that this page was made for is gone. It may have paid with this block.
        return request.send_page("Pago incierto", unclear(None), 409)
    pay(order, session, posted)
    request.redirect("/pago?pedido=" + order.id)


def send_script(request):
    request.answer(200, SCRIPT, {"Content-Type": "text/javascript; charset=utf-8"})


def show_nothing(request):
    request.send_page("No existe", '<p>Esta página no existe. <a href="/">Volver</a></p>', 404)


# --- The pages -------------------------------------------------------------------------------


def price():
    return ("%.2f" % (AMOUNT / 100)).replace(".", ",") + " US$"


def unclear(intent_id):
    """The answer was lost, or nobody knows this checkout any more: the shop has to find out."""
    reference = "<p>Referencia: %s</p>" % escape(intent_id) if intent_id else ""
    return UNCLEAR % {"reference": reference}


PAGE = """<!doctype html>
<html lang="es">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="csrf-token" content="%(csrf)s">
    <title>%(title)s · La Librería</title>
    <style nonce="%(nonce)s">
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 2rem auto; }
      label, .problem { display: block; }
      .problem, .notice { color: #a00; }
      input, button { font: inherit; }
    </style>
    <script src="/cardseal.js" integrity="%(integrity)s" defer></script>
  </head>
  <body>
    %(body)s
  </body>
</html>
"""

CART = """<h1>Su cesta</h1>
    <p>%(product)s: <strong>%(price)s</strong></p>
    <form method="post" action="/pedido">
      <input type="hidden" name="csrfmiddlewaretoken" value="%(csrf)s">
      <button>Hacer el pedido</button>
    </form>"""

# No card field has a name: the browser never posts one by itself.
FORM = """<h1>Pago</h1>
    %(notice)s
    <p>%(product)s: <strong>%(price)s</strong></p>
    <form method="post" action="/pago" data-cardseal data-cardseal-key-url="%(key_url)s"
          data-cardseal-csrf-header="X-CSRFToken" data-cardseal-messages="%(messages)s">
      <input type="hidden" name="csrfmiddlewaretoken" value="%(csrf)s">
      <input type="hidden" name="pedido" value="%(order)s">
      <p>
        <label for="numero">Número de la tarjeta</label>
        <input id="numero" autocomplete="cc-number" inputmode="numeric"
               aria-describedby="numero-error">
        <span id="numero-error" class="problem" data-cardseal-message></span>
      </p>
      <p>
        <label for="titular">Nombre que figura en la tarjeta</label>
        <input id="titular" autocomplete="cc-name" spellcheck="false"
               aria-describedby="titular-error">
        <span id="titular-error" class="problem" data-cardseal-message></span>
      </p>
      <p>
        <label for="caducidad">Caduca (MM/AA)</label>
        <input id="caducidad" autocomplete="cc-exp" inputmode="numeric" placeholder="MM/AA"
               aria-describedby="caducidad-error">
        <span id="caducidad-error" class="problem" data-cardseal-message></span>
      </p>
      <p>
        <label for="codigo">Código de seguridad</label>
        <input id="codigo" autocomplete="cc-csc" inputmode="numeric"
               aria-describedby="codigo-error">
        <span id="codigo-error" class="problem" data-cardseal-message></span>
      </p>
      <p role="alert" data-cardseal-status></p>
      <button disabled autocomplete="off" data-cardseal-enable>Pagar %(price)s</button>
      <noscript>
        <p>El pago necesita JavaScript: cifra su tarjeta en esta página.</p>
      </noscript>
    </form>"""

RECEIPT = """<h1>Gracias, su pedido está pagado</h1>
    <p>Importe: %(price)s</p>
    <p>Tarjeta: %(card)s</p>
    <p>Referencia: %(reference)s</p>
    <p><a href="/">Hacer otro pedido</a></p>"""

WAITING = """<h1>Su pago está en curso</h1>
    <p>No pague otra vez. Esta página se actualizará.</p>"""

UNCLEAR = """<h1>Todavía no sabemos si ha pagado</h1>
    <p>No pague otra vez. Vamos a comprobarlo y le avisaremos.</p>
    %(reference)s
    <p><a href="/">Volver a la tienda</a></p>"""

UNAVAILABLE = """<h1>Pago no disponible</h1>
    <p>La tienda no puede cobrar en este momento. No ha pagado.</p>
    <p><a href="">Intentarlo otra vez</a></p>"""


FAILED = """<h1>Algo ha fallado</h1>
    <p>La tienda no pudo hacerlo. <a href="/">Volver a la tienda</a></p>"""


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """Python would print the message of the error. A browser that is gone is no error."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            log_failure(error)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8080, help="0 takes one that is free")
    options = parser.parse_args()
    server = Server(("127.0.0.1", options.port), Shop)
    print("http://127.0.0.1:%d/" % server.server_address[1], flush=True)
    server.serve_forever()
