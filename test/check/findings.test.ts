/** The store of findings: what is printed, kept in the tab's storage, and taken back. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Found,
  findingStore,
  placed,
  placeOf,
  type Report,
} from '../../src/check/findings.ts';

describe('the store of findings', () => {
  const ENTRY = 'cardseal-check';
  const EMPTY = { findings: [], presses: [], notices: [] };
  const FOUND: Found = {
    kind: 'no block',
    text: ['It left', ' by fetch.'],
    advice: 'Do this.',
    help: 'docs/x.md#y',
    way: 'fetch',
    site: { script: '/shop.js', line: 1, column: 2 },
  };
  const page = location.pathname;

  const said: string[] = [];
  const changes: Report[] = [];
  beforeEach(() => {
    sessionStorage.removeItem(ENTRY);
    onTestFinished(() => sessionStorage.removeItem(ENTRY));
    said.length = 0;
    changes.length = 0;
    for (const level of ['info', 'warn'] as const) {
      const spy = vi.spyOn(console, level);
      spy.mockImplementation((text) => void said.push(`${level}: ${text}`));
      onTestFinished(() => spy.mockRestore());
    }
  });

  /** A store that shows no text with `secret` in it. */
  const store = () =>
    findingStore(
      (text) => text.replace(/.*secret.*/, '(hidden)'),
      (report) => changes.push(report),
    );
  const stored = () => JSON.parse(sessionStorage.getItem(ENTRY)!);

  describe('a finding', () => {
    test('is printed, stored and shown, once', () => {
      const { add, load } = store();
      const report = { ...EMPTY, findings: [{ ...FOUND, text: 'It left by fetch.', page }] };
      add(FOUND);
      add({ ...FOUND, text: ['In other words.'] });
      expect(load()).toEqual(report);
      expect(stored()).toEqual(report);
      expect(changes).toEqual([report]);
      expect(said).toEqual(['warn: cardseal check: It left by fetch. Do this. See docs/x.md#y']);
    });

    test('is another one if any of this differs', () => {
      const { add, load } = store();
      const others: Partial<Found>[] = [
        ...[{ kind: 'lock' as const }, { way: 'form' }, { to: '/a' }, { control: 'a' }],
        ...[{ fields: ['name'] }, { site: { script: '/shop.js', line: 1, column: 3 } }],
      ];
      add(FOUND);
      for (const other of others) add({ ...FOUND, ...other });
      expect(load().findings).toHaveLength(1 + others.length);
    });

    test('has the line of a place although it is equal to a secret, without a script that holds one', () => {
      const { add, load } = findingStore(
        (text) => text.replace(/.*123.*/, '(hidden)'),
        () => {},
      );
      const site = { script: '/v123.js', line: 123, column: 123 };
      add({ ...FOUND, text: ['It left', ...placed(' from ', site), '.'], site });
      const text = 'It left from (hidden):123:123.';
      expect(load().findings).toMatchObject([{ text, site: { script: '(hidden)', line: 123 } }]);
    });

    test('has nothing in it that is not to be shown', () => {
      const { add, load } = store();
      const site = { ...FOUND.site!, script: '/secret.js' };
      add({ ...FOUND, text: ['A', 'secret', 'B'], to: '/secret', fields: ['a', 'secret'], site });
      expect(load().findings).toMatchObject([
        {
          text: 'A(hidden)B',
          to: '(hidden)',
          fields: ['a', '(hidden)'],
          site: { script: '(hidden)' },
        },
      ]);
    });

    test('is added to what another frame has found', () => {
      const [one, other] = [store(), store()];
      one.add(FOUND);
      other.add({ ...FOUND, way: 'form' });
      expect(one.load().findings).toMatchObject([{ way: 'fetch' }, { way: 'form' }]);
    });
  });

  test('a press is printed, stored and shown', () => {
    const { addPress, load } = store();
    addPress(['A press: ', 'secret', '.']);
    expect(load()).toEqual({ ...EMPTY, presses: [{ page, text: 'A press: (hidden).' }] });
    expect(changes).toEqual([load()]);
    expect(said).toEqual(['info: cardseal check: A press: (hidden).']);
  });

  test('a notice is printed, stored and shown, once', () => {
    const { notice, load } = store();
    notice('Nothing is looked at.');
    notice('Nothing is looked at.');
    expect(load()).toEqual({ ...EMPTY, notices: ['Nothing is looked at.'] });
    expect(changes).toEqual([load()]);
    expect(said).toEqual(['warn: cardseal check: Nothing is looked at.']);
  });

  test('the newest hundred findings and presses are kept', () => {
    const { add, addPress, load } = store();
    for (let i = 0; i <= 100; i++) {
      add({ ...FOUND, way: `way ${i}` });
      addPress([`press ${i}`]);
    }
    const { findings, presses } = load();
    expect([findings.length, presses.length]).toEqual([100, 100]);
    expect([findings[0]?.way, presses[0]?.text]).toEqual(['way 1', 'press 1']);
  });

  describe('taking back', () => {
    test('concerns the findings of these kinds in this page', () => {
      const { add, withdraw, load } = store();
      for (const kind of ['lock', 'no block', 'clear text'] as const) add({ ...FOUND, kind });
      const ofOther = { ...load().findings[0], page: '/other' };
      const findings = load().findings.concat(ofOther as never);
      sessionStorage.setItem(ENTRY, JSON.stringify({ ...EMPTY, findings }));
      said.length = 0;
      withdraw(({ kind }) => kind === 'no block' || kind === 'lock', 'the page has paid after all');
      expect(load().findings).toMatchObject([
        { kind: 'clear text' },
        { kind: 'lock', page: '/other' },
      ]);
      expect(changes.at(-1)).toEqual(load());
      expect(said).toEqual([
        'info: cardseal check: the page has paid after all: no finding (lock, no block)',
      ]);
    });

    test('says nothing where there is none', () => {
      const { add, withdraw } = store();
      add(FOUND);
      withdraw(({ kind }) => kind === 'lock', 'the page has paid after all');
      expect([said.length, changes.length]).toEqual([1, 1]);
    });
  });

  test('forgets everything', () => {
    const { add, clear, load } = store();
    add(FOUND);
    clear();
    expect(sessionStorage.getItem(ENTRY)).toBeNull();
    expect([load(), changes.at(-1)]).toEqual([EMPTY, EMPTY]);
  });

  test('has nothing where another frame has forgotten everything', () => {
    const [one, other] = [store(), store()];
    one.add(FOUND);
    other.clear();
    expect(one.load()).toEqual(EMPTY);
  });

  test('finds and forgets where a page has no storage', () => {
    for (const name of ['getItem', 'setItem', 'removeItem'] as const) {
      const spy = vi.spyOn(Storage.prototype, name).mockImplementation(() => {
        throw new DOMException('As in a frame with the attribute sandbox', 'SecurityError');
      });
      onTestFinished(() => spy.mockRestore());
    }
    const { add, clear, load } = store();
    expect(load()).toEqual(EMPTY);
    add(FOUND);
    expect(load().findings).toHaveLength(1);
    clear();
    expect(load()).toEqual(EMPTY);
  });

  test.each([
    ['another value', '0'],
    ['null', 'null'],
    ['no JSON', '{'],
    ['findings without a text', JSON.stringify({ ...EMPTY, findings: [{}] })],
    ['presses without a text', JSON.stringify({ ...EMPTY, presses: [{ text: 1 }] })],
    ['notices that are no text', JSON.stringify({ ...EMPTY, notices: ['a', 1] })],
  ])('takes %s in the storage for nothing', (_, entry) => {
    sessionStorage.setItem(ENTRY, entry);
    expect(store().load()).toEqual(EMPTY);
  });

  test('names a place, and the library that calls it, or the other scripts that it may be', () => {
    const site = { script: '/shop.js', line: 3, column: 4 };
    expect(placeOf(site)).toBe('/shop.js:3:4');
    expect(placeOf({ ...site, through: 'jquery.js' })).toBe('/shop.js:3:4, through jquery.js');
    expect(placeOf({ ...site, or: ['a.js', 'b.js'] })).toBe('/shop.js:3:4 (or a.js or b.js)');
    expect(placed(', from ', site)).toEqual([', from ', site]);
    expect(placed(', from ', undefined)).toEqual([]);
  });
});
