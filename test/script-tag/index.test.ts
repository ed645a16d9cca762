import { describe, expect, test, vi } from 'vitest';
import * as core from '../../src/core/index.ts';
import * as form from '../../src/form/index.ts';
import { decrypt, freshKey } from '../support/core.ts';
import { CARD, CONTROLS, statusOf, TYPED } from '../support/form.ts';
import {
  endpoint,
  integrity,
  keyAttribute,
  otherOrigin,
  prototypeScript,
  script,
  TAG,
  type TagPage,
  visit,
} from '../support/tag-page.ts';
import formAfter from './fixtures/encrypted-name-after.html?raw';
import formBefore from './fixtures/encrypted-name-before.html?raw';

/** Nothing but a block with the card, under this name. */
async function expectCard(posted: [string, string][], fieldName = 'encrypted_card') {
  expect(posted.map(([name]) => name)).toEqual([fieldName]);
  expect(await decrypt(JSON.parse(posted[0]![1]))).toEqual(CARD);
}

/** Pays with a field that is typed in another way. */
async function payWith(page: TagPage, field: Parameters<TagPage['control']>[0], value: string) {
  page.fill();
  page.control(field).value = value;
  const answered = page.loaded();
  page.press();
  await answered;
  return page.posted();
}

/** The form is blocked: pressing the button sends nothing and keeps what was typed. */
async function expectBlocked(page: TagPage, code: string) {
  expect(await page.refused()).toBe(code);
  expect(page.control('number').value).toBe(TYPED.number);
  expect(statusOf(page)).toMatch(/^(Card payment is not available|Press the button again)/);
  expect(await page.posted()).toEqual([]);
}

const json = (value: unknown) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

test('Cardseal is all of cardseal and cardseal/form', async () => {
  const { Cardseal } = (await visit()).window;
  expect(Object.keys(Cardseal).sort()).toEqual([...Object.keys(core), ...Object.keys(form)].sort());
  const page = await visit({ head: TAG });
  const encrypted = await page.window.Cardseal.encryptCard(
    await page.window.Cardseal.prepareKey(freshKey()),
    { ...CARD },
  );
  expect(await decrypt(encrypted)).toEqual(CARD);
});

describe('encrypts the card of form[data-cardseal], whenever the file comes:', () => {
  test.each<[string, Parameters<typeof visit>[0]]>([
    ['before the form', {}],
    ['readable', { head: '<script src="/dist/cardseal.readable.js"></script>' }],
    ['with async', { head: '<script async src="/dist/cardseal.js"></script>' }],
    ['after the form', { head: '', tail: TAG }],
    [
      'inside the form, before its controls',
      { head: '', controls: TAG + Object.values(CONTROLS).join('') },
    ],
  ])('%s', async (_, parts) => {
    const page = await visit(parts);
    expect(page.seen).toEqual([]); // such as that the controls are missing
    await expectCard(await page.pay());
  });

  // A form that is bound before it is whole has no button yet.
  test('inside the form, between its controls, and its line for texts stands before the button', async () => {
    const page = await visit({ head: '', controls: Object.values(CONTROLS).join(TAG) });
    expect(page.form.querySelector('button')!.previousElementSibling!.role).toBe('alert');
    expect(page.seen).toEqual([]);
    await expectCard(await page.pay());
  });

  test('after everything, put in by a script', async () => {
    const page = await visit({ head: '' });
    await page.load('/dist/cardseal.js');
    await expectCard(await page.pay());
  });

  test('between DOMContentLoaded and load, and at once', async () => {
    const keys = endpoint(json(freshKey()));
    const image = `<img src="${endpoint().path}" alt="">`; // is not answered
    const attributes = `data-cardseal-key-url="${keys.path}"`;
    const page = await visit({ head: '', attributes, tail: image, early: true });
    await vi.waitUntil(() => page.document.readyState === 'interactive');
    await page.load('/dist/cardseal.js');
    await vi.waitUntil(async () => (await keys.got()).length > 0);
    expect(page.document.readyState).toBe('interactive');
  });

  test('before the page is whole, and the shopper is quicker', async () => {
    const slow = endpoint();
    const page = await visit({ tail: `<script src="${slow.path}"></script>`, early: true });
    expect(page.document.readyState).toBe('loading');
    await expectCard(await page.pay());
  });
});

/** Binding enables it. */
const ENABLE = '<button disabled data-cardseal-enable>Pay</button>';

describe('forms that come later', () => {
  const later = async (attributes: string) => {
    const page = await visit({ body: '<main></main>' });
    const main = page.document.querySelector('main')!;
    main.innerHTML = `<form method="post" action="${page.target.path}" ${attributes}>${Object.values(CONTROLS).join('')}<button>Pay</button></form>`;
    return page;
  };

  test('are bound by Cardseal.bindCardForm(form), with their attributes for what is not given', async () => {
    const page = await later('data-cardseal-key="nonsense" data-cardseal-field-name="card"');
    const options = { key: freshKey(), fieldName: undefined };
    await page.window.Cardseal.bindCardForm(page.form, options).ready;
    await expectCard(await page.pay(), 'card');
  });

  test('lose no other attribute by one that is wrong, if the script gives the key', async () => {
    const page = await later('data-cardseal-luhn="no" data-cardseal-mask-for-recorders="off"');
    page.window.Cardseal.bindCardForm(page.form, { key: freshKey() });
    expect(page.control('number').getAttribute('data-rr-is-password')).toBe(null);
  });

  test('are bound when they get the mark', async () => {
    const keys = endpoint(json(freshKey()));
    const page = await later(`data-cardseal-key-url="${keys.path}"`);
    page.form.setAttribute('data-cardseal', '');
    await expect.poll(async () => (await keys.got()).length).toBe(1);
  });

  test('are bound when they come', async () => {
    const page = await visit({ body: '<main></main>' });
    const main = page.document.querySelector('main')!;
    main.innerHTML = `<form>${ENABLE}</form>`;
    main.querySelector('form')!.setAttribute('data-cardseal', '');
    await vi.waitUntil(() => !main.querySelector('button')!.disabled);
    main.innerHTML = `<form data-cardseal>${ENABLE}</form>`;
    await vi.waitUntil(() => !main.querySelector('button')!.disabled);
  });

  test.each(['focusin', 'input', 'click', 'submit', 'formdata'])(
    'are bound by the first %s in them, before the page hears of it',
    async (type) => {
      const page = await visit({ body: '<main></main>' });
      const main = page.document.querySelector('main')!;
      const controls = Object.values(CONTROLS).join('');
      main.innerHTML = `<form data-cardseal ${keyAttribute()}>${controls}${ENABLE}</form>`;
      const button = page.form.querySelector<HTMLButtonElement>('[data-cardseal-enable]')!;
      let isBound = false;
      const look = () => {
        isBound = !button.disabled;
      };
      page.document.addEventListener(type, look, { capture: true });
      page.control('number').dispatchEvent(new Event(type, { bubbles: true, cancelable: true }));
      expect(isBound).toBe(true);
    },
  );

  test('stay as the page has bound or unbound them', async () => {
    const page = await later(`data-cardseal ${keyAttribute()}`);
    page.window.Cardseal.bindCardForm(page.form).unbind();
    expect(await page.pay()).toEqual([]); // no control has a name
    expect(await page.target.got()).toHaveLength(1);
  });
});

describe('forms in shadow roots', () => {
  const controls = Object.values(CONTROLS);
  const shadowForm = (content: string) =>
    `<form method="post" data-cardseal ${keyAttribute()}>${content}</form>`;
  const inHtml = (content: string) =>
    `<main><template shadowrootmode="open">${shadowForm(content)}</template></main>`;
  const buttonOf = (page: TagPage) =>
    page.document.querySelector('main')!.shadowRoot!.querySelector('button')!;

  test.each<[string, Parameters<typeof visit>[0], string?]>([
    ['before', { body: inHtml(controls.join('') + ENABLE) }],
    ['in the form', { head: '', body: inHtml(controls.join(TAG) + ENABLE) }],
    ['when the page is whole', { head: '', body: inHtml(controls.join('') + ENABLE) }, 'late'],
  ])('that are part of the HTML are bound, also if the file comes %s', async (_, parts, late) => {
    const page = await visit(parts);
    if (late) await page.load('/dist/cardseal.js');
    await vi.waitUntil(() => !buttonOf(page).disabled);
    expect(page.seen).toEqual([]); // such as that the controls are missing
    // A form that is bound before it is whole has no button yet.
    expect(buttonOf(page).previousElementSibling!.role).toBe('alert');
  });

  test('that a script attaches are bound by the first event in them, and by none elsewhere', async () => {
    const page = await visit({ body: '<main></main>' });
    const root = page.document.querySelector('main')!.attachShadow({ mode: 'open' });
    root.innerHTML = shadowForm(controls.join('') + ENABLE);
    const raise = (target: Element) =>
      target.dispatchEvent(new FocusEvent('focusin', { bubbles: true, composed: true }));
    raise(page.document.body);
    expect(buttonOf(page).disabled).toBe(true);
    raise(root.querySelector('input')!);
    expect(buttonOf(page).disabled).toBe(false);
  });
});

describe('harms nothing', () => {
  const bundled = () =>
    script(`import { bindCardForm } from '/dist/form/index.js'; window.bindOther = bindCardForm;`);
  interface Bundled {
    bindOther: typeof form.bindCardForm;
  }

  test('loaded twice: one global, one key, one submit', async () => {
    const keys = endpoint(json(freshKey()));
    const marked =
      '<script src="/dist/cardseal.js"></script><script src="/dist/cardseal.readable.js" async></script>';
    const page = await visit({ head: marked, attributes: `data-cardseal-key-url="${keys.path}"` });
    const { Cardseal } = page.window;
    await page.load('/dist/cardseal.js');
    expect(page.window.Cardseal).toBe(Cardseal);
    await expectCard(await page.pay());
    expect(await keys.got()).toHaveLength(1);
    expect(await page.target.got()).toHaveLength(1);
  });

  test.each([
    ['/dist/cardseal.js', 1],
    ['/dist/cardseal.pay.js', 2], // the one of bindCheckout, too
  ])(
    'loaded again and again, as by pages that Turbo renders: %s watches the document once',
    async (file, count) => {
      const head = `<script>
        window.observers = new Set();
        const { observe } = MutationObserver.prototype;
        MutationObserver.prototype.observe = function (target, options) {
          // Playwright watches its children, and no deeper.
          if (target === document && options.subtree) observers.add(this);
          return observe.call(this, target, options);
        };
      </script>`;
      const page = await visit({ head });
      for (let i = 0; i < 4; i++) await page.load(file);
      expect(Reflect.get(page.window, 'observers')).toHaveProperty('size', count);
    },
  );

  test('after the file of a version whose global has nothing but the functions', async () => {
    const page = await visit({ head: `<script>Cardseal = { bindCardForm() {} };</script>${TAG}` });
    expect(page.seen).toEqual([]);
  });

  // Changed: such a form was never submitted.
  test('beside a bundled copy that binds the same form: one block is sent, once', async () => {
    const page = await visit({ tail: `<script type="module" src="${bundled().path}"></script>` });
    (page.window as unknown as Bundled).bindOther(page.form, { key: freshKey() });
    await expectCard(await page.pay());
    expect(await page.target.got()).toHaveLength(1);
  });

  test('where the page has elements of its names', async () => {
    const names = ['Cardseal', 'getAttribute', 'addEventListener', 'elements', 'action', 'method'];
    const page = await visit({
      controls: `${Object.values(CONTROLS).join('')}${names.map((name) => `<input type="hidden" name="${name}">`).join('')}`,
      tail: '<a id="Cardseal"></a>',
    });
    const posted = await page.pay();
    await expectCard(posted.filter(([name]) => !names.includes(name)));
    expect(posted).toHaveLength(names.length + 1);
  });

  // Claim pollution
  test.each(['before', 'after'])(
    'where Object.prototype was polluted %s the file came',
    async (when) => {
      const elsewhere = await otherOrigin();
      const ofForm = { allowCrossOriginAction: true, fieldName: 'stolen', keyMaxAgeMs: 0 };
      const ofFetch = { body: 'stolen', method: 'GET', mode: 'cors', redirect: 'follow' };
      const ofBrowser = { attributes: false, opacityProperty: true, usage: 'nonsense' };
      const others = { signal: 'nonsense', value: 'stolen', once: true };
      const all = JSON.stringify({ ...ofForm, ...ofFetch, ...ofBrowser, ...others });
      const pollution = `Object.assign(Object.prototype, ${all})`;
      const tag = `<script src="${script(pollution).path}"></script>`;
      const keys = endpoint(json(freshKey()));
      const attributes = `data-cardseal-key-url="${keys.path}"`;
      const page = await visit({ head: when === 'before' ? tag + TAG : TAG + tag, attributes });
      page.form.style.opacity = '0'; // nothing but `opacityProperty` makes this another way to pay
      page.form.action = `${elsewhere}/answer/${crypto.randomUUID()}`;
      await expectBlocked(page, 'invalid_form');
      page.form.action = page.target.path;
      const number = TYPED.number.replace(/\d/g, (digit) => String.fromCharCode(+digit + 0xff10));
      await expectCard(await payWith(page, 'number', number)); // full width, so collation reads it
      expect(await keys.got()).toMatchObject([{ method: 'POST', body: '' }]);
    },
  );
});

// G8. In a page of its own: WebKit compiles the getter into code that has run often.
test('works where the browser does not tell the frame', async () => {
  const frame = script(`Object.defineProperty(window, 'frameElement', { get: function () {
    window.isAsked = true;
    throw new DOMException('of another origin', 'SecurityError');
  } });`);
  const page = await visit({ head: `<script src="${frame.path}"></script>${TAG}` });
  expect(Reflect.get(page.window, 'isAsked')).toBe(true);
  await expectCard(await payWith(page, 'expiry', '2049-11'));
});

test('works where arrays and elements have functions of Prototype 1.6', async () => {
  const prototype = prototypeScript();
  const page = await visit({ head: `<script src="${prototype.path}"></script>${TAG}` });
  page.press(); // each wrong field has its text
  const texts = () => page.document.querySelectorAll('[data-cardseal-message]');
  await vi.waitFor(() => expect(texts()).toHaveLength(4));
  expect(statusOf(page) || '').toBe(''); // nothing about the page
  await expectCard(await payWith(page, 'expiry', '2049-11'));
});

describe('the key', () => {
  test('rendered by the server, escaped for HTML', async () => {
    const key = { ...freshKey(), id: `cek_'"<&>&quot;_${crypto.randomUUID()}` };
    const single = JSON.stringify(key).replaceAll('&', '&amp;').replaceAll("'", '&#39;');
    const page = await visit({ attributes: `data-cardseal-key='${single}'` });
    const posted = await page.pay();
    await expectCard(posted);
    expect(JSON.parse(posted[0]![1]).key_id).toBe(key.id);
  });

  test("asked for by POST, with the page's token and cookies, never out of a cache", async () => {
    const keys = endpoint({
      ...json(freshKey()),
      headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=3600' },
    });
    const cookie = `cardseal_test=${crypto.randomUUID()}`;
    const page = await visit({
      head: `<meta name="csrf-token" content="a token">${TAG}`,
      attributes: `data-cardseal-key-url="${keys.path}"`,
    });
    page.document.cookie = `${cookie}; max-age=60`;
    await expectCard(await page.pay());
    const [request] = await keys.got();
    expect(request).toMatchObject({
      method: 'POST',
      body: '',
      headers: { 'x-csrf-token': 'a token', 'cache-control': 'no-cache' },
    });
    const next = await visit({ attributes: `data-cardseal-key-url="${keys.path}"` });
    await expect.poll(async () => (await keys.got()).length).toBe(2);
    const [, again] = await keys.got();
    expect(again!.headers.cookie).toContain(cookie);
    expect(again!.headers).not.toHaveProperty('x-csrf-token');
    next.document.cookie = 'cardseal_test=; max-age=0';
  });

  test('is not waited for any more when the form is unbound', async () => {
    const { path } = endpoint(json(freshKey()));
    const page = await visit({ attributes: `data-cardseal-key-url="${path}"` });
    const { fetch } = page.window;
    let signal: AbortSignal | null | undefined;
    page.window.fetch = (url, init) => {
      signal = init?.signal;
      return fetch(url, init);
    };
    page.window.Cardseal.bindCardForm(page.form).unbind();
    expect(signal?.aborted).toBe(true);
  });

  test.each([
    ['data-cardseal-key-max-age-ms', 'data-cardseal-key-max-age-ms="60000"', 61_000],
    ['10 minutes, by default', '', 601_000], // G16
  ])('is asked for again when it is older than %s', async (_, attribute, age) => {
    const [first, second] = [freshKey(), freshKey()];
    const keys = endpoint(json(first));
    const page = await visit({
      attributes: `data-cardseal-key-url="${keys.path}" ${attribute}`,
    });
    await page.window.Cardseal.bindCardForm(page.form).ready;
    await keys.say(json(second));
    const now = Date.now() + age;
    page.window.Date.now = () => now;
    const posted = await page.pay();
    await expectCard(posted);
    expect(JSON.parse(posted[0]![1]).key_id).toBe(second.id);
  });

  test.each([
    ['403', { status: 403, ...json(freshKey()) }, 'key_unavailable'],
    ['a page', { body: '<!doctype html><title>Log in</title>' }, 'key_unavailable'],
    ['null', json(null), 'invalid_key'],
  ])('is asked for in vain: %s; the next submit asks again', async (_, answer, code) => {
    const keys = endpoint(answer);
    const page = await visit({ attributes: `data-cardseal-key-url="${keys.path}"` });
    await expectBlocked(page, code);
    const hint = 'data-cardseal-key-url must answer a POST with the key as JSON, on this origin';
    expect(page.seen.join('\n').includes(hint)).toBe(code === 'key_unavailable');
    await keys.say(json(freshKey()));
    await expectCard(await page.pay());
  });

  test('is not fetched from where a redirect leads, even on this origin: it may be a page to log in', async () => {
    const keys = endpoint(json(freshKey()));
    const redirecting = endpoint({ status: 307, headers: { Location: keys.path } });
    const page = await visit({ attributes: `data-cardseal-key-url="${redirecting.path}"` });
    await expectBlocked(page, 'key_unavailable');
    expect(await keys.got()).toEqual([]);
  });

  test('never comes from another origin: nothing is asked there', async () => {
    const keys = endpoint(json(freshKey()));
    const elsewhere = (await otherOrigin()) + keys.path;
    const page = await visit({
      attributes: `data-cardseal-key-url="${elsewhere}"`,
      head: `<meta name="csrf-token" content="a token">${TAG}`,
    });
    await expectBlocked(page, 'key_unavailable');
    expect(await keys.got()).toEqual([]);
  });
});

describe('an attribute that is wrong blocks the form, and the console says why:', () => {
  const BAD_KEY = keyAttribute({ ...freshKey(), public_key: '' });
  test.each([
    ['no key', '', 'invalid_form', 'data-cardseal-key or data-cardseal-key-url'],
    [
      'a key that was cut at a quote',
      `data-cardseal-key="${JSON.stringify(freshKey())}"`,
      'invalid_form',
      'must have JSON in data-cardseal-key',
    ],
    ['JSON that is no key', 'data-cardseal-key="[]"', 'invalid_key', 'not an object with the id'],
    ['a key without public_key', BAD_KEY, 'invalid_key', 'public_key'],
  ])('%s', async (_, attributes, code, message) => {
    const page = await visit({ attributes });
    await expectBlocked(page, code);
    expect(page.seen.join('\n')).toContain(message);
  });

  test.each([
    ['key-max-age-ms', '', 'a number above 0 in data-cardseal-key-max-age-ms'],
    ['key-max-age-ms', '-1', 'a number above 0 in data-cardseal-key-max-age-ms'],
    ['luhn', 'false', '"on" or "off" in data-cardseal-luhn'],
    ['mask-for-recorders', 'no', '"on" or "off" in data-cardseal-mask-for-recorders'],
    ['messages', '{number', 'JSON in data-cardseal-messages'],
    ['messages', 'null', 'an object in data-cardseal-messages'],
    ['csrf-header', 'X CSRF', 'the name of a header in data-cardseal-csrf-header'],
  ])('data-cardseal-%s="%s"', async (name, value, missing) => {
    const page = await visit({ attributes: `${keyAttribute()} data-cardseal-${name}="${value}"` });
    await expectBlocked(page, 'invalid_form');
    expect(page.seen.join('\n')).toContain(`The card form must have ${missing}`);
  });
});

test.each([
  ['', 'true'],
  ['data-cardseal-mask-for-recorders="on"', 'true'],
  ['data-cardseal-mask-for-recorders="off"', null],
])('with the attribute %j, the mark for recorders is %j', async (attribute, mark) => {
  const page = await visit({ attributes: `${keyAttribute()} ${attribute}` });
  expect(page.control('number').getAttribute('data-rr-is-password')).toBe(mark);
});

test.each([
  ['', 'number_invalid'],
  ['data-cardseal-luhn="on"', 'number_invalid'],
  ['data-cardseal-luhn="off"', undefined],
])(
  'a number whose check digit is wrong, with the attribute %j: %s',
  async (attribute, expected) => {
    const page = await visit({ attributes: `${keyAttribute()} ${attribute}` });
    const problems: string[] = [];
    page.form.addEventListener('cardseal:problems', ({ detail }) => {
      problems.push(...detail.map(({ problem }) => problem));
    });
    page.fill();
    page.control('number').value = '4929 1192 8374 6500';
    page.press();
    expect(page.seen.join('\n')).not.toContain('must have');
    if (!expected) await page.loaded(); // its answer
    expect(problems).toEqual(expected ? [expected] : []);
    expect(await page.posted()).toHaveLength(expected ? 0 : 1);
  },
);

test('from another origin, it loads with the hash that the build wrote, and encrypts', async () => {
  const src = `${await otherOrigin()}/dist/cardseal.js`;
  const hash = (await integrity())['cardseal.js'];
  const head = `<script src="${src}" integrity="${hash}" crossorigin="anonymous"></script>`;
  await expectCard(await (await visit({ head })).pay());
});

describe('under a strict Content-Security-Policy with Trusted Types', () => {
  const headers = {
    'Content-Security-Policy':
      "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  };

  // Claim form-reach
  test('binds, asks for a key, encrypts and submits without a violation', async () => {
    const keys = endpoint(json(freshKey()));
    const page = await visit({ headers, attributes: `data-cardseal-key-url="${keys.path}"` });
    const { seen } = page;
    await expectCard(await page.pay());
    expect(seen).toEqual([]);
  });

  // Control form-reach
  test('which is enforced: a string that is to become code or markup is refused', async () => {
    const page = await visit({ headers });
    const run = (code: string) => {
      const script = page.document.createElement('script');
      script.append(code);
      page.document.head.append(script);
    };
    run('window.ran = true');
    expect(page.window).not.toHaveProperty('ran');
    await expect.poll(() => page.seen.some((what) => what.startsWith('violates'))).toBe(true);
    if ('trustedTypes' in page.window)
      expect(() => page.document.body.insertAdjacentHTML('beforeend', '<p>')).toThrow();
  });
});

test('the spy of these tests sees what a page complains of', async () => {
  const page = await visit();
  page.window.console.error('a complaint');
  expect(page.seen).toEqual(['a complaint']);
});

test('a page that writes itself anew, with the tag in it, has its form bound again', async () => {
  const page = await visit();
  const html = `<!doctype html>${page.document.documentElement.outerHTML}`;
  page.document.open();
  page.document.write(html);
  page.document.close();
  await expect.poll(() => page.document.readyState).toBe('complete');
  const { encrypted_card } = Object.fromEntries(await page.pay());
  expect(await decrypt(JSON.parse(encrypted_card!))).toEqual(CARD);
});

test('docs/coming-from.md: the form for a library with data-encrypted-name is refused, and pays once it is moved over', async () => {
  const open = async (html: string) => {
    const body = html.replace('data-cardseal>', `data-cardseal ${keyAttribute()}>`);
    const page = await visit({ head: '', body });
    page.form.action = page.target.path;
    await page.load('/dist/cardseal.js');
    return page;
  };
  const before = await open(formBefore);
  const message = 'number control must be marked by data-cardseal-field="number"';
  await expect.poll(() => before.seen).toEqual([expect.stringContaining(message)]);
  const page = await open(formAfter);
  const { number, name, exp_month, exp_year, cvv } = TYPED;
  for (const [field, value] of Object.entries({ number, name, exp_month, exp_year, cvv })) {
    const control = page.form.querySelector<HTMLInputElement>(`[data-cardseal-field=${field}]`)!;
    control.value = value;
  }
  const answered = page.loaded();
  page.form.querySelector<HTMLElement>('[type=submit]')!.click();
  await answered;
  const [order, ...block] = await page.posted();
  expect(order).toEqual(['order', '4711']);
  await expectCard(block);
});
