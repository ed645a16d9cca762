/**
 * Today's engines without the features that old ones lack, in whole pages that post for real.
 * It stands for old versions of Firefox and Safari, of which we could not obtain builds. Real old
 * Chromium is tested by `npm run old-browsers`.
 */
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import type { CardEncryptionErrorCode } from '../../src/core/index.ts';
import { freshKey } from '../support/core.ts';
import { CARD, CONTROLS, TYPED } from '../support/form.ts';
import removedFeatures from '../support/removed-features.json';
import { endpoint, TAG } from '../support/tag-page.ts';
import { SHOP_SCRIPT } from './shop-script.ts';

type Field = keyof typeof CONTROLS;
const FIELDS = Object.keys(CONTROLS) as Field[];
const AUTOCOMPLETE: Record<Field, string> = {
  number: 'cc-number',
  name: 'cc-name',
  expiry: 'cc-exp',
  cvv: 'cc-csc',
};

const BUTTONS = `
  <button name="action" value="pay by invoice address">Pay</button>
  <button id="gift" name="action" value="pay as gift">Pay as a gift</button>`;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The old pages, each with the library in another way. `attributes` go to the form. */
const WAYS = {
  'the script tag': {
    script: TAG,
    attributes: (url: string) => `data-cardseal data-cardseal-key-url="${url}"`,
  },
  'the readable script': {
    script: '<script src="/dist/cardseal.readable.js"></script>',
    attributes: (url: string) => `data-cardseal data-cardseal-key-url="${url}"`,
  },
  'the core': { script: `<script type="module">${SHOP_SCRIPT}</script>`, attributes: () => '' },
};

describe.each(Object.entries(removedFeatures))(
  'without the features that %s lacks',
  (_, features) => {
    test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
      '%s pays, with the button that was pressed',
      async (way) => {
        const page = await open(features, way);
        page.fill();
        page.press();
        await expectPayment(page);
      },
    );

    test('a wrong number gets a message, and pays when it is corrected', async () => {
      const page = await open(features, 'the script tag');
      page.fill();
      page.control('number').value = TYPED.number.slice(0, -1);
      page.press();
      await vi.waitUntil(() => page.control('number').matches('[aria-invalid=true]'), WAIT);
      expect(await page.posted()).toEqual([]);
      page.control('number').value = TYPED.number;
      page.control('number').dispatchEvent(new Event('input', { bubbles: true }));
      page.press();
      await expectPayment(page);
    });

    test('control: the features are gone', async () => {
      const page = await open(features, 'the script tag');
      const has = (name: string) => {
        const [owner, member] = name.split('.') as [string, string];
        const object = Reflect.get(page.window, owner);
        return object && (member in object || (object.prototype && member in object.prototype));
      };
      const checked = features.filter((name) =>
        /^(HTMLFormElement|Array|Object|String|TextEncoder|Uint8Array)\.[a-z]\w+$/.test(name),
      );
      expect(checked.length).toBeGreaterThan(5);
      expect(checked.filter((name) => !name.endsWith('_event') && has(name))).toEqual([]);
    });
  },
);

/**
 * What the absence of a feature ends in that no old engine above lacks, by the script tag: the form
 * pays, or raises this code.
 */
const ALONE: Record<string, 'pays' | CardEncryptionErrorCode> = {
  'Window.reportError': 'pays',
  'Window.globalThis': 'pays',
  AbortController: 'pays',
  'Object.values': 'pays',
  'Object.entries': 'pays',
  WeakSet: 'pays',
  WeakMap: 'unsupported_browser',
  CustomEvent: 'unsupported_browser',
  TextEncoder: 'unsupported_browser',
  Intl: 'unsupported_browser',
  MutationObserver: 'unsupported_browser',
  'Element.matches': 'unsupported_browser',
  'Event.composedPath': 'unsupported_browser',
  'Node.getRootNode': 'unsupported_browser',
  crypto: 'insecure_context',
  'Crypto.subtle': 'insecure_context',
  fetch: 'key_unavailable',
};

describe('without one feature, the form pays or says that it cannot, and keeps what was typed', () => {
  test.each(Object.entries(ALONE))('%s: %s', async (feature, wanted) => {
    const page = await open([feature], 'the script tag');
    page.fill();
    page.press();
    const outcome = await vi.waitUntil(
      async () => ((await page.posted()).length ? 'pays' : page.message()),
      WAIT,
    );
    expect(page.errors()).toEqual([]);
    if (wanted === 'pays') {
      await expectPayment(page);
      expect(page.encryptions()).toBe(1); // of a card; the library also tries each key
      return;
    }
    expect(outcome).toMatch(/\w+ \w+/);
    // Without CustomEvent there is no event that could carry the code.
    expect(page.codes().at(-1)).toBe(feature === 'CustomEvent' ? undefined : wanted);
    if (wanted === 'unsupported_browser' && page.codes().length > 0) {
      expect(page.texts().at(-1)).toMatch(/TextEncoder, WeakMap|see docs\/browsers\.md/);
    }
    expect(page.encryptions()).toBe(0);
    expect(page.values()).toEqual(FIELDS.map((field) => TYPED[field]));
    expect(page.form.querySelectorAll('input[type=hidden][value]:not([value=""])')).toHaveLength(0);
    expect(await page.posted()).toEqual([]);
  });
});

/** Only what hangs takes longer, on however busy a machine. */
const WAIT = { timeout: 20_000 };

type OldPage = Awaited<ReturnType<typeof open>>;

/** A page with a card form, in which these features are removed before anything else runs. */
async function open(features: string[], way: keyof typeof WAYS) {
  const { script, attributes } = WAYS[way];
  const target = endpoint({ body: '<!doctype html><title>received</title>' });
  const keys = endpoint({
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(freshKey()),
  });
  const source = endpoint();
  const fields = Object.values(CONTROLS).join('');
  await source.say({
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: `<!doctype html>
      <script>var seen = [], codes = [], texts = [];
        addEventListener('error', (event) => seen.push(event.message));
        addEventListener('unhandledrejection', (event) => seen.push(String(event.reason)));
        addEventListener('cardseal:error', (event) => {
          codes.push(event.detail.code);
          texts.push(event.detail.message);
        });
        (${countEncryptions})();
        (${removeFeatures})(${JSON.stringify(features)});
      </script>${script}
      <form method="post" action="${target.path}" data-key-url="${keys.path}" ${attributes(keys.path)}>
        <input name="order" value="4711">${fields}${BUTTONS}
      </form>`,
  });
  const frame = document.createElement('iframe');
  onTestFinished(() => frame.remove());
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  frame.src = source.path;
  document.body.append(frame);
  await loaded;
  const window = frame.contentWindow as Window &
    typeof globalThis & {
      seen: string[];
      codes: string[];
      texts: string[];
      counted: { encryptions: number };
    };
  const { counted } = window;
  const page = {
    window,
    form: frame.contentDocument!.querySelector('form')!,
    control: (field: Field) =>
      frame.contentDocument!.querySelector<HTMLInputElement>(
        `[autocomplete=${AUTOCOMPLETE[field]}]`,
      )!,
    fill() {
      for (const field of FIELDS) page.control(field).value = TYPED[field];
    },
    values: () => FIELDS.map((field) => page.control(field).value),
    press: () => frame.contentDocument!.querySelector<HTMLButtonElement>('#gift')!.click(),
    /** What the shopper can read beside the fields. */
    message: () =>
      frame.contentDocument?.querySelector<HTMLElement>('[role=alert]')?.innerText.trim() ?? '',
    codes: () => window.codes,
    texts: () => window.texts,
    /** How many cards were encrypted. The page may be gone. */
    encryptions: () => counted.encryptions,
    /** What nobody caught. The array is gone when the page is. */
    errors: () => window.seen ?? [],
    async posted(): Promise<[string, string][]> {
      const all = await target.got();
      return all.flatMap(({ body }) => [...new URLSearchParams(body)]);
    },
  };
  return page;
}

/** Exactly one post: the order, the pressed button, and a block that decrypts to what was typed. */
async function expectPayment(page: OldPage) {
  let posted: [string, string][] = [];
  await vi.waitFor(async () => {
    posted = await page.posted();
    expect({ posted: posted.length > 0, errors: page.errors() }).toEqual({
      posted: true,
      errors: [],
    });
  }, WAIT);
  const others = posted.filter(([name]) => name !== 'encrypted_card');
  expect(Object.fromEntries(others)).toEqual({ order: '4711', action: 'pay as gift' });
  expect(posted).toHaveLength(3);
  const { payload } = JSON.parse(posted.find(([name]) => name === 'encrypted_card')![1]);
  const plaintext = new TextDecoder().decode(
    Uint8Array.from(await commands.decryptInNode(payload)),
  );
  expect(plaintext).toBe(Object.values(CARD).join(''));
}

/** Runs in the page before the library: counts what is encrypted, beside the trial of each key. */
function countEncryptions() {
  const counted = { encryptions: 0 };
  const { encrypt } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.encrypt = function (algorithm, key, data) {
    if (data.byteLength > 1) counted.encryptions += 1;
    return encrypt.call(this, algorithm, key, data);
  };
  Object.assign(window, { counted });
}

/** Runs in the page, first of all. Takes `Array.flat`, `TextEncoder`, `formdata_event` and the like. */
function removeFeatures(features: string[]) {
  const page = window as unknown as Record<string, { prototype?: object }>;
  const typedArray = Object.getPrototypeOf(Uint8Array);
  const removeFrom = (object: object | undefined, name: string) => {
    if (object) Reflect.deleteProperty(object, name);
  };
  for (const feature of features) {
    const isStatic = feature.slice(-7) === '_static';
    const parts = feature.replace('_static', '').split('.');
    const owner = parts[0]!;
    const member = parts[1] ?? '';
    if (member.slice(-6) === '_event') {
      addEventListener(member.slice(0, -6), (event) => event.stopImmediatePropagation(), true);
    } else if (owner === 'Window' || !member) {
      const name = member || owner;
      removeFrom(window, name);
      removeFrom(Window.prototype, name);
    } else {
      const object = owner === 'TypedArray' ? typedArray : page[owner];
      removeFrom(object, member);
      if (!isStatic) removeFrom(object?.prototype, member);
    }
  }
}
