"""A shop for the tests, in Django: one file."""

from app import cardseal, checkout, order_of
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from cardseal.frameworks.django import respond

assert cardseal
settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="of a test")


@csrf_exempt  # the handler refuses what other sites post
def pay(request):
    return respond(checkout, request, order_of(request.GET), sender="203.0.113.7")


urlpatterns = [path("checkout", pay)]
app = get_wsgi_application()
