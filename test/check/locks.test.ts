/** What locks a form, and which code has done it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inWindow } from './page.ts';

describe('locks', () => {
  let page: Window & typeof globalThis;
  let module: typeof import('../../src/check/locks.ts');
  let close = () => {};
  beforeAll(async () => {
    ({ page, module, close } = await inWindow<typeof module>('locks.ts'));
    module.watchLocks();
  });
  afterAll(() => close());

  function open(html: string) {
    const form = page.document.createElement('form');
    form.innerHTML = html;
    page.document.body.append(form);
    onTestFinished(() => form.remove());
    return { form, button: form.firstElementChild as HTMLButtonElement };
  }

  /** What is locked by this, and was not before. */
  function locksBy(
    lock: (button: HTMLButtonElement, form: HTMLFormElement) => void,
    html = '<button>',
  ) {
    const { form, button } = open(html);
    const before = module.takeSnapshot([page.document]);
    lock(button, form);
    return module.newLocks(before, module.takeSnapshot([page.document]), form);
  }
  const disable = (button: HTMLButtonElement) => {
    button.disabled = true;
  };
  const LOCK = { what: 'The button is still locked', site: expect.any(Object) };

  test.each<[string, (button: HTMLButtonElement) => void]>([
    ['disabled', disable],
    ['disabled by its attribute', (button) => button.setAttribute('disabled', '')],
    ['disabled for assistive technology', (button) => button.setAttribute('aria-disabled', 'true')],
  ])('finds a button that is %s, and the code', (_, lock) => {
    expect(locksBy(lock)).toEqual([LOCK]);
  });

  test.each([
    ...['disabled', 'loading', 'busy', 'processing', 'submitting'],
    ...['btn is-loading', 'btn_busy_now', 'disabled btn'],
  ])('finds a button of the class "%s"', (name) => {
    const locks = locksBy((button) => {
      button.className = name;
    });
    expect(locks).toEqual([{ what: LOCK.what, site: undefined }]);
  });

  test.each<[string, (button: HTMLButtonElement) => void]>([
    ['that looks loaded', (button) => Object.assign(button, { className: 'preloading loadings' })],
    [
      'that is enabled for assistive technology',
      (button) => button.setAttribute('aria-disabled', 'false'),
    ],
    ['that is gone', (button) => [disable(button), button.remove()]],
  ])('does not find a button %s', (_, lock) => {
    expect(locksBy(lock)).toEqual([]);
  });

  test('finds a button that no pointer reaches, and names it', () => {
    const lock = (button: HTMLButtonElement) => {
      button.style.pointerEvents = 'none';
    };
    expect(locksBy(lock, '<button id="pay">')).toMatchObject([
      { what: 'The button #pay is still locked' },
    ]);
  });

  test.each(['submit', 'button', 'image'])('finds an input of the type %s', (type) => {
    expect(locksBy(disable, `<input type="${type}">`)).toEqual([LOCK]);
  });

  test('finds a button elsewhere if it is marked, and no other one', () => {
    const marked = open('<button data-cardseal-button>').button;
    const other = open('<button>').button;
    expect(locksBy(() => [marked, other].forEach(disable))).toEqual([LOCK]);
  });

  test('finds no button that was locked before', () => {
    expect(locksBy(() => {}, '<button disabled>')).toEqual([]);
  });

  test('finds a button in a shadow root', () => {
    const root = page.document.createElement('div').attachShadow({ mode: 'open' });
    root.innerHTML = '<form><button></form>';
    const before = module.takeSnapshot([root]);
    page.document.body.append(root.host);
    onTestFinished(() => root.host.remove());
    disable(root.querySelector('button')!);
    const after = module.takeSnapshot([root]);
    expect(module.newLocks(before, after, root.querySelector('form')!)).toHaveLength(1);
  });

  describe('the code that locks', () => {
    test('is not that which unlocks', () => {
      const unlock = (button: HTMLButtonElement) => {
        button.disabled = false;
        button.className = 'disabled';
      };
      expect(locksBy(unlock)).toEqual([{ what: LOCK.what, site: undefined }]);
    });

    test('is not that which sets another attribute', () => {
      const name = (button: HTMLButtonElement) => button.setAttribute('class', 'disabled');
      expect(locksBy(name)).toEqual([{ what: LOCK.what, site: undefined }]);
    });
  });

  describe('global flags', () => {
    function locksByFlag(name: string, value: PropertyDescriptor) {
      const locks = locksBy(() => {
        Object.defineProperty(page, name, { configurable: true, enumerable: true, ...value });
      });
      Reflect.deleteProperty(page, name);
      return locks;
    }

    test.each([
      ...['submitted', 'isSending', 'busy', 'formLocked', 'processing', 'paying', 'order_pending'],
      ...['clicked', 'inProgress', 'in_progress'],
    ])('%s is found', (name) => {
      const locks = [{ what: `The global variable ${name} is still set` }];
      expect(locksByFlag(name, { value: true })).toEqual(locks);
      expect(locksByFlag(name, { value: 1 })).toEqual(locks);
    });

    test.each([
      ['another name', 'ready', { value: true }],
      ['another value', 'submitted', { value: 'no' }],
      ['a getter', 'submitted', { get: () => true }],
    ])('not by %s', (_, name, value) => {
      expect(locksByFlag(name, value)).toEqual([]);
    });

    test('not if it was set before', () => {
      Object.assign(page, { submitted: true });
      onTestFinished(() => void Reflect.deleteProperty(page, 'submitted'));
      expect(locksBy(() => {})).toEqual([]);
    });
  });
});
