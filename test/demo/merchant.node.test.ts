import { describe, expect, test } from 'vitest';
import { encryptCard } from '../../src/core/index.ts';
import { deferred } from '../support/deferred.ts';
import { closing, DECLINED, SECRET_KEY, type Shopper, start, VISA } from './drivers/merchant.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** What a browser posts that sends the form itself. */
const asForm = (block: unknown) => {
  const fields = { payment_method: 'card', encrypted_card: JSON.stringify(block) };
  return [new URLSearchParams(fields).toString(), FORM_TYPE, { accept: 'text/html' }] as const;
};
const statusOf = ({ text }: { text: string }) => JSON.parse(text).status;
const authorizations = (calls: string[]) => calls.filter((call) => call === 'authorize').length;

describe('the checkout page', () => {
  test('gets the three key fields and nothing else of the service, and is sent with the headers that it is built for', async () => {
    const { shopper, calls } = await start();
    const { key, text, headers } = await shopper().open();
    expect(Object.keys(key!)).toEqual(['id', 'scheme', 'public_key']);
    for (const secret of ['expires_at', 'pi_card_', SECRET_KEY]) expect(text).not.toContain(secret);
    expect(calls.sort()).toEqual(['encryption-keys']); // the draft is made at the press
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none';" +
        "require-trusted-types-for 'script'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
  });

  test.each(['/checkout', '/checkout/plain'])(
    'has no script or style in it, no control that a form would post, and a button that only cardseal enables: %s',
    async (path) => {
      const { shopper } = await start();
      const { text } = await shopper().send(path);
      const controls = text.match(/<(input|select)\b[^>]*>/g)!;
      expect(controls.filter((tag) => tag.includes(' autocomplete="cc-'))).toHaveLength(4);
      const posted = controls.filter((tag) => tag.includes(' name='));
      expect(posted).toHaveLength(2); // the choice of how to pay
      for (const tag of posted)
        expect(tag).toMatch(/^<input type="radio" name="payment_method" value="(card|invoice)"/);
      expect(controls).toHaveLength(6);
      expect(text).not.toMatch(/<button[^>]* name=/);
      expect(text).toContain('<button disabled autocomplete="off" data-cardseal-enable>Pay');
      expect(text).toContain('<noscript><p class="notice">Paying by card needs JavaScript');
      expect(text).not.toMatch(/<style|<script[^>]*>[^<]| style=| on\w+=/);
    },
  );

  test('leaves nothing in the console for its icon, which browsers ask for and the shop has not', async () => {
    const { shopper } = await start();
    expect((await shopper().send('/favicon.ico')).status).toBe(204);
  });

  test('is there while the service is away, but gets no key', async () => {
    const { shopper, stopService } = await start();
    await stopService();
    const ada = shopper();
    expect(await ada.open()).toMatchObject({ status: 200, key: undefined });
    expect((await ada.requestKey()).status).toBe(502);
  });
});

describe('paying', () => {
  test.each([
    ['by the script of the page', 200, (ada: Shopper, block: unknown) => ada.post(block)],
    ['by a form', 303, (ada: Shopper, block: unknown) => ada.post(...asForm(block))],
  ])('works %s, once, and the page shows it from then on', async (_, status, post) => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const block = await encryptCard((await ada.open()).key!, { ...VISA });
    const answers = await Promise.all([post(ada, block), post(ada, block), post(ada, block)]);
    for (const answer of answers) expect(answer.status).toBe(status);
    for (const page of [await ada.open(), await ada.open()]) {
      expect(page.key).toBeUndefined();
      expect(page.text).toContain('<dd>Paid</dd>');
      expect(page.text).toContain('<dd>Visa ending in 4242</dd>');
    }
    const nothingLeft = await ada.requestKey(); // changed: an outcome is no error
    expect([statusOf(nothingLeft), nothingLeft.key]).toEqual(['committed', undefined]);
    expect(authorizations(calls)).toBe(1);
  });

  test('asks for no card again when the answer of the service is lost', async () => {
    // The key has to come within this time, too, also on a busy machine.
    const { shopper, calls, service, lines } = await start({ timeoutMs: 3000 });
    const hold = new AbortController();
    closing.push(async () => hold.abort());
    service.beforeAuthorize = () =>
      new Promise((resolve) => hold.signal.addEventListener('abort', () => resolve()));
    const ada = shopper();
    for (const page of [await ada.pay(VISA), await ada.open()]) {
      expect(page.key).toBeUndefined();
      expect(page.text).toContain('We do not know whether you have paid');
      expect(page.text).toContain('order_');
      expect(page.text).not.toContain('<form'); // no other order is offered
    }
    expect(lines.filter((line) => line.includes('resolve_intent'))).toHaveLength(1);
    expect(calls.filter((call) => call === 'authorize')).toHaveLength(1);
    await ada.send('/checkout/new', { method: 'POST' });
    expect((await ada.open()).text).toContain('We do not know whether you have paid');
    expect(statusOf(await ada.requestKey())).toBe('not_certain');
  });

  test('is not possible with the block of another checkout', async () => {
    const { shopper, calls } = await start();
    const [ada, bob] = [shopper(), shopper()];
    const block = await encryptCard((await ada.open()).key!, { ...VISA });
    await bob.open();
    for (const other of [bob, shopper()])
      expect(statusOf(await other.post(block))).toBe('no_order');
    bob.order = ada.order;
    expect(statusOf(await bob.post(block))).toBe('no_order');
    expect(calls).not.toContain('authorize');
  });
});

describe('no shopper is stuck, and none pays twice:', () => {
  test('the page of an earlier order shows how that one went, and the shopper pays the next one, too', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    const block = await encryptCard((await ada.open()).key!, { ...VISA });
    const earlier = ada.order;
    const paid = await ada.post(block);
    await ada.send('/checkout/new', { method: 'POST' });
    await ada.open();
    expect(ada.order).not.toBe(earlier);
    ada.order = earlier;
    expect((await ada.post(block)).text).toBe(paid.text);
    const eve = shopper();
    await eve.open();
    eve.order = earlier;
    expect(statusOf(await eve.post(block))).toBe('no_order'); // nobody else sees it
    expect(authorizations(calls)).toBe(1);
    expect((await ada.pay(VISA)).text).toContain('<dd>Paid</dd>');
    expect(authorizations(calls)).toBe(2);
  });

  test('"Place another order" on an old receipt leaves the order that is open: who pays it sees the receipt', async () => {
    const { shopper } = await start();
    const ada = shopper();
    await ada.pay(VISA);
    await ada.send('/checkout/new', { method: 'POST' });
    const block = await encryptCard((await ada.open()).key!, { ...VISA });
    await ada.send('/checkout/new', { method: 'POST' }); // from the old receipt, in another tab
    expect(statusOf(await ada.post(block))).toBe('committed');
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
  });

  test('reads "You have not paid" nowhere while that is not certain, and begins no other order', async () => {
    let ahead = 0;
    const { shopper, service } = await start({
      clock: () => Date.now() + ahead,
      keyLifetimeMs: 60_000,
    });
    service.beforeAuthorize = async () => {
      ahead = 120_000; // a proxy can send the same error after a charge
    };
    const ada = shopper();
    const answers = [await ada.post(await encryptCard((await ada.open()).key!, { ...VISA }))];
    ahead = 0;
    const { order } = ada;
    await ada.send('/checkout/new', { method: 'POST' });
    for (const path of ['/checkout', '/checkout/plain']) {
      const page = await ada.open(path);
      expect(page.text).not.toContain('Place another order');
      expect(page.text).not.toContain('not paid');
      expect(ada.order).toBe(order);
    }
    // Six at once, and then one in five seconds, however long the requests take.
    do answers.push(await ada.requestKey());
    while (answers.at(-1)!.status === 200 && answers.length < 20);
    for (const { status, text } of answers) {
      expect(text).not.toContain('not_paid');
      if (status === 200) expect(text).toContain('retry_is_safe');
    }
    const last = answers.at(-1)!;
    expect([last.status, last.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
  });
});

test.each(['/checkout', '/checkout/plain'])(
  'another order begins on the page that the receipt is of: %s',
  async (page) => {
    const { shopper } = await start();
    const ada = shopper();
    await ada.pay(VISA);
    const { text } = await ada.open(page);
    const action = /<form method="post" action="([^"]+)"><button>/.exec(text)![1]!;
    const answer = await ada.send(action, { method: 'POST' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, page]);
  },
);

describe('an invoice that is chosen while a card is on its way', () => {
  /** A card was declined before, and another one waits for the service. */
  async function payingShopper(waitsFor: 'beforeIntent' | 'beforeAuthorize') {
    const { shopper, service, calls } = await start();
    const ada = shopper();
    const declined = await encryptCard((await ada.open()).key!, { ...DECLINED });
    const block = await encryptCard((await ada.open()).key!, { ...VISA });
    await ada.post(declined);
    const [isAsked, answer] = [deferred<void>(), deferred<void>()];
    service[waitsFor] = () => {
      isAsked.resolve();
      return answer.promise;
    };
    const payment = ada.post(block);
    await isAsked.promise;
    return { ada, payment, calls, answer: () => answer.resolve() };
  }

  test('counts before the card is sent: it is not charged', async () => {
    const { ada, payment, calls, answer } = await payingShopper('beforeIntent');
    await ada.orderOnInvoice();
    answer();
    expect(JSON.parse((await payment).text)).toEqual({ status: 'not_paid' });
    expect((await ada.open()).text).toContain('We send you an invoice.');
    expect(authorizations(calls)).toBe(1);
  });

  test('waits for a card that was sent, and does not count if that has paid', async () => {
    const { ada, payment, calls, answer } = await payingShopper('beforeAuthorize');
    const invoice = ada.orderOnInvoice();
    answer();
    expect(JSON.parse((await payment).text)).toMatchObject({ status: 'committed' });
    await invoice;
    expect((await ada.open()).text).toContain('<dd>Paid</dd>');
    expect(authorizations(calls)).toBe(2);
  });
});

describe('the session', () => {
  test('an order on invoice under an id that is not known any more is not lost in silence', async () => {
    const { shopper, calls } = await start();
    const ada = shopper();
    await ada.send('/checkout');
    const old = ada.cookie;
    await ada.open(); // the session gets its new id with the page
    ada.cookie = old; // the order was on its way before
    expect((await ada.orderOnInvoice()).status).toBe(303);
    const page = await ada.send('/checkout');
    expect(page.text).toContain('Please send it again.');
    expect((await ada.orderOnInvoice()).status).toBe(303);
    expect((await ada.open()).text).toContain('We send you an invoice.');
    expect(authorizations(calls)).toBe(0);
  });

  test.each(['/checkout', '/checkout/plain'])(
    'has a fresh id with each page that has the form, and the old id does not show how the payment went: %s',
    async (page) => {
      const { shopper } = await start();
      const [ada, eve] = [shopper(), shopper()];
      await eve.open(); // so the order that Ada pays has begun as one of Eve, who has a key for it
      ada.cookie = eve.cookie; // planted in the browser of Ada
      const { key } = await ada.open(page);
      expect(ada.cookie).not.toBe(eve.cookie);
      await ada.post(await encryptCard(key!, { ...VISA }));
      expect((await ada.open()).text).toContain('Visa ending in 4242');
      for (const path of ['/checkout', '/checkout/plain']) {
        const seen = await eve.send(path);
        expect(seen.text).not.toContain('4242');
        expect(seen.text).toContain('<form');
      }
    },
  );

  test('gives the page no key for an order that was planted after the page had come', async () => {
    const { shopper, calls } = await start();
    const [ada, eve] = [shopper(), shopper()];
    await ada.open();
    await eve.open();
    ada.cookie = eve.cookie;
    const before = [...calls];
    const answer = await ada.requestKey(); // changed: 404 and a status instead of 403
    expect([answer.status, statusOf(answer)]).toEqual([404, 'no_order']);
    expect(calls).toEqual(before);
    expect((await ada.open()).key).toBeDefined(); // its script loads it anew
    expect(ada.cookie).not.toBe(eve.cookie);
  });
});

/** In these tests all shoppers come from this machine. */
const NO_SENDER =
  'No limits by sender: the sender is a private address, or none. Give the address of the ' +
  'client, as your outermost proxy saw it';

describe('a body that is anything but the block', () => {
  const JSON_TYPE = 'application/json';
  const clear = JSON.stringify(VISA);
  const inField = new URLSearchParams({ payment_method: 'card', encrypted_card: clear }).toString();

  test('is refused, and neither logged nor sent back', async () => {
    const { shopper, lines, calls } = await start();
    const ada = shopper();
    await ada.open();
    const bodies: [body: string, type: string, status: number][] = [
      [clear, JSON_TYPE, 400],
      [`{"number":"${VISA.number}",`, JSON_TYPE, 400],
      [clear, 'text/plain', 400], // changed: the block of a page's script comes so
      [new URLSearchParams(VISA).toString(), FORM_TYPE, 400],
      [inField, FORM_TYPE, 400],
      [`${asForm({})[0]}&number=${VISA.number}`, FORM_TYPE, 400],
      [clear, `application/${VISA.number}`, 415],
      [clear.padEnd(9 * 1024), JSON_TYPE, 413],
    ];
    for (const [body, type, status] of bodies) {
      const answer = await ada.post(body, type);
      expect({ body, type, status: answer.status }).toEqual({ body, type, status });
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(VISA.number);
    }
    expect(lines.join()).not.toContain(VISA.number);
    const refusals = lines.filter((line) => line.startsWith('Refused: invalid_encrypted_card: '));
    expect(refusals).toHaveLength(6); // changed: each says why, but for a type or a size
    expect(lines.filter((line) => !refusals.includes(line))).toEqual([
      'GET /checkout 200',
      NO_SENDER,
      'POST /checkout/payment 200',
      ...bodies.map(([, , status]) => `POST /checkout/payment ${status}`),
    ]);
    expect(calls).not.toContain('authorize');
    expect((await ada.pay(VISA)).text).toContain('<dd>Paid</dd>'); // and nothing is broken by it
  });

  test('is not looked for in an address, nor logged', async () => {
    const { shopper, lines } = await start();
    for (const [path, status] of [
      ['/checkout/paid?number=4242424242424242', 404],
      ['/4242424242424242', 404],
      ['/assets/4242424242424242', 404],
      ['/checkout?number=4242424242424242', 200],
      ['/%zz4242424242424242', 400],
    ] as const) {
      const answer = await shopper().send(path);
      expect(answer.status).toBe(status);
      expect(answer.text + lines.join('\n')).not.toContain(VISA.number);
    }
  });
});

test('what another site or another port has the browser post is refused', async () => {
  const { shopper } = await start();
  const ada = shopper();
  await ada.open();
  const postFrom = async (site: string, path: string) => {
    const headers = { 'sec-fetch-site': site };
    return (await ada.send(path, { method: 'POST', headers })).status;
  };
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/checkout/new', '/checkout/payment', '/checkout/invoice'])
      expect(await postFrom(site, path)).toBe(403);
  }
  expect(await postFrom('same-origin', '/checkout/new')).toBe(303);
});
