/** Functions of the platform are watched, and work as before. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { prototypeOf, safely, watch } from '../../src/check/patch.ts';

describe('code of the check', () => {
  test('gives its value', () => {
    expect(safely(() => 1)).toBe(1);
  });

  test('does not run within code of the check', () => {
    expect(safely(() => [safely(() => 1)])).toEqual([undefined]);
    expect(safely(() => 1)).toBe(1);
  });

  test('throws nothing, and says so', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const fault = () => {
      throw new Error('of the check');
    };
    expect(safely(fault)).toBeUndefined();
    expect(warn.mock.calls).toEqual([['cardseal check: a fault of the check itself']]);
    expect(safely(() => 1)).toBe(1);
    warn.mockImplementation(fault); // a console of the page's own
    expect(safely(fault)).toBeUndefined();
  });
});

describe('watches', () => {
  /** What the platform has, for example. */
  function platform() {
    class Platform {
      text = 'a';
      get upper() {
        return this.text.toUpperCase();
      }
      set upper(text: string) {
        this.text = text.toLowerCase();
      }
      add(...more: string[]) {
        return this.text + more.join('');
      }
    }
    return { Platform, it: new Platform() };
  }

  test('a method, its arguments and its result', () => {
    const { Platform, it } = platform();
    const after = vi.fn();
    const before = vi.fn(() => after);
    watch(Platform.prototype, 'add', before);
    expect(it.add('b', 'c')).toBe('abc');
    expect(before.mock.calls).toEqual([[it, ['b', 'c']]]);
    expect(after.mock.calls).toEqual([['abc']]);
  });

  test('a setter, and leaves its getter as it is', () => {
    const { Platform, it } = platform();
    const before = vi.fn();
    watch(Platform.prototype, 'upper', before, 'set');
    it.upper = 'B';
    expect([it.text, it.upper]).toEqual(['b', 'B']);
    expect(before.mock.calls).toEqual([[it, ['B']]]);
  });

  test('a getter', () => {
    const { Platform, it } = platform();
    const after = vi.fn();
    watch(Platform.prototype, 'upper', () => after, 'get');
    expect(it.upper).toBe('A');
    expect(after.mock.calls).toEqual([['A']]);
  });

  test('a constructor that a class of the page extends', () => {
    const owner = { Platform: platform().Platform };
    watch(owner, 'Platform', () => {});
    class Own extends owner.Platform {
      own = () => this.add('b');
    }
    const it = new Own();
    expect([it instanceof Own, it.own()]).toEqual([true, 'ab']);
    expect(Own.toString()).toContain('class Own');
  });

  test('a constructor, which its instances name, too', () => {
    const owner = platform();
    const { Platform } = owner;
    const before = vi.fn();
    watch(owner, 'Platform', before);
    const it = new owner.Platform();
    expect(before).toHaveBeenCalledOnce();
    expect(it).toBeInstanceOf(Platform);
    expect(it.constructor).toBe(owner.Platform);
    expect(Object.keys(owner)).toEqual(['Platform', 'it']);
  });

  test('a method, of which an instance may have its own, like any other property', () => {
    const { Platform, it } = platform();
    watch(Platform.prototype, 'add', () => {});
    const own = () => 'own';
    it.add = own;
    const ordinary = { writable: true, enumerable: true, configurable: true };
    expect(Object.getOwnPropertyDescriptor(it, 'add')).toEqual({ ...ordinary, value: own });
  });

  test('a function, whose text and name are those of the platform', () => {
    const owner = { fetch: window.fetch };
    watch(owner, 'fetch', () => {});
    expect(owner.fetch).not.toBe(window.fetch);
    expect(owner.fetch.toString()).toBe(window.fetch.toString());
    expect([owner.fetch.name, owner.fetch.length]).toEqual(['fetch', window.fetch.length]);
  });

  test('nothing that is not there', () => {
    for (const owner of [{}, prototypeOf('NoSuchType')]) {
      watch(owner, 'none', () => {});
      expect(owner).toEqual({});
    }
  });

  test('nothing that is no function', () => {
    const owner = { list: [1] };
    watch(owner, 'list', () => {});
    expect(owner.list).toEqual([1]);
  });
});
