/** The rules of a page with one order. `bind-checkout.test.ts` runs the most important in pages. */
import { describe, expect, test } from 'vitest';
import {
  type Asked,
  type Known,
  type Outcome,
  onAnswer,
  onBegin,
  onBindAgain,
  onNoOutcome,
  onPress,
  onRestored,
  onSent,
} from '../../src/pay/decide.ts';

type Step = (known: Known) => { known: Known; tell?: Outcome | undefined };

const press: Step = onPress;
const restore: Step = onRestored;
const send =
  (key: string): Step =>
  (known) =>
    onSent(known, key);
const answer =
  (outcome: Outcome, asked: Asked): Step =>
  (known) =>
    onAnswer(known, outcome, asked);
/** The answer to a block. */
const answers = (key: string, status: Outcome['status']) =>
  answer({ status }, { for: 'payment', key });
/** The answer to a request for a key. */
const gives = (last?: Outcome['last'], key_id?: string) =>
  answer({ status: 'open', last, key_id, key: KEY }, { for: 'key' });
const refuses = (status: Outcome['status']) => answer({ status }, { for: 'key' });
const KEY = { id: 'cek', scheme: 'RSA_OAEP_SHA256_V1', public_key: '' } as const;

/** What is known after these steps, and what the last one has told. */
function after(...steps: Step[]) {
  let known = onBegin('order-1');
  let tell: Outcome | undefined;
  for (const step of steps) ({ known, tell } = step(known));
  return { known, tell };
}

const tellsOf = (...steps: Step[]) => {
  const { tell } = after(...steps);
  return tell && (tell.last ?? tell.status);
};

describe('P1: a page on which nothing can be paid any more', () => {
  test.each<[string, Step]>([
    ['paid', answers('k1', 'committed')],
    ['authorized', answers('k1', 'authorized')],
    ['not certain', answers('k1', 'not_certain')],
    ['of another order', answers('k1', 'no_order')],
    ['that gets no key', refuses('failed')],
  ])('stays so, and tells nothing else: %s', (_, step) => {
    const closed = after(press, send('k1'), step);
    expect(closed.known.isClosed).toBe(true);
    for (const next of [
      press,
      restore,
      answers('k2', 'failed'),
      gives('not_paid'),
      refuses('committed'),
    ])
      expect(next(closed.known)).toEqual({ known: closed.known });
  });
});

describe('P2: a text about a try', () => {
  test('goes at the next press, once', () => {
    expect(after(press, send('k1'), answers('k1', 'failed'), press).tell).toEqual({
      status: 'open',
    });
    expect(tellsOf(press, send('k1'), answers('k1', 'failed'), press, press)).toBeUndefined();
  });

  test('comes once, and not after the next press', () => {
    expect(tellsOf(gives('failed'))).toBe('failed');
    expect(tellsOf(gives('failed'), gives('failed'))).toBeUndefined();
    expect(tellsOf(press, gives('failed'))).toBeUndefined();
  });

  test('goes when the browser shows the page again, and comes anew', () => {
    const declined = [press, send('k1'), answers('k1', 'failed'), restore];
    expect(after(...declined).tell).toEqual({ status: 'open' });
    expect(tellsOf(...declined, gives('failed', 'k1'))).toBe('failed');
    expect(tellsOf(press, restore)).toBeUndefined();
  });

  test('goes when the next block is sent, if it has come since the press', () => {
    const late = after(press, send('k1'), press, answers('k1', 'failed'), send('k2'));
    expect(late.tell).toEqual({ status: 'open' });
    expect(late.known).toMatchObject({ out: ['k2'], newest: 'k2', told: 'nothing' });
  });

  test('comes for a block whose answer has not come', () => {
    expect(tellsOf(press, send('k1'), gives('failed', 'k1'))).toBe('failed');
  });
});

describe('P3: a block is out until an answer speaks of it', () => {
  const outAfter = (...steps: Step[]) => after(...steps).known.out;
  const two = [send('k1'), send('k2')];

  test('the answer to a block speaks of that block, however often it was sent', () => {
    expect(outAfter(...two, send('k1'), answers('k1', 'not_paid'))).toEqual(['k2']);
  });

  test('what became of the last try names its block', () => {
    expect(outAfter(...two, gives('failed', 'k1'))).toEqual(['k2']);
    expect(outAfter(...two, gives('failed', 'of another page'))).toEqual(['k1', 'k2']);
  });

  test('without a name, it is the newest one that the page has sent, whether it is out or not', () => {
    expect(outAfter(...two, gives('failed'))).toEqual(['k1']);
    expect(outAfter(...two, answers('k2', 'retry_is_safe'), gives('retry_is_safe'))).toEqual([
      'k1',
    ]);
  });

  test('a safe retry without a name speaks of none: the shop does not name its block', () => {
    expect(outAfter(...two, gives('retry_is_safe'))).toEqual(['k1', 'k2']);
    const declined = [
      answers('k1', 'retry_is_safe'),
      send('k2'),
      gives('retry_is_safe'),
      send('k3'),
    ];
    expect(tellsOf(send('k1'), ...declined, answers('k3', 'failed'))).toBe('retry_is_safe');
  });

  test('an order that is open, and has no last try, speaks of none', () => {
    expect(outAfter(...two, gives(undefined, 'k1'))).toEqual(['k1', 'k2']);
  });
});

describe('P4: an answer that says only that nothing was sent now', () => {
  test.each(['no_order', 'invalid_encrypted_card'] as const)(
    'speaks of no other sending of the block, and leaves the order as unclear as it was: %s',
    (status) => {
      const { known } = after(send('k1'), send('k1'), answers('k1', status));
      expect(known.out).toEqual(['k1']);
      const unclear = after(gives('retry_is_safe'), send('k1'), answers('k1', status));
      expect(unclear.known.isUnclear).toBe(true);
    },
  );
});

describe('P5: while another block is out, nobody reads "not paid"', () => {
  test.each<Outcome['status']>(['committed', 'authorized', 'not_certain'])(
    'everything else is told as it is: %s',
    (status) => {
      expect(tellsOf(send('k1'), send('k2'), answers('k2', status))).toBe(status);
    },
  );

  const lost = [press, send('k1'), press, send('k2')];

  test.each(['failed', 'not_paid'] as const)('%s', (status) => {
    expect(after(...lost, answers('k2', status)).tell).toEqual({ status: 'retry_is_safe' });
    expect(after(...lost, gives(status, 'k2')).tell).toEqual({
      status: 'open',
      last: 'retry_is_safe',
    });
    expect(tellsOf(...lost, gives(status, 'k1'))).toBe('retry_is_safe');
  });

  test('nor nothing, if the order is open and knows of no try', () => {
    expect(after(press, send('k1'), gives()).tell).toEqual({
      status: 'open',
      last: 'retry_is_safe',
    });
    expect(tellsOf(press, send('k1'), press, gives())).toBeUndefined(); // P2
  });

  test('the decline of the only one, or of the last one, is told', () => {
    expect(tellsOf(press, send('k1'), press, send('k1'), answers('k1', 'failed'))).toBe('failed');
    const first = gives('failed', 'k1');
    expect(tellsOf(...lost, first, answers('k2', 'failed'))).toBe('failed');
  });

  test('but if the order gets no further key, none of it is sent', () => {
    expect(tellsOf(...lost, refuses('failed'))).toBe('failed');
    expect(tellsOf(...lost, answer({ status: 'failed' }, { for: 'outcome' }))).toBe('failed');
  });
});

describe('P6: a session that is lost', () => {
  const CERTAIN = { status: 'no_order' };
  const NOT_CERTAIN = { status: 'not_certain', order: 'order-1' };

  test.each<[string, Outcome | object, Step[]]>([
    ['before anything was sent', CERTAIN, [refuses('no_order')]],
    ['at the first block', CERTAIN, [send('k1'), answers('k1', 'no_order')]],
    ['while a block is out', NOT_CERTAIN, [send('k1'), refuses('no_order')]],
    ['at a retry', NOT_CERTAIN, [send('k1'), send('k1'), answers('k1', 'no_order')]],
    ['after a doubt', NOT_CERTAIN, [gives('retry_is_safe'), refuses('no_order')]],
    [
      'after a doubt, also if a key comes of an order that knows no try',
      NOT_CERTAIN,
      [gives('retry_is_safe'), gives(), refuses('no_order')],
    ],
    [
      'after a doubt that an answer has ended',
      CERTAIN,
      [gives('retry_is_safe'), send('k1'), answers('k1', 'failed'), refuses('no_order')],
    ],
    [
      'after a decline that is told late',
      CERTAIN,
      [send('k1'), gives('failed', 'k1'), refuses('no_order')],
    ],
  ])('%s', (_, told, steps) => {
    expect(after(...steps).tell).toEqual(told);
  });
});

describe('P7: without a key', () => {
  test('the page closes, whatever the outcome is', () => {
    expect(after(refuses('not_paid')).known.isClosed).toBe(true);
    const declined = answer({ status: 'failed' }, { for: 'outcome' });
    expect(after(declined).known.isClosed).toBe(true);
  });

  test('with one, it does not: nor after a decline', () => {
    expect(after(send('k1'), answers('k1', 'failed'), gives('failed')).known.isClosed).toBe(false);
    expect(after(answer({ status: 'open' }, { for: 'outcome' })).known.isClosed).toBe(false);
  });
});

describe('P8: a form that is bound again', () => {
  const { known } = after(press, send('k1'), press);

  test('knows of a block that is out, and what became of it is told', () => {
    for (const order of ['order-1', undefined])
      expect(onBindAgain(known, order)).toEqual({ ...known, told: 'nothing' });
  });

  test('knows of a doubt', () => {
    const doubt = after(send('k1'), answers('k1', 'retry_is_safe')).known;
    expect(onBindAgain(doubt, undefined)).toEqual({ ...doubt, told: 'nothing' });
  });

  test('tells that nobody knows, if there is no answer and a block is out', () => {
    expect(onNoOutcome(known).tell).toEqual({ status: 'retry_is_safe' });
    expect(onNoOutcome(known).known.out).toEqual(['k1']);
    const answered = after(send('k1'), answers('k1', 'failed')).known;
    expect(onNoOutcome(answered)).toEqual({ known: answered });
  });

  test.each<[string, Known, string | undefined]>([
    ['if no block is out', after(send('k1'), answers('k1', 'failed')).known, undefined],
    ['on a page that was closed', { ...known, isClosed: true }, undefined],
    ['for another order', known, 'order-2'],
  ])('begins anew %s', (_, before, order) => {
    expect(onBindAgain(before, order)).toBeUndefined();
  });
});

test('an answer that names the order is about that one', () => {
  const named = answer({ status: 'open', order: 'order-2', key: KEY }, { for: 'key' });
  expect([after(named).known.order, after(named, gives()).known.order]).toEqual([
    'order-2',
    'order-2',
  ]);
});
