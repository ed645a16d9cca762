/** Limits of one process: no sender may use up what others need. */
import { describe, expect, test, vi } from 'vitest';
import { declineLimits, keyLimits } from '../../src/checkout/limits.ts';
import { senderOf } from '../../src/checkout/sender.ts';

describe('the keys', () => {
  test('of an order are 6 at once, and then one in 5 s, never for the life of an order', () => {
    const limits = keyLimits(10);
    const take = (now: number) => limits.take('a', undefined, now);
    expect(Array.from({ length: 7 }, () => take(0))).toEqual([0, 0, 0, 0, 0, 0, 5]);
    expect(take(4999)).toBe(1);
    expect(take(5000)).toBe(0);
    for (let at = 0; at < 6; at++) limits.take('d', undefined, 10 ** 9);
    expect(limits.take('d', undefined, 10 ** 6)).toBe(0); // the clock was set back
  });

  test('of a sender are 60 at once, and then one a second', () => {
    const limits = keyLimits(1000);
    let order = 0;
    const take = (sender: string, now: number) => limits.take(`${order++}`, sender, now);
    const taken = Array.from({ length: 100 }, () => take('bot', 0));
    expect(taken.filter((wait) => wait === 0)).toHaveLength(60);
    expect(take('bot', 0)).toBe(1);
    expect(take('bot', 1000)).toBe(0);
    expect(take('bot', 1000)).toBe(1);
    expect(take('shopper', 1000)).toBe(0);
  });

  test('of all are 100 at once, and then as many a second as the shop says', () => {
    const limits = keyLimits(10);
    const take = (order: number, now: number) => limits.take(`${order}`, undefined, now);
    const taken = Array.from({ length: 150 }, (_, order) => take(order, 0));
    expect(taken.filter((wait) => wait === 0)).toHaveLength(100);
    expect(Array.from({ length: 11 }, (_, order) => take(200 + order, 1000)).at(-1)).toBe(1);
  });

  test('of all leave a share for senders that have just come: one sender never stops another', () => {
    const limits = keyLimits(10);
    let order = 0;
    const take = (sender: string | undefined, now: number) =>
      limits.take(`${order++}`, sender, now);
    while (take(undefined, 0) === 0); // whoever asks without an address
    for (let shopper = 0; shopper < 60; shopper++)
      for (let key = 0; key < 3; key++) expect(take(`shopper ${shopper}`, 0)).toBe(0);
    expect(take('shopper 0', 0)).toBeGreaterThan(0); // no newcomer any more
  });

  test('of senders that have just come are those of all, while there are any', () => {
    const limits = keyLimits(10);
    for (let at = 0; at < 100; at++) expect(limits.take(`${at}`, `shopper ${at}`, 0)).toBe(0);
    expect(limits.take('another', undefined, 0)).toBe(1);
  });

  test('of an order and of a sender are forgotten when there are as many as before', () => {
    const limits = keyLimits(10);
    const set = vi.spyOn(Map.prototype, 'set');
    for (let at = 0; at < 1000; at++) limits.take(`${at}`, `shopper ${at}`, at * 10_000);
    const contexts = set.mock.contexts as Map<unknown, unknown>[];
    const maps = contexts.filter((map) => map.has('999') || map.has('shopper 999'));
    set.mockRestore();
    expect(new Set(maps).size).toBe(2);
    for (const { size } of maps) expect(size).toBeLessThan(10);
  });

  /** What 90 of 120 shoppers met with the limits before 0.3.0. */
  // Claim senders. Why: src/checkout/limits.ts counts by sender, and takes a decline when a try
  // begins.
  test.each([12, 100, 1000])('a bot that asks %i times a second stops no shopper', (perSecond) => {
    const limits = keyLimits(10);
    let refused = 0;
    for (let second = 0; second < 120; second++) {
      for (let at = 0; at < perSecond; at++)
        limits.take(`bot ${second} ${at}`, 'bot', second * 1000 + (at * 1000) / perSecond);
      if (limits.take(`order ${second}`, `shopper ${second}`, second * 1000) > 0) refused++;
    }
    expect(refused).toBe(0);
  });

  test.each(['1..2.3', '1.2.3', '@localhost/', 'localhost', ''])(
    '%j is no address of a sender',
    (text) => expect(senderOf(text)).toBe(undefined),
  );

  // Claim senders
  test('an IPv6 line with a /48 is many senders: a bot there stops most newcomers', () => {
    const stopped = (addressOf: (at: number) => string) => {
      const limits = keyLimits(10);
      let refused = 0;
      for (let second = 0; second < 120; second++) {
        for (let at = second * 40; at < second * 40 + 40; at++)
          limits.take(`bot ${at}`, senderOf(addressOf(at)), at * 25);
        const shopper = senderOf(`203.0.113.${second}`);
        if (limits.take(`order ${second}`, shopper, second * 1000 + 999) > 0) refused++;
      }
      return refused;
    };
    expect(stopped((at) => `2600:1:2:${at.toString(16)}::1`)).toBeGreaterThan(90);
    expect(stopped((at) => `2600:1:2:3::${at.toString(16)}`)).toBe(0); // all of one /64
  });

  // Control senders
  test('control: where nobody says who asks, the same bot stops most shoppers', () => {
    const limits = keyLimits(10);
    let refused = 0;
    for (let second = 0; second < 120; second++) {
      for (let at = 0; at < 100; at++)
        limits.take(`bot ${second} ${at}`, undefined, second * 1000 + at * 10);
      if (limits.take(`order ${second}`, undefined, second * 1000 + 995) > 0) refused++;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

describe('declined cards', () => {
  // Claim senders
  test('of a sender are 10, and then 10 an hour, however many are tried at once', () => {
    const limits = declineLimits();
    const begun = Array.from({ length: 50 }, () => limits.begin('tester', 0));
    expect(begun.filter(Boolean)).toHaveLength(10);
    for (let card = 0; card < 10; card++) limits.end('tester', 'declined', 0);
    expect(limits.begin('tester', 0)).toBe(false);
    expect(limits.begin('shopper', 0)).toBe(true);
    expect(limits.begin('tester', 359_000)).toBe(false);
    expect(limits.begin('tester', 360_000)).toBe(true);
  });

  test('count refused blocks, too, which are no declines that look odd', () => {
    const limits = declineLimits();
    for (let block = 0; block < 30; block++) {
      const isBegun = limits.begin('bot', 0);
      expect(isBegun).toBe(block < 10);
      if (isBegun) expect(limits.end('bot', 'refused', 0)).toBe(false);
      expect(limits.end(undefined, 'refused', 0)).toBe(false);
    }
  });

  test('are given back by what is not declined, and by each success', () => {
    const limits = declineLimits();
    for (let pay = 0; pay < 100; pay++) {
      expect(limits.begin('office', 0)).toBe(true);
      limits.end('office', pay % 5 === 0 ? 'paid' : pay % 2 ? 'other' : 'declined', 0);
    }
  });

  test('are told once in ten minutes if there are many, and more than payments', () => {
    const limits = declineLimits();
    const end = (outcome: 'declined' | 'paid', now: number) => limits.end(undefined, outcome, now);
    for (let card = 0; card < 20; card++) end('paid', 0);
    const told = Array.from({ length: 25 }, () => end('declined', 1000));
    expect(told.filter(Boolean)).toHaveLength(1);
    expect(told.indexOf(true)).toBe(20); // the first decline that is more than the payments
    expect(limits.end(undefined, 'other', 1000)).toBe(false);
    const later = 700_000;
    expect(Array.from({ length: 25 }, () => end('declined', later)).indexOf(true)).toBe(19);
    expect(limits.begin(undefined, later)).toBe(true); // no address: no limit by sender
  });

  test('count together for ten minutes, and not longer', () => {
    const toldAt = (last: number) => {
      const limits = declineLimits();
      for (let card = 0; card < 19; card++) limits.end(undefined, 'declined', 0);
      return limits.end(undefined, 'declined', last);
    };
    expect(toldAt(600_000)).toBe(true);
    expect(toldAt(600_001)).toBe(false);
  });
});

const NONE = [
  ...['10.1.2.3', '127.0.0.1', '192.168.0.1', '172.16.0.1', '172.31.9.9', '169.254.1.1'],
  ...['100.64.0.1', '::1', '::', 'fe80::1%eth0', 'fd00::1', '::ffff:127.0.0.1', '0.0.0.0'],
  ...['100.127.255.255', '203.0.113.-1', '203.0.113.1e-1', '::ffff:7f00:1'],
  ...[
    '',
    'unknown',
    '203.0.113',
    '203.0.113.256',
    '1:2',
    undefined,
    '203.0.113.9:80',
    '@localhost:80/',
  ],
];

/** Beside the networks that are private. */
const PUBLIC = [
  ...['100.63.255.255', '100.128.0.0', '101.64.0.1', '169.253.1.1', '170.254.1.1'],
  ...['171.16.0.1', '172.15.255.255', '172.32.0.0', '192.167.0.1', '191.168.0.1'],
];

test.each<[string | undefined, string | undefined]>([
  ...PUBLIC.map((address): [string, string] => [address, address]),
  ['203.0.113.9', '203.0.113.9'],
  [' 203.0.113.9 ', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  // Changed: it was no sender. It is an IPv6 address, if an odd one.
  ['20::ffff:3.0.113.9', '20:0:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  [' 2001:db8::1 ', '2001:db8:0:0::/64'],
  ['2001::1:2:3:4:5', '2001:0:0:1::/64'],
  ...NONE.map((address): [string | undefined, undefined] => [address, undefined]),
])('the sender of %s is %s', (address, sender) => {
  expect(senderOf(address)).toBe(sender);
});
