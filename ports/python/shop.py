"""A small shop that takes cards, in Spanish. Run it with nothing but Python:

    python3 ports/python/shop.py --port 8080

After a payment whose outcome is not certain, the staff of the shop find out what became of it:

    python3 ports/python/shop.py resolve ORDER INTENT committed

See README.md for what to copy and what to change.

What holds at every step: each press of "Pagar" ends on a page that says what happened, and no
order is paid twice. Checkout sees to that. The session has nothing but the ids of the orders.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import secrets
import sys
import traceback
from html import escape
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

try:
    from cardseal import (
        CardPayments,
        Checkout,
        IssuedKey,
        NoKey,
        Order,
        Status,
        TooMany,
        sqlite_store,
    )
except ImportError:  # in a clone, where the package is not installed
    sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))
    from cardseal import (
        CardPayments,
        Checkout,
        IssuedKey,
        NoKey,
        Order,
        Status,
        TooMany,
        sqlite_store,
    )

PRODUCT = "Un libro"
AMOUNT = 2490  # minor units: 24.90
CURRENCY = "USD"

NOT_PAID = "No se pudo hacer el pago. No ha pagado. Vuelva a introducir su tarjeta."
RETRY_IS_SAFE = (
    "Todavía no sabemos si ha pagado. Vuelva a introducir su tarjeta: no pagará dos veces."
)

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
    "payment_unavailable": "No se puede pagar con tarjeta.",
    "reload_page": "Recargue la página y vuelva a introducir su tarjeta.",
    "press_again": "Pulse Pagar otra vez. Si no basta, recargue la página.",
    "payment_under_way": "El pago está en curso. Espere a la página siguiente.",
    "one_moment": "Un momento…",
    "no_answer": "Todavía no hay respuesta. Pulse Pagar otra vez.",
}

# What the shopper reads about a decline, where it helps them.
DECLINES = {
    "insufficient_funds": "no hay saldo suficiente",
    "expired_card": "la tarjeta ha caducado",
    "incorrect_cvc": "el código de seguridad no es correcto",
}

# The script of the card form, dist/cardseal.js of the package: beside this file, or in a clone.
HERE = Path(__file__).resolve().parent
SCRIPTS = [HERE / "cardseal.js", HERE / "../../dist/cardseal.js"]


def read_script():
    for path in SCRIPTS:
        if path.is_file():
            return path.read_bytes()
    sys.exit("Copy dist/cardseal.js of the package beside shop.py")


SCRIPT = read_script()
INTEGRITY = "sha384-" + base64.b64encode(hashlib.sha384(SCRIPT).digest()).decode("ascii")

# A folder that lasts.
DATA = Path(os.environ.get("SHOP_DATA") or HERE / "data")
DATA.mkdir(mode=0o700, exist_ok=True)

checkout = Checkout(
    CardPayments(
        os.environ.get("CARD_PAYMENTS_URL", "http://127.0.0.1:3001"),
        # The sandbox's, which is published. Yours never stands in a file of the shop.
        os.environ.get("CARD_PAYMENTS_SECRET_KEY", "sk_test_bookshop_published_key"),
        float(os.environ.get("CARD_PAYMENTS_TIMEOUT_S", "30")),
    ),
    sqlite_store(str(DATA / "orders.sqlite")),
)


# --- The session -----------------------------------------------------------------------------


class Session:
    """Lives in a signed cookie, as in Flask and Django: a restart of the shop does not end it."""

    def __init__(self, csrf_token, orders):
        self.csrf_token = csrf_token
        self.orders = orders  # their ids

    def cookie(self):
        text = json.dumps([self.csrf_token, self.orders])
        content = base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii")
        return content + "." + sign(content)


def read_session(cookie):
    """The session of a cookie that this shop has signed, or None."""
    content, _, signature = cookie.partition(".")
    if not hmac.compare_digest(signature.encode("utf-8"), sign(content).encode("utf-8")):
        return None
    return Session(*json.loads(base64.urlsafe_b64decode(content)))


def sign(text):
    return hmac.new(SESSION_KEY, text.encode("utf-8"), "sha256").hexdigest()


def read_session_key():
    path = DATA / "session.key"
    if not path.exists():
        path.touch(mode=0o600)
        path.write_bytes(secrets.token_bytes(32))
    return path.read_bytes()


SESSION_KEY = read_session_key()


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
        self.session = read_session(self.read_cookie())
        try:
            if self.command == "POST" and not self.read_form():
                return self.send_page("Error", "<p>La tienda no aceptó lo enviado.</p>", 400)
            pages.get(address.path, show_nothing)(self)
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
            return ""
        return cookie.value if cookie else ""

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
        self.session = session
        self.new_cookie = "session=%s; Path=/; HttpOnly; SameSite=Lax" % session.cookie()
        # With https, add: "; Secure"

    def order(self):
        """The order that the address or the form names, if this session has it."""
        order_id = self.field("pedido") or self.query.get("pedido", [""])[0]
        if self.session is None or order_id not in self.session.orders:
            return None
        return Order(order_id, AMOUNT, CURRENCY, description=PRODUCT)

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
        request.keep_session(Session(secrets.token_urlsafe(32), []))
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
    """A new order only if the newest one is paid or withdrawn. Else that one goes on."""
    if not request.has_csrf_token():
        return request.redirect("/")
    orders = request.session.orders
    if not orders or is_over(checkout.outcome(orders[-1])):
        # In a real shop, what comes out of the cart, with its price, in the database. A cookie
        # holds 4 KB: this one keeps the newest orders.
        orders = orders[-49:] + [secrets.token_hex(8)]
        request.keep_session(Session(request.session.csrf_token, orders))
    request.redirect("/pago?pedido=" + orders[-1])


def is_over(outcome):
    """Two orders for one cart are two charges: what is open, or not certain, goes on."""
    return outcome.is_paid or outcome.status is Status.NO_ORDER


def send_key(request):
    """data-cardseal-key-url: the card form asks for a key when it loads, and for each later one."""
    order = request.order()
    if order is None or not request.has_csrf_token():
        return request.answer(409, b"", {})
    issued = checkout.issue_key(order)
    if isinstance(issued, IssuedKey):
        body = json.dumps(issued.key.as_json()).encode("utf-8")
        return request.answer(200, body, {"Content-Type": "application/json"})
    if isinstance(issued, TooMany):
        body, headers = b'{"status":"too_many"}', {"Retry-After": str(issued.retry_after)}
        return request.answer(429, body, {"Content-Type": "application/json", **headers})
    request.answer(502 if isinstance(issued, NoKey) else 409, b"", {})


def show_payment(request):
    """The page of an order: the form, or how the payment went."""
    order = request.order()
    if order is None:
        # The session is gone. It may have paid.
        return request.send_page("Pago incierto", unclear(None), 404)
    show_outcome(request, order, checkout.outcome(order.id))


def post_payment(request):
    order = request.order()
    if order is None or not request.has_csrf_token():
        # The session that this page was made for is gone. It may have paid with this block.
        return request.send_page("Pago incierto", unclear(None), 409)
    outcome = checkout.pay(order, request.field("encrypted_card"))
    now = checkout.outcome(order.id)
    if outcome.status is Status.INVALID_ENCRYPTED_CARD:
        return show_outcome(request, order, now, NOT_PAID, 400)
    if outcome.status is Status.NO_ORDER:
        # The block is none of this order. Another one may have been paid with it.
        return request.send_page("Pago incierto", unclear(order.id), 409)
    request.redirect("/pago?" + urlencode({"pedido": order.id}))


def show_outcome(request, order, outcome, text=None, status=200):
    """``text`` stands above the form. It must be true if nothing of this order is uncertain."""
    if outcome.is_paid:
        values = {"price": price(), "reference": escape(outcome.reference)}
        return request.send_page("Gracias", RECEIPT % values, status)
    if outcome.status is Status.NOT_CERTAIN:
        return request.send_page("Pago incierto", unclear(order.id), status)
    if outcome.status is Status.FAILED:
        return request.send_page("Pago rechazado", TEN_DECLINES, status)
    if outcome.status is Status.NO_ORDER:
        return request.send_page("Pedido anulado", WITHDRAWN, status)
    text = text_of(outcome) or text
    # The page asks for its key by itself.
    values = {
        "notice": '<p class="notice" role="alert">%s</p>' % escape(text) if text else "",
        "product": PRODUCT,
        "price": price(),
        "key_url": escape("/pago/clave?pedido=" + order.id),
        "messages": escape(json.dumps(MESSAGES, ensure_ascii=False)),
        "csrf": escape(request.session.csrf_token),
        "order": escape(order.id),
    }
    request.send_page("Pago", FORM % values, status)


def text_of(outcome):
    """What became of the last try."""
    if outcome.last is None:
        return None
    word = outcome.last.value
    if word == "failed":
        reason = DECLINES.get(outcome.reason, "el banco la ha rechazado")
        return "Tarjeta rechazada: %s. No ha pagado. Pruebe con otra tarjeta." % reason
    return {"not_paid": NOT_PAID, "retry_is_safe": RETRY_IS_SAFE}.get(word)


def send_script(request):
    request.answer(200, SCRIPT, {"Content-Type": "text/javascript; charset=utf-8"})


def show_nothing(request):
    request.send_page("No existe", '<p>Esta página no existe. <a href="/">Volver</a></p>', 404)


# --- The pages -------------------------------------------------------------------------------


def price():
    return ("%.2f" % (AMOUNT / 100)).replace(".", ",") + " US$"


def unclear(order_id):
    """The answer was lost, or nobody knows this checkout any more: the shop has to find out."""
    reference = "<p>Referencia: %s</p>" % escape(order_id) if order_id else ""
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
    <p>Referencia: %(reference)s</p>
    <p><a href="/">Hacer otro pedido</a></p>"""

UNCLEAR = """<h1>Todavía no sabemos si ha pagado</h1>
    <p>No pague otra vez. Vamos a comprobarlo y le avisaremos.</p>
    %(reference)s
    <p><a href="/">Volver a la tienda</a></p>"""

TEN_DECLINES = """<h1>Pago rechazado</h1>
    <p>La tarjeta ha sido rechazada, y no se puede probar otra. No ha pagado. Contáctenos.</p>"""

WITHDRAWN = """<h1>Este pedido está anulado</h1>
    <p>No se ha cobrado en su tarjeta. <a href="/">Volver a la tienda</a></p>"""

FAILED = """<h1>Algo ha fallado</h1>
    <p>La tienda no pudo hacerlo. <a href="/">Volver a la tienda</a></p>"""


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # Python's own 5 makes browsers wait when many come at once

    def handle_error(self, request, client_address):
        """Python would print the message of the error. A browser that is gone is no error."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            log_failure(error)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8080, help="0 takes one that is free")
    commands = parser.add_subparsers(dest="command")
    staff = commands.add_parser("resolve", help="for the staff: what became of an intent")
    staff.add_argument("order")
    staff.add_argument("intent")
    staff.add_argument("resolution", choices=("committed", "authorized", "not_paid"))
    options = parser.parse_args()
    if options.command == "resolve":
        outcome = checkout.resolve(options.order, options.intent, options.resolution)
        print(json.dumps(outcome.as_json()))
        sys.exit()
    server = Server(("127.0.0.1", options.port), Shop)
    print("http://127.0.0.1:%d/" % server.server_address[1], flush=True)
    server.serve_forever()
