/** The page's half of `checkout.handle`, with a shop that really pays. */
import { describe, expect, test, vi } from 'vitest';
import { hold, release } from '../../src/form/page/still.ts';
import {
  bindCheckout,
  type CheckoutFormOptions,
  type ShownOutcome,
  shownOf,
} from '../../src/pay/index.ts';
import { deferred } from '../support/deferred.ts';
import { FAR, FIELDS, html, later } from '../support/form.ts';
import type { Fault, Kind } from '../support/servers/checkout.ts';
import {
  bindAt,
  DECLINED,
  DECLINED_NUMBER,
  NO_ANSWER,
  openShop,
  PAID,
  readIn,
  type Shop,
  typeCard,
} from './shop.ts';

const isHidden = (form: HTMLElement) => form.getClientRects().length === 0;
const notCertain = (order: string) =>
  `We do not know whether you have paid. Please do not pay again, and contact us about order ${order}.`;
const DECLINED_TOO_OFTEN =
  'Your card was declined, and no other card can be tried. You have not paid. Please contact us.';
const OUT_OF_DATE =
  'Nothing was sent now: this page is out of date. Please reload it. ' +
  'If you have tried to pay before, contact us first.';
const RETRY_IS_SAFE =
  'We do not know yet whether you have paid. Please enter your card again: you cannot pay twice.';
const fetchReally = window.fetch;
const linesOf = (level: 'error' | 'warn') =>
  vi.mocked(console[level]).mock.calls.map(([line]) => String(line));

test('pays: asks for the outcome and a key, sends the block, and hides the form', async () => {
  const shop = openShop();
  shop.bind();
  await shop.pay();
  expect(isHidden(shop.form)).toBe(true);
  expect(await shop.seen()).toMatchObject({ requests: ['GET', 'key', 'pay'], charges: 1 });
  expect(linesOf('error')).toEqual([]);
});

test('a decline leaves the form open for another card, under another key', async () => {
  const shop = openShop();
  shop.bind();
  await shop.decline();
  const inputs = [...shop.form.querySelectorAll('input')];
  expect(inputs.filter(({ value }) => value)).toEqual([]);
  await shop.pay();
  const requests = ['GET', 'key', 'pay', 'key', 'pay'];
  expect(await shop.seen()).toMatchObject({ requests, charges: 1 });
  expect(linesOf('error')).toEqual([]);
});

test('a press takes the text about the card before away', async () => {
  const shop = openShop();
  shop.bind();
  await shop.decline();
  shop.press();
  await shop.waitFor('Enter the card number');
});

test('a press that pays in another way takes the text away, too', async () => {
  const shop = openShop();
  let isCard = true;
  shop.bind({ when: () => isCard });
  await shop.decline();
  isCard = false;
  const heard = vi.fn((event: Event) => event.preventDefault());
  shop.form.addEventListener('submit', heard);
  shop.press();
  expect(heard).toHaveBeenCalledOnce();
  expect(shop.reads()).toBe('');
});

describe('a page that the browser shows again', () => {
  function leaveAndReturn(): void {
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }

  test('has no text about the time before, also if no key comes', async () => {
    const shop = openShop();
    shop.bind();
    await shop.decline();
    await vi.waitFor(async () => expect((await shop.seen()).requests).toHaveLength(4));
    await shop.next('key', 'bad_gateway');
    leaveAndReturn();
    expect(shop.reads()).toBe('');
    await vi.waitFor(() => expect(linesOf('error')).toHaveLength(1));
    expect(shop.reads()).toBe('');
  });

  test('tells what became of the last try, as the key says it', async () => {
    const shop = openShop();
    shop.bind();
    await shop.decline();
    leaveAndReturn();
    expect(shop.reads()).toBe('');
    await shop.waitFor(DECLINED);
  });

  test('shows that it is paid', async () => {
    const shop = openShop();
    shop.bind();
    await shop.pay();
    leaveAndReturn();
    expect([shop.reads(), isHidden(shop.form)]).toEqual([PAID, true]);
  });
});

test('another page of an order that is paid shows that, and asks for no key', async () => {
  const shop = openShop();
  shop.bind();
  await shop.pay();
  const other = openShop();
  other.bind({ url: shop.url });
  await other.waitFor(PAID);
  expect(isHidden(other.form)).toBe(true);
  expect((await shop.seen()).requests).toEqual(['GET', 'key', 'pay', 'GET']);
});

test.each<Fault>(['lost', 'bad_gateway_after', 'bad_gateway', 'no_status'])(
  'without an answer (%s) the shopper reads that, and another press pays once',
  async (fault) => {
    const shop = openShop();
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    await shop.next('pay', fault);
    shop.bind();
    await shop.pay({}, NO_ANSWER);
    shop.press();
    await shop.waitFor(PAID);
    const { blocks, charges } = await shop.seen();
    expect(charges).toBe(1);
    expect(blocks).toHaveLength(2);
    expect(blocks[1]).toBe(blocks[0]);
    expect(String(warn.mock.calls[0])).toContain(`POST ${shop.url}`);
    expect(reportError).not.toHaveBeenCalled();
  },
);

test('without an answer, another card pays nothing a second time: the shopper reads that they have paid', async () => {
  const shop = openShop();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await shop.next('pay', 'lost');
  shop.bind();
  await shop.pay({}, NO_ANSWER);
  await shop.pay({ number: '4111111111111111' });
  expect((await shop.seen()).charges).toBe(1);
});

test('paid elsewhere while a press waits for its key: the form goes, and nothing else is said', async () => {
  const shop = openShop();
  const other = openShop();
  other.bind({ url: shop.url });
  typeCard(other.form);
  await shop.ready();
  await shop.next('key', 'wait');
  shop.bind({ keyTimeoutMs: Infinity });
  shop.type();
  shop.press();
  await shop.waitFor(''); // it waits
  await vi.waitFor(async () => expect((await shop.seen()).requests).toHaveLength(4));
  other.press();
  await other.waitFor(PAID);
  await shop.go();
  await shop.waitFor(PAID);
  expect(shop.host.textContent).not.toContain('Press the button again');
  expect((await shop.seen()).charges).toBe(1);
  expect(linesOf('error')).toEqual([]);
});

test('a limit says when it ends: the key is requested again then, without another press', async () => {
  const shop = openShop();
  await shop.next('key', 'too_many');
  shop.bind();
  await shop.pay();
  const requests = ['GET', 'key', 'key', 'pay'];
  expect(await shop.seen()).toMatchObject({ requests, charges: 1 });
  expect(linesOf('error')).toEqual([]);
});

test('a limit that says an end beyond what a timer can hold is waited for', async () => {
  const shop = openShop();
  let keys = 0;
  const send = window.fetch;
  const fetchSpy = vi.spyOn(window, 'fetch').mockImplementation((url, init) => {
    if (init?.method !== 'POST') return send(url, init);
    keys += 1;
    const headers = { 'retry-after': '4294967' }; // 50 days, which a timer takes for nothing
    return Promise.resolve(new Response('', { status: 429, headers }));
  });
  later(() => fetchSpy.mockRestore());
  shop.bind();
  await vi.waitFor(() => expect(keys).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(keys).toBe(1);
});

test('a key that does not come is one line with the address, and the next press asks again', async () => {
  const shop = openShop();
  await shop.next('key', 'bad_gateway');
  shop.bind();
  await vi.waitFor(() => expect(linesOf('error')).toHaveLength(1));
  expect(linesOf('error')[0]).toContain(`POST ${shop.url} answered 502`);
  await shop.pay();
  expect(linesOf('error')).toHaveLength(1);
});

test('a relative address stays that of the page that has bound the form', async () => {
  const shop = openShop();
  const before = location.href;
  later(() => history.replaceState(null, '', before));
  history.replaceState(null, '', `/shop/${shop.id}/cart`);
  shop.bind({ url: 'checkout' });
  history.replaceState(null, '', '/elsewhere/');
  await shop.pay();
  expect((await shop.seen()).charges).toBe(1);
});

test('an address that is not of checkout.handle is named, and nothing is believed of its answer', async () => {
  const shop = openShop();
  await shop.next('GET', 'no_status');
  await shop.next('key', 'no_status');
  shop.bind();
  await vi.waitFor(() => expect(linesOf('error')).toHaveLength(2));
  for (const line of linesOf('error'))
    expect(line).toMatch(
      /(GET|POST) \/shop\/.*answered 200 without a status: is it checkout.handle/,
    );
  expect(shop.reads()).toBe('');
});

test.each([
  ['pay', 504],
  ['pay', 403],
  ['pay', 409],
  ['pay', 400],
  ['pay', 404],
  ['key', 500],
] as const)(
  '%s: an answer %i of a gateway that looks like a decline says nothing',
  async (kind, code) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const shop = openShop();
    await shop.next(kind, `failed_${code}`);
    shop.bind();
    await shop.pay({}, kind === 'pay' ? NO_ANSWER : 'Press the button again.');
    if (kind === 'key') await shop.pay();
    else {
      shop.press();
      await shop.waitFor(PAID);
    }
    expect((await shop.seen()).charges).toBe(1);
  },
);

// Changed: a warning with the code, as for other answers that say nothing of the order.
test('a server that says what is wrong with it is quoted', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const shop = openShop();
  await shop.next('pay', 'misconfigured');
  shop.bind();
  await shop.pay({}, NO_ANSWER);
  const [line] = linesOf('warn');
  expect(line).toBe(`CardEncryptionError: POST ${shop.url} answered 500 misconfigured`);
});

test('a session that is lost before anything was sent: nothing was sent, and the form goes', async () => {
  const shop = openShop();
  await shop.next('pay', 'no_session');
  shop.bind();
  await shop.pay({}, OUT_OF_DATE);
  expect(isHidden(shop.form)).toBe(true);
  expect((await shop.seen()).charges).toBe(0);
});

test('a session that is lost after a response that was lost: not certain, with the order', async () => {
  const shop = openShop();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  await shop.next('pay', 'lost');
  await shop.next('pay', 'no_session');
  shop.bind();
  await shop.pay({}, NO_ANSWER);
  shop.press();
  await shop.waitFor(notCertain(shop.id));
  expect(isHidden(shop.form)).toBe(true);
});

test('an outcome that the server has rendered is not asked for, and names the order of the page', async () => {
  const shop = openShop();
  shop.bind({ outcome: { status: 'open', last: 'failed', order: 'of another visit' } });
  await shop.waitFor(OUT_OF_DATE);
  expect((await shop.seen()).requests).toEqual(['key']);
});

describe('a session that is lost when a card may have been charged: not certain, with the order', () => {
  test('a response was lost, and the shopper tries another card', async () => {
    const shop = openShop();
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    await shop.next('pay', 'lost');
    shop.bind();
    await shop.pay({}, NO_ANSWER);
    await shop.next('key', 'no_session');
    await shop.pay({ number: '4111111111111111' }, notCertain(shop.id));
    expect(isHidden(shop.form)).toBe(true);
  });

  test.each<Kind>(['key', 'pay'])('before this page (%s)', async (kind) => {
    const shop = openShop();
    await shop.next(kind, 'no_session');
    shop.bind({ outcome: { status: 'open', last: 'retry_is_safe', order: shop.id } });
    await shop.pay({}, notCertain(shop.id));
  });

  test('but not if an answer has ended the doubt since', async () => {
    const shop = openShop();
    shop.bind({ outcome: { status: 'open', last: 'retry_is_safe', order: shop.id } });
    await shop.decline();
    await shop.next('pay', 'no_session');
    await shop.pay({}, OUT_OF_DATE);
  });

  test('before this page, as only the key has told', async () => {
    const shop = openShop();
    const answer = { status: 'open', last: 'retry_is_safe', order: shop.id };
    const spy = vi.spyOn(window, 'fetch').mockImplementation(async (url, init) => {
      const response = await fetchReally(url, init);
      if (init?.method !== 'POST') return response;
      spy.mockRestore();
      return Response.json({ ...(await response.json()), ...answer });
    });
    shop.bind({ outcome: { status: 'open' } });
    shop.type();
    await shop.next('pay', 'no_session');
    shop.press();
    await shop.waitFor(notCertain(shop.id));
  });
});

test('an outcome after too many declines closes the form without a key', async () => {
  const shop = openShop();
  shop.bind({ outcome: { status: 'failed', reason: null } });
  await shop.waitFor(DECLINED_TOO_OFTEN);
  expect(isHidden(shop.form)).toBe(true);
  expect((await shop.seen()).requests).toEqual([]);
});

test('a page that the browser has kept without its requests tells what became of the last try', async () => {
  const shop = openShop();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  let freeze: (() => void) | undefined;
  const spy = vi.spyOn(window, 'fetch').mockImplementation(async (url, init) => {
    const response = await fetchReally(url, init);
    if (!init?.body) return response;
    return new Promise((_, reject) => {
      freeze = () => reject(new TypeError('The page was frozen'));
    });
  });
  shop.bind();
  shop.type({ number: DECLINED_NUMBER });
  shop.press();
  await vi.waitFor(() => expect(freeze).toBeDefined());
  spy.mockRestore();
  window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
  freeze!();
  window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  await shop.waitFor(DECLINED);
});

describe('a decline beside another block of the page that may still be charged', () => {
  /** The next block stays on its way. For the page, its request ends at `lose`. */
  function holdBlock() {
    const sent = deferred<{ lose(): void; arrive(): Promise<unknown> }>();
    const spy = vi.spyOn(window, 'fetch').mockImplementation((url, init) => {
      if (!init?.body) return fetchReally(url, init);
      spy.mockRestore();
      return new Promise((_, reject) => {
        const lose = () => reject(new TypeError('The request was lost'));
        const arrive = async () => (await fetchReally(url, { ...init, signal: null })).text();
        sent.resolve({ lose, arrive });
      });
    });
    later(() => spy.mockRestore());
    return sent.promise;
  }

  test('is not told as "not paid": the block arrives, and the card is charged', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const shop = openShop();
    shop.bind();
    await shop.ready();
    const held = holdBlock();
    shop.type();
    shop.press();
    const block = await held;
    block.lose();
    await shop.waitFor(NO_ANSWER);
    await shop.pay({ number: DECLINED_NUMBER }, RETRY_IS_SAFE);
    expect(await block.arrive()).toContain('committed');
    expect((await shop.seen()).charges).toBe(1);
  });

  test('is not told by the key either, if it is the decline of the card before', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const shop = openShop();
    shop.bind();
    await shop.decline();
    const { key_id } = JSON.parse((await shop.seen()).blocks[0]!);
    const held = holdBlock();
    shop.type();
    shop.press();
    const block = await held;
    const spy = vi.spyOn(window, 'fetch').mockImplementation(async (url, init) => {
      const response = await fetchReally(url, init);
      return Response.json({ ...(await response.json()), key_id });
    });
    later(() => spy.mockRestore());
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    block.lose();
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    await shop.waitFor(RETRY_IS_SAFE);
    await block.arrive();
    expect((await shop.seen()).charges).toBe(1);
  });
});

test('after too many declines no other card is asked for', async () => {
  const shop = openShop();
  shop.bind();
  for (let i = 1; i <= 9; i++) {
    shop.type({ number: DECLINED_NUMBER });
    shop.press();
    await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(i));
    await shop.waitFor(DECLINED);
  }
  await shop.pay({ number: DECLINED_NUMBER }, DECLINED_TOO_OFTEN);
  expect(isHidden(shop.form)).toBe(true);
});

test('what became of the last try is told once, and does not come back beside another text', async () => {
  const shop = openShop();
  shop.bind({ outcome: { status: 'open', last: 'retry_is_safe' } });
  await shop.waitFor(RETRY_IS_SAFE);
  await shop.ready();
  shop.press();
  await shop.waitFor('Enter the card number');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(shop.reads()).toBe('Enter the card number');
});

test('onOutcome draws everything: the library writes nothing and hides nothing', async () => {
  const shop = openShop();
  const shown: ShownOutcome[] = [];
  shop.bind({ onOutcome: (it) => void shown.push(it) });
  shop.type({ number: DECLINED_NUMBER });
  shop.press();
  await vi.waitFor(() => expect(shown).toHaveLength(1));
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(shown).toHaveLength(3));
  expect(shown).toMatchObject([
    { status: 'failed', text: DECLINED, isClosed: false, reason: expect.any(String) },
    { status: 'open', text: '', isClosed: false },
    { status: 'committed', text: PAID, isClosed: true, reference: expect.any(String) },
  ]);
  expect(isHidden(shop.form)).toBe(false);
  expect(shop.host.children).toHaveLength(1);
});

test('a form that is still there when all is paid submits nothing', async () => {
  const shop = openShop();
  const shown: ShownOutcome[] = [];
  shop.bind({ onOutcome: (it) => void shown.push(it) });
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(shown.at(-1)?.isClosed).toBe(true));
  const submit = new Promise<SubmitEvent>((resolve) => {
    shop.host.addEventListener('submit', resolve, { once: true });
  });
  shop.press();
  expect((await submit).defaultPrevented).toBe(true);
});

test('an error of onOutcome goes to reportError, and does not end the payment', async () => {
  const shop = openShop();
  shop.bind({
    onOutcome: () => {
      throw new Error('of the page');
    },
  });
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(reportError).toHaveBeenCalledOnce());
  expect(await shop.seen()).toMatchObject({ requests: ['GET', 'key', 'pay'], charges: 1 });
});

test('a page that cancels cardseal:outcome draws it itself', async () => {
  const shop = openShop();
  const shown: ShownOutcome[] = [];
  shop.form.addEventListener('cardseal:outcome', (event) => {
    event.preventDefault();
    shown.push(event.detail);
  });
  shop.bind();
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(shown).toMatchObject([{ status: 'committed' }]));
  expect([shop.reads(), isHidden(shop.form)]).toEqual(['', false]);
});

test("the page's own place gets the text, also where it is before the form and has a role", async () => {
  const shop = openShop();
  shop.host.insertAdjacentHTML('afterbegin', '<p data-cardseal-outcome role="alert"></p>');
  shop.bind();
  await shop.pay();
  expect(shop.host.querySelector('[role=alert]')!.textContent).toBe(PAID);
  expect(shop.host.querySelectorAll('[role=status]')).toHaveLength(0);
});

test('a form that the page hides appears when it is known that the order is open', async () => {
  const shop = openShop();
  shop.form.hidden = true;
  await shop.next('GET', 'wait');
  shop.bind();
  await vi.waitFor(async () => expect((await shop.seen()).requests).toEqual(['GET']));
  expect(isHidden(shop.form)).toBe(true);
  await shop.go();
  await vi.waitFor(() => expect(isHidden(shop.form)).toBe(false));
});

test('a form that the page hides appears also where onOutcome draws everything', async () => {
  const shop = openShop();
  shop.form.hidden = true;
  shop.bind({ onOutcome: () => {} });
  await vi.waitFor(() => expect(isHidden(shop.form)).toBe(false));
});

test('a form that the page itself has hidden stays so when it is unbound', async () => {
  const shop = openShop();
  const binding = shop.bind({
    onOutcome({ isClosed }) {
      shop.form.hidden = isClosed;
      if (isClosed) binding.unbind();
    },
  });
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(shop.form.hidden).toBe(true), { timeout: 20_000 });
});

test('a form that the page hides stays so when it is paid and unbound', async () => {
  const shop = openShop();
  shop.form.hidden = true;
  const binding = shop.bind({ outcome: { status: 'committed', reference: 'pi_card_1' } });
  await shop.waitFor(PAID);
  binding.unbind();
  expect(isHidden(shop.form)).toBe(true);
});

test('a step that was hidden when its order was paid is shown for the next one', async () => {
  const shop = openShop();
  shop.form.style.display = 'none';
  shop.bind({ outcome: { status: 'committed', reference: 'pi_card_1' } });
  await shop.waitFor(PAID);
  shop.form.style.display = '';
  shop.bind();
  await vi.waitFor(() => expect(isHidden(shop.form)).toBe(false));
});

test('a form whose step the page shows later stays as the page has it', async () => {
  const shop = openShop();
  shop.form.style.display = 'none';
  shop.bind();
  await shop.ready();
  expect(isHidden(shop.form)).toBe(true);
  shop.form.style.display = '';
  await shop.decline();
  expect(isHidden(shop.form)).toBe(false);
});

test('a form that is bound before it is in the page has its text after it', async () => {
  const shop = openShop();
  shop.form.remove();
  shop.bind();
  shop.host.append(shop.form, 'the end of the page');
  await shop.pay();
  expect(shop.form.nextElementSibling!.textContent).toBe(PAID);
});

test('a page that takes the form and what is around it away: the shopper reads the outcome all the same', async () => {
  const shop = openShop();
  await shop.next('pay', 'wait');
  shop.bind();
  shop.type();
  shop.press();
  await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(1));
  shop.host.remove();
  await shop.go();
  await vi.waitFor(() => expect(readIn(document.body)).toBe(PAID), { timeout: 20_000 });
});

test("the page's own place gets the text, also if the page has rendered it anew", async () => {
  const shop = openShop(`${html()}<p data-cardseal-outcome>not here</p>`);
  shop.host.insertAdjacentHTML('afterbegin', '<div><p data-cardseal-outcome></p></div>');
  shop.bind();
  await shop.ready();
  shop.host.querySelector('div')!.innerHTML = '<p data-cardseal-outcome></p>';
  await shop.pay();
  expect(shop.host.querySelector('div')!.textContent).toBe(PAID);
});

test('a form that the page moves has its text after it', async () => {
  const shop = openShop();
  shop.bind();
  const dialog = shop.host.appendChild(document.createElement('section'));
  dialog.append(shop.form);
  await shop.pay();
  expect(shop.form.nextElementSibling!.textContent).toBe(PAID);
  expect(shop.host.querySelectorAll('p')).toHaveLength(1);
});

test('each form has its own place: the next one after it, or else the last before it', async () => {
  const shop = openShop();
  const place = '<p role="status" data-cardseal-outcome></p>';
  shop.host.insertAdjacentHTML('afterbegin', `${place}<form>${html()}</form>${place}`);
  shop.host.insertAdjacentHTML('beforeend', `${place}<form>${html()}</form>`);
  const outcome = { status: 'open', last: 'failed' } as const;
  const told = () =>
    [...shop.host.querySelectorAll('[data-cardseal-outcome]')].map((it) => it.textContent);
  for (const [i, expected] of [
    [0, ['', DECLINED, '']],
    [1, ['', '', DECLINED]],
    [2, ['', '', DECLINED]],
  ] as const) {
    const form = shop.host.querySelectorAll('form')[i]!;
    const binding = bindCheckout(form, { url: shop.url, outcome });
    await vi.waitFor(() => expect(told()).toEqual(expected));
    binding.unbind();
    expect(told()).toEqual(['', '', '']);
  }
});

test('a text of the server, and that of another form, stay', async () => {
  const shop = openShop();
  shop.host.insertAdjacentHTML('beforeend', `<form>${html()}</form>`);
  shop.host.insertAdjacentHTML('beforeend', '<p role="status" data-cardseal-outcome>Hello</p>');
  await shop.next('GET', 'wait');
  const binding = shop.bind();
  const other = openShop();
  const form = shop.host.querySelectorAll('form')[1]!;
  bindAt(form, { url: other.url });
  await vi.waitFor(async () => expect((await other.seen()).requests).toContain('key'));
  expect(shop.reads()).toBe('Hello');
  const outcome = { status: 'committed', reference: 'pi_card_1' } as const;
  bindAt(form, { url: other.url, outcome });
  await shop.waitFor(PAID);
  await shop.go();
  await shop.ready();
  expect(shop.reads()).toBe(PAID);
  binding.unbind();
  expect(shop.reads()).toBe(PAID);
});

test('a place of its own goes when the page renders one', async () => {
  const shop = openShop();
  shop.bind();
  await shop.decline();
  shop.host.insertAdjacentHTML('beforeend', '<p data-cardseal-outcome></p>');
  await shop.pay();
  expect([...shop.host.children].map(({ localName }) => localName)).toEqual(['form', 'p']);
});

describe('a copy of a page, as htmx and Turbo keep it', () => {
  /** What is left of the page, in another document of the browser's history. */
  function copyOf(shop: Shop, next = openShop()): Shop {
    next.host.innerHTML = shop.host.innerHTML;
    const form = next.host.querySelector('form')!;
    return { ...next, form, bind: () => bindAt(form, { url: next.url }) };
  }

  test('whose outcome does not come has no text', async () => {
    const shop = openShop();
    shop.bind();
    await shop.pay();
    const copy = copyOf(shop);
    await copy.next('GET', 'bad_gateway');
    copy.bind();
    await vi.waitFor(() => expect([copy.reads(), isHidden(copy.form)]).toEqual(['', false]));
  });

  test('the text of a decline stands there once', async () => {
    const shop = openShop();
    shop.bind();
    await shop.decline();
    const copy = copyOf(shop, shop);
    expect(copy.reads()).toBe(DECLINED);
    copy.bind();
    expect(copy.reads()).toBe(''); // until the server has said how the order stands
    const asked = async () => (await shop.seen()).requests.slice(3);
    await vi.waitFor(async () =>
      expect(await asked()).toEqual(expect.arrayContaining(['GET', 'key'])),
    );
    await copy.waitFor(DECLINED); // the key may be the one for the next card of the form before
    expect(copy.reads()).toBe(DECLINED);
    expect(copy.host.children).toHaveLength(2);
  });

  test.each(['', '<p role="status" data-cardseal-outcome></p>'])(
    'that is paid, with the next order open: the form is there, and no text (own place: "%s")',
    async (place) => {
      const shop = openShop();
      shop.host.insertAdjacentHTML('beforeend', place);
      shop.bind();
      await shop.pay();
      const copy = copyOf(shop);
      expect([copy.reads(), isHidden(copy.form)]).toEqual([PAID, true]);
      copy.bind();
      await vi.waitFor(() => expect([copy.reads(), isHidden(copy.form)]).toEqual(['', false]));
    },
  );
});

test.each([
  'display: none',
  'position: absolute; width: 1px; height: 1px; overflow: hidden', // for screen readers only
])('an element for the outcome that nobody sees is not used: %s', async (style) => {
  const shop = openShop();
  const own = `<p role="status" data-cardseal-outcome hidden style="${style}"></p>`;
  shop.host.insertAdjacentHTML('beforeend', own);
  shop.bind();
  await shop.decline();
  await shop.pay();
  const place = shop.host.querySelector<HTMLElement>('[data-cardseal-outcome]')!;
  expect([place.textContent, place.hidden]).toEqual(['', true]);
  expect((shop.form.nextSibling as HTMLElement).innerText).toBe(PAID);
});

test('an element for the outcome behind a modal dialog is not used', async () => {
  const shop = openShop();
  shop.host.insertAdjacentHTML('afterbegin', '<p role="status" data-cardseal-outcome></p>');
  const dialog = shop.host.appendChild(document.createElement('dialog'));
  dialog.append(shop.form);
  dialog.showModal();
  shop.bind();
  await shop.decline();
  expect(shop.host.querySelector('[data-cardseal-outcome]')!.textContent).toBe('');
  await shop.pay();
  expect(document.activeElement).toBe(shop.form.nextSibling);
  dialog.close();
});

test('the text waits while the shopper holds a pointer down: a button that moves gets no click', async () => {
  const shop = openShop();
  shop.host.insertAdjacentHTML('afterbegin', '<p role="status" data-cardseal-outcome></p>');
  await shop.next('pay', 'wait');
  shop.bind();
  shop.type();
  shop.press();
  await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(1));
  const outcome = vi.fn();
  shop.form.addEventListener('cardseal:outcome', outcome);
  hold();
  later(release);
  await shop.go();
  await vi.waitFor(() => expect(outcome).toHaveBeenCalled());
  expect(shop.reads()).toBe('');
  release();
  await shop.waitFor(PAID);
});

// `var CustomEvent = function () {}`: the page hears no event then, and the shopper reads all.
test('a page that has replaced CustomEvent and AbortController: a decline, and a payment', async () => {
  const shop = openShop();
  later(() => void vi.unstubAllGlobals());
  vi.stubGlobal('CustomEvent', class {});
  vi.stubGlobal('AbortController', undefined);
  shop.bind();
  await shop.decline();
  await shop.pay();
  expect(isHidden(shop.form)).toBe(true);
});

test('an element for the outcome around the form is not used: the form would go', async () => {
  const shop = openShop();
  shop.host.setAttribute('data-cardseal-outcome', '');
  shop.bind();
  await shop.decline();
  expect(shop.host.contains(shop.form)).toBe(true);
});

test('a shopper at the button of the form is led to the text, also where the button stands outside', async () => {
  const shop = openShop(`${FIELDS}${FAR}`);
  shop.form.id = 'outside';
  shop.host.insertAdjacentHTML('beforeend', `${FAR}<button form="outside">Pay</button>`);
  shop.bind();
  const button = shop.host.querySelector<HTMLElement>('[form]')!;
  button.focus();
  shop.type();
  button.click();
  await shop.waitFor(PAID);
  expect(document.activeElement).toBe(shop.form.nextSibling);
});

test('the text does not move the button, and after the payment it has the focus that the form had', async () => {
  const shop = openShop(`<div style="height: 1500px"></div>${html()}`);
  await shop.next('GET', 'wait');
  shop.bind({ outcome: { status: 'open', last: 'failed' } });
  const button = shop.form.querySelector('button')!;
  const top = () => button.getBoundingClientRect().top + scrollY;
  const before = top();
  await shop.waitFor(DECLINED);
  expect(top()).toBe(before);
  shop.type();
  button.focus();
  shop.press();
  await shop.waitFor(PAID);
  expect(document.activeElement?.textContent).toBe(PAID);
});

test.each([
  ['has the focus that nothing had, as in Safari after a tap', false],
  ['leaves the focus to an element outside the form', true],
])('after the payment, the text %s', async (_, isElsewhere) => {
  const shop = openShop(`${html()}<div style="height: 1500px"></div>`);
  const search = shop.host.appendChild(document.createElement('input'));
  shop.bind();
  shop.type();
  shop.press();
  if (isElsewhere) search.focus({ preventScroll: true });
  else (document.activeElement as HTMLElement | null)?.blur();
  await shop.waitFor(PAID);
  if (isElsewhere) expect(document.activeElement).toBe(search);
  else expect(document.activeElement?.textContent).toBe(PAID);
});

test('messages are those of the form and of the outcomes, and no name is unknown', async () => {
  const shop = openShop();
  const warn = vi.spyOn(console, 'warn');
  shop.bind({ messages: { failed: 'Nein.', number_required: 'Nummer?', no_answer: '' } });
  await shop.ready();
  shop.press();
  await shop.waitFor('Nummer?');
  await shop.pay({ number: DECLINED_NUMBER }, 'Nein.');
  expect(warn).not.toHaveBeenCalled();
});

test('a text of the shop that is no text is the default one', () => {
  const messages = { committed: { text: 'Merci' }, failed: 7 } as never;
  expect(shownOf({ status: 'committed' }, messages).text).toBe(PAID);
  expect(shownOf({ status: 'failed' }, messages).text).toBe(DECLINED);
});

test('{order} in a text is the id of the order, or nothing if the outcome has none', () => {
  const messages = { committed: 'Paid.{order}', not_certain: '{order}: {order}' };
  expect(shownOf({ status: 'committed', reference: 'pi' }, messages).text).toBe('Paid.');
  expect(shownOf({ status: 'not_certain', order: 'A-17' }, messages).text).toBe('A-17: A-17');
});

test('headers go with each request', async () => {
  const shop = openShop();
  const sent: (string | null)[] = [];
  const spy = vi.spyOn(window, 'fetch').mockImplementation((url, init) => {
    const request = new Request(url, init);
    if (request.url.endsWith('/checkout')) sent.push(request.headers.get('x-csrf-token'));
    spy.mockRestore();
    return fetch(url, init);
  });
  shop.bind({ headers: () => ({ 'x-csrf-token': 'a token' }) });
  await vi.waitFor(() => expect(sent).toEqual(['a token']));
  await vi.waitFor(async () => expect((await shop.seen()).requests[0]).toBe('GET'));
});

test('StrictMode binds, unbinds and binds again: one key, and the first binding says nothing', async () => {
  const shop = openShop();
  shop.bind().unbind();
  shop.bind();
  await shop.pay();
  const { requests, charges } = await shop.seen();
  expect(charges).toBe(1);
  expect(requests.filter((it) => it === 'key')).toHaveLength(1);
  expect(linesOf('error')).toEqual([]);
  expect(shop.host.children).toHaveLength(2);
});

test('binding again replaces the binding before', async () => {
  const shop = openShop();
  shop.bind();
  shop.bind();
  await shop.pay();
  expect((await shop.seen()).blocks).toHaveLength(1);
});

describe('a form that is bound again while its payment is under way', () => {
  /** Returns when the card is on its way. */
  async function openWithPayment(card = {}): Promise<Shop> {
    const shop = openShop();
    await shop.next('pay', 'wait');
    shop.bind();
    shop.type(card);
    shop.press();
    await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(1));
    return shop;
  }

  test('shows the answer, and before it that nobody knows yet', async () => {
    const shop = await openWithPayment();
    shop.bind();
    await shop.waitFor(RETRY_IS_SAFE);
    await shop.go();
    await shop.waitFor(PAID);
    expect(isHidden(shop.form)).toBe(true);
  });

  test('says that nobody knows, if the connection is lost, too', async () => {
    const shop = await openWithPayment();
    later(() => void vi.unstubAllGlobals());
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
    shop.bind();
    await shop.waitFor(RETRY_IS_SAFE);
    vi.unstubAllGlobals();
    await shop.go();
    await shop.waitFor(PAID);
  });

  test('tells nothing of an outcome that was rendered before the payment', async () => {
    const shop = await openWithPayment();
    shop.bind({ outcome: { status: 'open', last: 'failed', order: shop.id } });
    await shop.waitFor(RETRY_IS_SAFE);
    await shop.go();
    await shop.waitFor(PAID);
  });

  test('is open for another card if that one was declined', async () => {
    const shop = await openWithPayment({ number: DECLINED_NUMBER });
    shop.bind();
    shop.type();
    await shop.go();
    await shop.waitFor(DECLINED);
    shop.press(); // what was typed meanwhile stays
    await shop.waitFor(PAID);
    expect((await shop.seen()).charges).toBe(1);
  });

  test('for another order shows nothing of the order before', async () => {
    const shop = await openWithPayment();
    const next = openShop();
    shop.bind({ url: next.url });
    await next.ready();
    await shop.go();
    await vi.waitFor(async () => expect((await shop.seen()).charges).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([shop.reads(), isHidden(shop.form)]).toEqual(['', false]);
    await shop.pay();
    expect((await next.seen()).charges).toBe(1);
  });

  test('for another order at the same address shows nothing of the order before', async () => {
    const shop = await openWithPayment();
    shop.bind({ outcome: { status: 'open', order: 'the next one' } });
    await shop.waitFor(OUT_OF_DATE); // the session still has the order before
    await shop.go();
    await vi.waitFor(async () => expect((await shop.seen()).charges).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(shop.reads()).toBe(OUT_OF_DATE);
  });
});

test('a listener that binds the form while it is bound again: the last call counts', async () => {
  const shop = openShop();
  const paid: string[] = [];
  const draw = (name: string): Partial<CheckoutFormOptions> => ({
    onOutcome: ({ status }) => void (status === 'committed' && paid.push(name)),
  });
  await shop.next('pay', 'wait');
  shop.bind(draw('first'));
  shop.type();
  shop.press();
  await vi.waitFor(async () => expect((await shop.seen()).requests).toContain('pay'));
  const again = () => void shop.bind(draw('of the listener'));
  shop.form.addEventListener('cardseal:settled', again, { once: true });
  const ready = new Promise((resolve) => {
    shop.form.addEventListener('cardseal:ready', resolve, { once: true });
  });
  shop.bind(draw('last'));
  await ready;
  await shop.go();
  await vi.waitFor(() => expect(paid).toEqual(['last']), { timeout: 20_000 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(paid).toEqual(['last']);
  expect((await shop.seen()).requests.filter((it) => it === 'GET')).toHaveLength(2);
});

test('unbinding leaves page and form as they were, and a payment on its way goes on', async () => {
  const shop = openShop();
  const before = shop.host.innerHTML;
  await shop.next('pay', 'wait');
  const binding = shop.bind({ maskForRecorders: false }); // whose marks stay
  shop.type();
  shop.press();
  await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(1));
  binding.unbind();
  expect(shop.host.innerHTML).toBe(before);
  await shop.go();
  await vi.waitFor(async () => expect((await shop.seen()).charges).toBe(1));
  expect(readIn(shop.host)).toBe('');
  expect(reportError).not.toHaveBeenCalled();
});

test('a form with controls of the names that are used pays', async () => {
  const names = ['style', 'hidden', 'after', 'dispatchEvent', 'addEventListener', 'setAttribute'];
  const inputs = names.map((name) => `<input type="hidden" name="${name}">`).join('');
  const shop = openShop(html() + inputs);
  const listen = EventTarget.prototype.addEventListener.bind(shop.form);
  const shown: string[] = [];
  listen('cardseal:outcome', (event) => void shown.push((event as CustomEvent).detail.status));
  shop.bind();
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(shown).toEqual(['committed']));
  await vi.waitFor(() => expect(isHidden(shop.form)).toBe(true));
});

test('a page in a shadow root pays', async () => {
  const shop = openShop();
  const element = document.body.appendChild(document.createElement('div'));
  later(() => element.remove());
  const root = element.attachShadow({ mode: 'open' });
  root.innerHTML = `<p data-cardseal-outcome></p><form>${html()}</form>`;
  const form = root.querySelector('form')!;
  bindAt(form, { url: shop.url });
  typeCard(form);
  form.querySelector('button')!.focus();
  form.querySelector('button')!.click();
  const place = root.querySelector('[data-cardseal-outcome]')!;
  await vi.waitFor(() => expect(place.textContent).toBe(PAID), { timeout: 20_000 });
  expect(root.activeElement).toBe(place);
});

test('a decline that is told late says nothing beside a payment under way', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const before = openShop();
  before.bind();
  await before.decline();
  const shop = openShop();
  await before.next('GET', 'wait');
  await before.next('pay', 'lost');
  shop.bind({ url: before.url, keyTimeoutMs: Infinity });
  await vi.waitFor(async () => {
    const { requests } = await before.seen();
    expect(requests.filter((kind) => kind === 'GET')).toHaveLength(2);
  });
  shop.type();
  shop.press();
  await before.go();
  await shop.waitFor(NO_ANSWER);
  expect((await before.seen()).charges).toBe(1);
});

test('a form goes also where a stylesheet shows it with !important', async () => {
  const shop = openShop();
  shop.host.insertAdjacentHTML('afterbegin', '<style>.grid { display: grid !important }</style>');
  shop.form.className = 'grid';
  shop.bind();
  await shop.pay();
  expect(isHidden(shop.form)).toBe(true);
});

test('a closed form that the page shows again tells the outcome at each press', async () => {
  const shop = openShop();
  shop.bind();
  await shop.pay();
  for (const name of shop.form.getAttributeNames()) shop.form.removeAttribute(name);
  shop.form.nextElementSibling!.remove();
  shop.press();
  await shop.waitFor(PAID);
  expect(isHidden(shop.form)).toBe(true);
});

describe('a browser that translates the page', () => {
  /** As Chrome does it: each text stands in two elements of the translator. */
  function translate(host: HTMLElement): void {
    const texts = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
    const found: Text[] = [];
    while (texts.nextNode()) found.push(texts.currentNode as Text);
    for (const text of found.filter(({ data }) => data.trim())) {
      const outer = document.createElement('font');
      outer.innerHTML = '<font>Übersetzt.</font>';
      text.replaceWith(outer);
    }
  }

  test.each(['', '<p role="status" data-cardseal-outcome></p>'])(
    'a press takes the text away, and so does unbind() (own place: "%s")',
    async (place) => {
      const shop = openShop();
      shop.host.insertAdjacentHTML('beforeend', place);
      const binding = shop.bind();
      await shop.decline();
      translate(shop.host.lastElementChild as HTMLElement);
      expect(shop.reads()).toBe('Übersetzt.');
      shop.press();
      await shop.waitFor('Enter the card number');
      await shop.decline();
      translate(shop.host.lastElementChild as HTMLElement);
      binding.unbind();
      expect(shop.reads()).toBe('');
    },
  );

  test('what the shop writes into its own place later stays', async () => {
    const shop = openShop();
    shop.host.insertAdjacentHTML('beforeend', '<p role="status" data-cardseal-outcome></p>');
    const binding = shop.bind();
    await shop.decline();
    const place = shop.host.lastElementChild!;
    place.textContent = 'Please call us.';
    shop.press();
    await shop.waitFor('Enter the card numberPlease call us.');
    binding.unbind();
    expect(place.textContent).toBe('Please call us.');
  });
});

test("the page's own place is empty while there is no text", async () => {
  const shop = openShop();
  const style = '<style>[data-cardseal-outcome]:empty { display: none }</style>';
  shop.host.insertAdjacentHTML('beforeend', `${style}<p data-cardseal-outcome></p>`);
  shop.bind();
  const place = shop.host.lastElementChild!;
  const seen = () => [place.matches(':empty'), place.getClientRects().length > 0];
  await shop.ready();
  expect(seen()).toEqual([true, false]);
  await shop.decline();
  expect(seen()).toEqual([false, true]);
  shop.press();
  await shop.waitFor('Enter the card number');
  expect(seen()).toEqual([true, false]);
});

test('two forms with one place: neither a press nor a form that goes takes the text of the other', async () => {
  const shop = openShop();
  const other = openShop();
  const second = `<form>${html()}</form><p role="status" data-cardseal-outcome></p>`;
  shop.host.insertAdjacentHTML('beforeend', second);
  const form = shop.host.querySelectorAll('form')[1]!;
  const binding = shop.bind();
  bindAt(form, { url: other.url });
  await shop.decline();
  typeCard(form);
  form.querySelector('button')!.click();
  const place = shop.host.querySelector('[data-cardseal-outcome]')!;
  await vi.waitFor(() => expect(place.textContent).toBe(PAID), { timeout: 20_000 });
  shop.press();
  await vi.waitFor(() => expect(shop.reads()).not.toBe(PAID)); // the card is not complete
  expect(place.textContent).toBe(PAID);
  binding.unbind();
  expect(place.textContent).toBe(PAID);
});

test('a place within a form, which may be hidden, does not get the text; a hidden one is shown', async () => {
  const shop = openShop();
  const places = `<form hidden><p data-cardseal-outcome></p></form><p data-cardseal-outcome hidden></p>`;
  shop.host.insertAdjacentHTML('beforeend', places);
  shop.bind();
  await shop.pay();
  expect(shop.host.innerText).toContain(PAID);
});

test('a page that unbinds the form when it hears the outcome gets no text from the library', async () => {
  const shop = openShop();
  const binding = shop.bind();
  const heard = vi.fn(() => binding.unbind());
  shop.form.addEventListener('cardseal:outcome', heard);
  shop.type();
  shop.press();
  await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 20_000 });
  expect([isHidden(shop.form), shop.reads()]).toEqual([false, '']);
});

test('an error of the option headers goes to reportError', async () => {
  const shop = openShop();
  const mistake = new TypeError('no token');
  const report = vi.spyOn(window, 'reportError').mockImplementation(() => {});
  let isBroken = true; // the request for the outcome
  shop.bind({
    headers() {
      if (!isBroken) return {};
      isBroken = false;
      throw mistake;
    },
  });
  await vi.waitFor(() => expect(report).toHaveBeenCalledWith(mistake));
  await shop.ready();
  report.mockClear();
  isBroken = true;
  shop.type();
  shop.press();
  await shop.waitFor(NO_ANSWER);
  expect(report).toHaveBeenCalledWith(mistake);
});

test('what is no form ends in an error, and no request goes out', async () => {
  const shop = openShop();
  const noForm = shop.host as HTMLElement as HTMLFormElement;
  expect(() => bindAt(noForm, { url: shop.url })).toThrow('form');
  await shop.seen(); // a request of `open` would have come before this one
  expect((await shop.seen()).requests).toEqual([]);
});

describe('what the shopper has typed while a payment is under way stays after a decline', () => {
  const inputsOf = ({ form }: Shop) => [...form.querySelectorAll<HTMLInputElement>('input')];
  const valuesOf = (shop: Shop) =>
    inputsOf(shop).flatMap(({ type, value }) => (type === 'hidden' ? [] : [value]));

  /** Returns when the card is on its way, and the fields are empty. */
  async function openWithPayment(): Promise<Shop> {
    const shop = openShop(`${FIELDS}<button disabled data-cardseal-enable>Pay</button>`);
    await shop.next('pay', 'wait');
    shop.bind();
    shop.type({ number: DECLINED_NUMBER });
    shop.press();
    await vi.waitFor(async () => expect((await shop.seen()).blocks).toHaveLength(1));
    expect(valuesOf(shop)).toEqual(['', '', '', '']);
    return shop;
  }

  test('another card, which the next press pays with', async () => {
    const shop = await openWithPayment();
    shop.type();
    const typed = valuesOf(shop);
    await shop.go();
    await shop.waitFor(DECLINED);
    await shop.ready();
    expect(valuesOf(shop)).toEqual(typed);
    shop.press();
    await shop.waitFor(PAID);
    expect((await shop.seen()).charges).toBe(1);
  });

  test('a part of it, and the focus', async () => {
    const shop = await openWithPayment();
    const [number] = inputsOf(shop);
    number!.focus();
    number!.value = '4242';
    await shop.go();
    await shop.waitFor(DECLINED);
    expect(valuesOf(shop)).toEqual(['4242', '', '', '']);
    expect(document.activeElement).toBe(number);
  });

  test('the focus of the button, if nothing was typed', async () => {
    const shop = await openWithPayment();
    const button = shop.form.querySelector('button')!;
    button.focus();
    await shop.go();
    await shop.waitFor(DECLINED);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    expect([document.activeElement, button.disabled]).toEqual([button, false]);
    shop.press();
    await shop.waitFor('Enter the card number');
    expect((await shop.seen()).blocks).toHaveLength(1);
  });
});
