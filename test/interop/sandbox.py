"""The Card Payment Service as a black box: python3 sandbox.py ADDRESS

Written from the specification, with an encryptor of its own (python3-cryptography). It talks HTTP
to the sandbox and knows nothing of its code. Each answer is held against /openapi.json.
"""

import base64
import concurrent.futures
import http.client
import json
import sys
import time
import unittest
import urllib.parse
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

ADDRESS = urllib.parse.urlsplit(sys.argv.pop(1))
BOOKSHOP = 'sk_test_bookshop_published_key'
TEAHOUSE = 'sk_test_teahouse_published_key'
LIVE = 'sk_live_bookshop_published_key'

VISA = '4242424242424242'
CARD = {
    'number': VISA,
    'name': 'Zoë Ångström 🍏',
    'exp_month': '12',
    'exp_year': '2049',
    'cvv': '123',
}
FIELDS = [
    ('number', 'Pan'),
    ('name', 'Name'),
    ('exp_month', 'ExpMonth'),
    ('exp_year', 'ExpYear'),
    ('cvv', 'Cvc'),
]
INTENT_FIELDS = [
    'id',
    'amount',
    'amount_captured',
    'amount_refunded',
    'currency',
    'status',
    'status_at',
    'processor_ref',
    'failure_reason',
    'cancellation_reason',
    'capture_method',
    'payment_method',
    'description',
    'statement_descriptor',
    'metadata',
    'created',
    'updated',
    'livemode',
]


class Answer:
    def __init__(self, status, headers, raw):
        self.status = status
        self.headers = headers
        self.raw = raw
        self.body = json.loads(raw) if raw else None

    @property
    def code(self):
        return self.body.get('error', {}).get('code') if isinstance(self.body, dict) else None


def send(method, path, body=None, key=BOOKSHOP, headers=None, chunked=False):
    """One request. A body that is bytes is sent as it is, anything else as JSON."""
    sent = {} if key is None else {'Authorization': f'Bearer {key}'}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body, ensure_ascii=False).encode()
        sent['Content-Type'] = 'application/json'
    sent.update(headers or {})
    connection = http.client.HTTPConnection(ADDRESS.hostname, ADDRESS.port, timeout=30)
    if chunked:
        body = iter([body] if body else [])
        sent['Transfer-Encoding'] = 'chunked'
    connection.request(method, path, body, sent, encode_chunked=chunked)
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    answer = Answer(response.status, response.headers, raw)
    DOCUMENT.check(method, path, answer)
    return answer


class Document:
    """/openapi.json: every answer must be one that it describes."""

    def __init__(self):
        self.openapi = None
        self.checked = 0

    def load(self):
        self.openapi = json.loads(send('GET', '/openapi.json', key=None).raw)

    def check(self, method, path, answer):
        if self.openapi is None:
            return
        path = path.split('?')[0]
        parts = path.split('/')
        if path.startswith('/payments/card/pi_'):
            path = '/'.join([*parts[:3], '{id}', *parts[4:]])
        operation = self.openapi['paths'].get(path, {}).get(method.lower())
        if operation is None:
            return
        response = operation['responses'].get(str(answer.status))
        assert response, f'{method} {path}: {answer.status} is not described'
        schema = response['content']['application/json']['schema']
        problem = self.problem(schema, answer.body, 'body')
        assert problem is None, f'{method} {path}: {problem}'
        self.checked += 1

    def problem(self, schema, value, where):
        """The first deviation from a schema, of the keywords that the document uses."""
        if '$ref' in schema:
            name = schema['$ref'].rsplit('/', 1)[1]
            return self.problem(self.openapi['components']['schemas'][name], value, where)
        if 'anyOf' in schema:
            problems = [self.problem(option, value, where) for option in schema['anyOf']]
            return None if None in problems else problems[0]
        if 'enum' in schema and value not in schema['enum']:
            return f'{where} is none of {schema["enum"]}'
        if 'const' in schema and value != schema['const']:
            return f'{where} is not {schema["const"]}'
        if 'type' in schema and not is_of_type(schema['type'], value):
            return f'{where} is not of type {schema["type"]}'
        if is_number(value):
            if value < schema.get('minimum', value) or value > schema.get('maximum', value):
                return f'{where} is out of bounds'
        if isinstance(value, str):
            length = len(value)
            if not schema.get('minLength', 0) <= length <= schema.get('maxLength', length):
                return f'{where} has a wrong length'
        if isinstance(value, list) and 'items' in schema:
            problems = (self.problem(schema['items'], item, f'{where}[]') for item in value)
            return next((problem for problem in problems if problem), None)
        if isinstance(value, dict):
            return self.problem_of_object(schema, value, where)
        return None

    def problem_of_object(self, schema, value, where):
        properties = schema.get('properties', {})
        missing = [name for name in schema.get('required', []) if name not in value]
        if missing:
            return f'{where} has no {missing}'
        for name, member in value.items():
            rest = schema.get('additionalProperties', True)
            if name not in properties and rest is False:
                return f'{where} has an unknown {name}'
            inner = properties.get(name, rest)
            if isinstance(inner, dict):
                problem = self.problem(inner, member, f'{where}.{name}')
                if problem:
                    return problem
        return None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_of_type(name, value):
    return {
        'object': isinstance(value, dict),
        'array': isinstance(value, list),
        'string': isinstance(value, str),
        'boolean': isinstance(value, bool),
        'integer': isinstance(value, int) and not isinstance(value, bool),
        'number': is_number(value),
        'null': value is None,
    }[name]


DOCUMENT = Document()


def request_key(key=BOOKSHOP):
    answer = send('POST', '/payments/card/encryption-keys', key=key)
    assert answer.status == 201, answer.raw
    return answer.body


def create(key=BOOKSHOP, headers=None, **changes):
    body = {'amount': 1000, 'currency': 'USD', **changes}
    answer = send('POST', '/payments/card', body, key, headers)
    assert answer.status == 201, answer.raw
    return answer.body


def layout_of(card):
    return [{'field': field, 'len': len(card[name].encode())} for name, field in FIELDS]


def encrypt(key, plaintext, hash=hashes.SHA256, mgf=hashes.SHA256):
    public_key = serialization.load_der_public_key(
        base64.b64decode(key['public_key'], validate=True)
    )
    oaep = padding.OAEP(mgf=padding.MGF1(mgf()), algorithm=hash(), label=None)
    return base64.b64encode(public_key.encrypt(plaintext, oaep)).decode()


def block_of(key, **changes):
    card = {**CARD, **changes}
    plaintext = ''.join(card[name] for name, _ in FIELDS).encode()
    return {'payload': encrypt(key, plaintext), 'key_id': key['id'], 'layout': layout_of(card)}


def authorize(intent, block, key=BOOKSHOP, headers=None):
    return send('POST', f'/payments/card/{intent["id"]}/authorize', block, key, headers)


def read(intent, key=BOOKSHOP):
    return send('GET', f'/payments/card/{intent["id"]}', key=key)


def pay(capture_method='automatic', **changes):
    answer = authorize(create(capture_method=capture_method), block_of(request_key(), **changes))
    assert answer.status == 200, answer.raw
    return answer.body


def refusal_of(block):
    answer = authorize(create(), block)
    return answer.status, answer.code


INVALID_BLOCK = (422, 'invalid_encryption_block')


class Resources(unittest.TestCase):
    def test_encryption_key(self):
        before = time.time() * 1000
        answer = send('POST', '/payments/card/encryption-keys')
        self.assertEqual(answer.status, 201)
        key = answer.body
        self.assertEqual(list(key), ['id', 'scheme', 'public_key', 'expires_at'])
        self.assertTrue(key['id'].startswith('cek_'))
        self.assertEqual(key['scheme'], 'RSA_OAEP_SHA256_V1')
        self.assertGreater(key['expires_at'], before)
        public_key = serialization.load_der_public_key(base64.b64decode(key['public_key']))
        self.assertIsInstance(public_key, rsa.RSAPublicKey)
        self.assertGreaterEqual(public_key.key_size, 2048)
        der = public_key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.assertEqual(base64.b64encode(der).decode(), key['public_key'])

    def test_keys_in_a_row_are_different(self):
        keys = [request_key() for _ in range(3)]
        for name in ('id', 'public_key'):
            self.assertEqual(len({key[name] for key in keys}), 3)

    def test_intent(self):
        before = time.time() * 1000
        intent = create()
        self.assertEqual(list(intent), INTENT_FIELDS)
        self.assertTrue(intent['id'].startswith('pi_card_'))
        expected = {
            'amount': 1000,
            'amount_captured': 0,
            'amount_refunded': 0,
            'currency': 'USD',
            'status': 'created',
            'status_at': None,
            'processor_ref': None,
            'failure_reason': None,
            'cancellation_reason': None,
            'capture_method': 'automatic',
            'payment_method': None,
            'description': None,
            'statement_descriptor': None,
            'metadata': {},
            'livemode': False,
        }
        self.assertEqual({name: intent[name] for name in expected}, expected)
        self.assertLess(abs(intent['created'] - before), 60_000)
        self.assertEqual(intent['updated'], intent['created'])
        self.assertEqual(read(intent).body, intent)

    def test_what_is_given_at_creation_comes_back(self):
        given = {
            'amount': 1,
            'currency': 'EUR',
            'capture_method': 'manual',
            'description': 'Bücher 📚',
            'statement_descriptor': 'BOOKS',
            'metadata': {'order': '7', '__proto__': 'x', 'ключ': 'é'},
        }
        intent = create(**given)
        self.assertEqual({name: intent[name] for name in given}, given)

    def test_amount_and_currency_are_validated(self):
        for amount in (0, -1, 1.5, '1000', None, True, 10**12, [1]):
            answer = send('POST', '/payments/card', {'amount': amount, 'currency': 'USD'})
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'), amount)
        for currency in ('usd', 'US', 'XXX', '', None, 840):
            answer = send('POST', '/payments/card', {'amount': 1, 'currency': currency})
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'), currency)
        for body in ({}, {'amount': 1}, {'currency': 'USD'}, [], None, 'x', 1):
            answer = send(
                'POST',
                '/payments/card',
                json.dumps(body).encode(),
                headers={'Content-Type': 'application/json'},
            )
            self.assertEqual(answer.status, 400, body)


class Transitions(unittest.TestCase):
    def test_automatic(self):
        intent = pay()
        self.assertEqual(intent['status'], 'committed')
        self.assertEqual(intent['amount_captured'], intent['amount'])
        self.assertEqual(intent['payment_method'], {'brand': 'visa', 'last4': '4242'})
        self.assertIsInstance(intent['status_at'], int)
        self.assertIsInstance(intent['processor_ref'], str)
        self.assertGreater(intent['updated'], intent['created'] - 1)

    def test_manual_and_commit(self):
        intent = pay('manual')
        self.assertEqual((intent['status'], intent['amount_captured']), ('authorized', 0))
        path = f'/payments/card/{intent["id"]}'
        committed = send('POST', f'{path}/commit')
        self.assertEqual(committed.status, 200)
        self.assertEqual(
            (committed.body['status'], committed.body['amount_captured']), ('committed', 1000)
        )
        self.assertEqual(send('POST', f'{path}/commit').status, 409)

    def test_declined(self):
        intent = pay(number='4000000000000002')
        self.assertEqual((intent['status'], intent['failure_reason']), ('failed', 'card_declined'))
        self.assertEqual((intent['amount_captured'], intent['payment_method']), (0, None))
        self.assertEqual(authorize(intent, block_of(request_key())).status, 409)

    def test_brands(self):
        for number, brand in {
            '5555555555554444': 'mastercard',
            '378282246310005': 'amex',
            '6011111111111117': 'discover',
            '30569309025904': 'diners',
            '3566002020360505': 'jcb',
            '4222222222222': 'visa',
        }.items():
            method = pay(number=number)['payment_method']
            self.assertEqual(method, {'brand': brand, 'last4': number[-4:]})

    def test_lengths_belong_to_brands(self):
        for number in (
            '424242424242',
            '42424242424242',
            '424242424242424',
            '4242424242424242424'[:18],
            '55555555555544',
            '3782822463100',
            '601111111111111',
        ):
            number = with_check_digit(number)
            intent = pay(number=number)
            self.assertEqual(
                (intent['status'], intent['failure_reason']), ('failed', 'incorrect_number'), number
            )

    def test_impossible_cards_are_declined(self):
        for changes, reason in (
            ({'number': '4242424242424241'}, 'incorrect_number'),
            ({'exp_month': '13'}, 'invalid_expiry_month'),
            ({'exp_year': '2020'}, 'expired_card'),
        ):
            self.assertEqual(pay(**changes)['failure_reason'], reason)

    def test_cancel(self):
        for intent in (create(), pay('manual')):
            answer = send('POST', f'/payments/card/{intent["id"]}/cancel')
            self.assertEqual((answer.status, answer.body['status']), (200, 'cancelled'))
            self.assertIsInstance(answer.body['cancellation_reason'], str)
            self.assertEqual(authorize(answer.body, block_of(request_key())).status, 409)

    def test_refund(self):
        intent = pay()
        path = f'/payments/card/{intent["id"]}/refund'
        self.assertEqual(send('POST', path, {'amount': 300}).body['amount_refunded'], 300)
        self.assertEqual(send('POST', path, {'amount': 701}).code, 'refund_too_large')
        self.assertEqual(send('POST', path).body['amount_refunded'], 1000)
        self.assertEqual(read(intent).body['status'], 'committed')

    def test_one_of_many_at_once_wins(self):
        intent = create()
        blocks = [block_of(request_key()) for _ in range(8)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda block: authorize(intent, block), blocks))
        self.assertEqual(sorted(answer.status for answer in answers), [200] + [409] * 7)


class Blocks(unittest.TestCase):
    def test_any_name(self):
        for name in (
            'A',
            '李小龍',
            'Ю' * 20,
            '👩‍👩‍👧',
            'O’Brien; "x"',
            '4242',
            '\ufeffAda',
            'e\u0301',
        ):
            self.assertEqual(pay(name=name)['status'], 'committed', name)

    def test_name_that_fills_the_key(self):
        room = 256 - 66 - 16 - 2 - 4 - 3
        self.assertEqual(pay(name='n' * room)['status'], 'committed')

    def test_layout_that_does_not_match(self):
        def changed(change):
            block = block_of(request_key())
            change(block['layout'])
            return block

        for change in (
            lambda layout: layout.pop(),
            lambda layout: layout.reverse(),
            lambda layout: layout.append({'field': 'Cvc', 'len': 0}),
            lambda layout: layout[0].update(len=15),
            lambda layout: layout[4].update(len=4),
            lambda layout: layout[1].update(len=len(CARD['name'])),
            lambda layout: layout[0].update(field='PAN'),
            lambda layout: layout[3].update(len=-4),
            lambda layout: (layout[0].update(len=17), layout[1].update(len=layout[1]['len'] - 1)),
            lambda layout: layout.clear(),
        ):
            self.assertEqual(refusal_of(changed(change)), INVALID_BLOCK)

    def test_contents_that_break_the_limits(self):
        for changes in (
            {'cvv': '12'},
            {'cvv': '12345'},
            {'exp_month': '1'},
            {'exp_year': '49'},
            {'number': '4242 4242 4242 4242'},
            {'cvv': '12x'},
            {'exp_month': '1 '},
        ):
            self.assertEqual(refusal_of(block_of(request_key(), **changes)), INVALID_BLOCK, changes)

    def test_what_cannot_be_decrypted(self):
        plaintext = ''.join(CARD[name] for name, _ in FIELDS).encode()
        other = request_key()
        for payload in (
            lambda key: encrypt(key, plaintext, hash=hashes.SHA1),
            lambda key: encrypt(key, plaintext, mgf=hashes.SHA1),
            lambda key: encrypt(other, plaintext),
            lambda key: encrypt(key, plaintext)[:-4],
            lambda key: encrypt(key, plaintext).rstrip('='),
            lambda key: encrypt(key, plaintext) + '\n',
            lambda key: 'A' * 342 + '==',
            lambda key: '',
            lambda key: VISA,
        ):
            key = request_key()
            block = {'payload': payload(key), 'key_id': key['id'], 'layout': layout_of(CARD)}
            self.assertEqual(refusal_of(block), INVALID_BLOCK)

    def test_all_that_cannot_be_used_has_one_answer(self):
        bad_layout = block_of(request_key())
        bad_layout['layout'].pop()
        bad_payload = {**block_of(request_key()), 'payload': 'AAAA'}
        answers = [authorize(create(), block).raw for block in (bad_layout, bad_payload)]
        self.assertEqual(answers[0], answers[1])

    def test_one_key_takes_one_block(self):
        key = request_key()
        self.assertEqual(authorize(create(), block_of(key)).status, 200)
        self.assertEqual(refusal_of(block_of(key)), (422, 'encryption_key_used'))

    def test_unknown_key_and_that_of_another_account(self):
        foreign = request_key(TEAHOUSE)
        intent = create()
        answers = [authorize(intent, block_of(foreign))]
        for id in ('cek_0', '', foreign['id'] + ' ', foreign['id'].upper()):
            answers.append(authorize(intent, {**block_of(foreign), 'key_id': id}))
        for answer in answers:
            self.assertEqual((answer.status, answer.code), (422, 'unknown_encryption_key'))
            self.assertEqual(answer.raw, answers[0].raw)
        self.assertEqual(read(intent).body['status'], 'created')

    def test_missing_and_unknown_fields_and_card_data(self):
        block = block_of(request_key())
        for body in (
            *(
                {name: value for name, value in block.items() if name != missing}
                for missing in block
            ),
            {**block, 'amount': 1},
            {**block, 'number': VISA},
            {**block, 'payload': 1},
            {**block, 'layout': {}},
            {**block, 'layout': [{'field': 'Pan', 'len': '16'}]},
            {**block, 'layout': [{'field': 'Pan', 'len': 16.5}]},
            CARD,
        ):
            answer = authorize(create(), body)
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'))
            self.assertNotIn(VISA.encode(), answer.raw)
        self.assertEqual(authorize(create(), block).status, 200)  # the key was not spent


class Authentication(unittest.TestCase):
    WAYS = [
        ('POST', '/payments/card/encryption-keys'),
        ('POST', '/payments/card'),
        ('GET', '/payments/card'),
        ('GET', '/payments/card/pi_card_0'),
        *(
            ('POST', f'/payments/card/pi_card_0/{name}')
            for name in ('authorize', 'commit', 'cancel', 'refund')
        ),
    ]

    def test_every_request_needs_a_key(self):
        for method, path in self.WAYS:
            for headers in (
                {},
                {'Authorization': ''},
                {'Authorization': 'Basic eDp5'},
                {'Authorization': BOOKSHOP},
                {'Authorization': f'Bearer {BOOKSHOP} x'},
            ):
                answer = send(method, path, key=None, headers=headers)
                self.assertEqual((answer.status, answer.code), (401, 'authentication_required'))
                self.assertEqual(answer.headers['WWW-Authenticate'], 'Bearer')
            answer = send(method, path, key='sk_test_of_nobody')
            self.assertEqual((answer.status, answer.code), (401, 'invalid_api_key'))

    def test_accounts_and_modes_are_apart(self):
        intent = create()
        for key in (TEAHOUSE, LIVE):
            self.assertEqual(read(intent, key).code, 'intent_not_found')
            self.assertEqual(
                authorize(intent, block_of(request_key(key)), key).code, 'intent_not_found'
            )
            self.assertNotIn(
                intent['id'].encode(), send('GET', '/payments/card?limit=100', key=key).raw
            )

    def test_live_mode(self):
        intent = create(LIVE)
        self.assertTrue(intent['livemode'])
        paid = authorize(intent, block_of(request_key(LIVE)), LIVE).body
        self.assertEqual((paid['status'], paid['livemode']), ('committed', True))
        self.assertEqual(
            authorize(create(), block_of(request_key(LIVE))).code, 'unknown_encryption_key'
        )
        answer = send('GET', '/payments/card', key=LIVE, headers={'Host': 'sandbox.example'})
        self.assertEqual((answer.status, answer.code), (401, 'invalid_api_key'))


class Repeated(unittest.TestCase):
    def test_the_first_response_again(self):
        headers = {'Idempotency-Key': str(uuid.uuid4())}
        first = send(
            'POST',
            '/payments/card',
            {'amount': 1, 'currency': 'USD', 'metadata': {'a': '1', 'b': '2'}},
            headers=headers,
        )
        again = send(
            'POST',
            '/payments/card',
            {'metadata': {'b': '2', 'a': '1'}, 'currency': 'USD', 'amount': 1},
            headers=headers,
        )
        self.assertEqual((again.status, again.raw), (201, first.raw))
        self.assertEqual(again.headers['Idempotent-Replayed'], 'true')
        other = send('POST', '/payments/card', {'amount': 2, 'currency': 'USD'}, headers=headers)
        self.assertEqual((other.status, other.code), (422, 'idempotency_key_reused'))

    def test_a_card_is_charged_once(self):
        intent, block = create(), block_of(request_key())
        headers = {'Idempotency-Key': str(uuid.uuid4())}
        answers = [authorize(intent, block, headers=headers) for _ in range(3)]
        self.assertEqual({answer.raw for answer in answers}, {answers[0].raw})
        self.assertEqual(answers[2].body['status'], 'committed')
        self.assertEqual(authorize(intent, block).code, 'invalid_intent_state')


class Http(unittest.TestCase):
    JSON = {'Content-Type': 'application/json'}

    def test_an_empty_body_is_no_body(self):
        for type in (None, 'application/json', 'text/plain', 'application/x-www-form-urlencoded'):
            headers = {'Content-Type': type} if type else {}
            for chunked in (False, True):
                answer = send(
                    'POST', '/payments/card/encryption-keys', b'', headers=headers, chunked=chunked
                )
                self.assertEqual(answer.status, 201, (type, chunked))
                path = f'/payments/card/{create()["id"]}/cancel'
                self.assertEqual(
                    send('POST', path, b'', headers=headers, chunked=chunked).status, 200
                )
                answer = send('POST', '/payments/card', b'', headers=headers, chunked=chunked)
                self.assertEqual(answer.status, 400)

    def test_a_body_where_none_is_due(self):
        for path in (
            '/payments/card/encryption-keys',
            f'/payments/card/{pay("manual")["id"]}/commit',
        ):
            answer = send('POST', path, {})
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'))
        for chunked in (False, True):
            answer = send('GET', '/payments/card', b'{}', headers=self.JSON, chunked=chunked)
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'))

    def test_only_json_is_read(self):
        body = b'{"amount":1,"currency":"USD"}'
        for type in ('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'):
            answer = send('POST', '/payments/card', body, headers={'Content-Type': type})
            self.assertEqual((answer.status, answer.code), (415, 'unsupported_media_type'))

    def test_text_that_is_no_json_or_no_utf8(self):
        for body in (
            b'{',
            b'{"amount":1,"amount":2,"currency":"USD"}',
            b'\xff',
            b'{"amount":NaN}',
            b'\xef\xbb\xbf{"amount":1,"currency":"USD"}',
            "{'amount':1}".encode(),
            '{"amount":1,"currency":"USD","description":"é"}'.encode('latin-1'),
            '{"amount":1,"currency":"USD"}'.encode('utf-16'),
        ):
            answer = send('POST', '/payments/card', body, headers=self.JSON)
            self.assertEqual((answer.status, answer.code), (400, 'invalid_json'), body)

    def test_size(self):
        answer = send(
            'POST', '/payments/card', {'amount': 1, 'currency': 'USD', 'description': 'x' * 70_000}
        )
        self.assertEqual((answer.status, answer.code), (413, 'request_too_large'))

    def test_head(self):
        intent = create()
        for path in ('/payments/card?limit=1', f'/payments/card/{intent["id"]}'):
            head, get = send_raw('HEAD', path), send('GET', path)
            self.assertEqual((head.status, head.raw), (200, b''))
            self.assertEqual(head.headers['Content-Length'], get.headers['Content-Length'])

    def test_unknown_paths(self):
        for method, path in (
            ('GET', '/' + 'x'),
            ('DELETE', '/payments/card'),
            ('PUT', '/payments/card'),
        ):
            answer = send(method, path)
            self.assertEqual((answer.status, answer.code), (404, 'not_found'))

    def test_no_answer_is_cached_or_for_another_origin(self):
        for answer in (
            send('GET', '/payments/card', headers={'Origin': 'https://shop.example'}),
            send('GET', '/payments/card', key=None),
        ):
            self.assertEqual(answer.headers['Cache-Control'], 'no-store')
            self.assertEqual(answer.headers['Content-Type'], 'application/json; charset=utf-8')
            self.assertNotIn(
                'access-control-allow-origin', {name.lower() for name in answer.headers}
            )


class Lists(unittest.TestCase):
    def test_pages(self):
        ids = [create()['id'] for _ in range(7)][::-1]
        seen, after = [], ''
        while len(seen) < 7:
            page = send('GET', f'/payments/card?limit=3{after}').body
            seen += [intent['id'] for intent in page['data']]
            after = f'&starting_after={seen[-1]}'
        self.assertEqual(seen[:7], ids)

    def test_limit_is_an_integer(self):
        for limit in ('1.5', '1e1', '1.0', '0', '101', '-1', '', 'x', '%2B5', '%205', '0x1', '05'):
            answer = send('GET', f'/payments/card?limit={limit}')
            self.assertEqual((answer.status, answer.code), (400, 'invalid_request'), limit)

    def test_unknown_starting_point(self):
        self.assertEqual(
            send('GET', '/payments/card?starting_after=pi_card_0').code, 'intent_not_found'
        )
        self.assertEqual(send('GET', '/payments/card?after=pi_card_0').status, 400)


class Controls(unittest.TestCase):
    """What /openapi.json says of the sandbox: faults, the clock, and who may use them."""

    def test_clock(self):
        key, intent = request_key(), create()
        day = 24 * 60 * 60 * 1000
        self.control('clock', {'advance_ms': day // 2})
        try:
            answer = authorize(intent, block_of(key))
            self.assertEqual((answer.status, answer.code), (422, 'encryption_key_expired'))
            self.control('clock', {'advance_ms': day})
            self.assertEqual(authorize(intent, block_of(key)).code, 'unknown_encryption_key')
        finally:
            self.control('clock', {'ahead_ms': 0})
        self.assertEqual(authorize(intent, block_of(request_key())).status, 200)

    def test_faults(self):
        self.control('faults', {'operation': 'authorize', 'fault': 'after-404', 'times': 1})
        intent = create()
        block = block_of(request_key())
        self.assertEqual(authorize(intent, block).status, 404)
        self.assertEqual(read(intent).body['status'], 'committed')
        with self.assertRaises((http.client.HTTPException, ConnectionError)):
            send('POST', '/payments/card/encryption-keys', headers={'Sandbox-Fault': 'after-drop'})
        self.assertEqual(send('POST', '/payments/card/encryption-keys').status, 201)

    def test_reasons(self):
        authorize(create(), {**block_of(request_key()), 'layout': []})
        newest = send('GET', '/sandbox', key=None).body['requests'][0]
        self.assertEqual(newest['code'], 'invalid_encryption_block')
        self.assertIn('The layout has 0 entries, not 5', newest['reason'])

    def test_other_hosts_and_sites(self):
        for headers in (
            {'Host': 'shop.example'},
            {'Origin': 'https://shop.example'},
            {'Sec-Fetch-Site': 'cross-site'},
        ):
            for method, path in (('GET', '/'), ('GET', '/sandbox'), ('POST', '/sandbox/reset')):
                self.assertEqual(send_raw(method, path, headers).status, 403, (headers, path))

    def control(self, name, body):
        self.assertEqual(send('POST', f'/sandbox/{name}', body, key=None).status, 200)


def send_raw(method, path, headers=None):
    """Without looking at the body."""
    connection = http.client.HTTPConnection(ADDRESS.hostname, ADDRESS.port, timeout=30)
    connection.request(
        method, path, headers={'Authorization': f'Bearer {BOOKSHOP}', **(headers or {})}
    )
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, b'')
    answer.raw = response.read()
    connection.close()
    return answer


def with_check_digit(number):
    digits = [int(digit) for digit in number[:-1]][::-1]
    total = sum(
        sum(divmod(digit * 2, 10)) if i % 2 == 0 else digit for i, digit in enumerate(digits)
    )
    return number[:-1] + str(-total % 10)


if __name__ == '__main__':
    DOCUMENT.load()
    program = unittest.main(exit=False)
    print(f'{DOCUMENT.checked} answers are as /openapi.json describes them')
    sys.exit(not program.result.wasSuccessful())
