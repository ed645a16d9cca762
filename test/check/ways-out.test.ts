/** What a way out gives to the watcher: by calls of the platform. */
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { type Outgoing, textIn } from '../../src/check/outgoing.ts';
import { inWindow, pause } from './page.ts';

describe('ways out', () => {
  let left: Outgoing[] = [];
  let isLooking = true;
  const watcher = { isLooking: () => isLooking, leaves: (it: Outgoing) => void left.push(it) };

  let page: Window & typeof globalThis;
  let close = () => {};
  let socket: WebSocket;
  beforeAll(async () => {
    const opened = await inWindow<typeof import('../../src/check/ways-out.ts')>('ways-out.ts');
    ({ page, close } = opened);
    socket = new page.WebSocket('ws://127.0.0.1:9/a');
    opened.module.watchWaysOut(watcher);
    opened.module.watchSubmits(page, watcher);
  });
  afterAll(() => close());

  beforeEach(() => {
    left = [];
    isLooking = true;
  });

  const add = (html: string) => {
    const holder = page.document.createElement('div');
    holder.innerHTML = html;
    page.document.body.append(holder);
    onTestFinished(() => holder.remove());
    return holder.firstElementChild as HTMLFormElement;
  };

  const post = (body: BodyInit) => ({ method: 'POST', body });
  const failing = (request: Promise<unknown>) => request.catch(() => {});

  function request(send: (request: XMLHttpRequest) => void) {
    const request = new page.XMLHttpRequest();
    try {
      send(request);
    } catch {}
  }

  function circle() {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    return circle;
  }

  const text = (...texts: string[]) => texts.map((text) => ({ text }));

  /** What a page does, and what leaves. Only what has a body may pay, by a way that has an answer. */
  const CALLS: [what: string, call: () => unknown, expected: Partial<Outgoing>][] = [
    [
      'fetch',
      () => failing(page.fetch('/sent/none')),
      { way: 'fetch', to: '/sent/none', mayPay: false, parts: text('/sent/none') },
    ],
    [
      'fetch with a body',
      () => failing(page.fetch('/sent/none', post('body'))),
      { mayPay: true, parts: text('/sent/none', 'body') },
    ],
    [
      'fetch with bytes',
      () => failing(page.fetch('/sent/none', post(new TextEncoder().encode('body')))),
      { mayPay: true, parts: text('/sent/none', 'body') },
    ],
    [
      'fetch with headers as a list',
      () => failing(page.fetch('/sent/none', { headers: [['x-a', 'b']] })),
      { mayPay: false, parts: [{ text: '/sent/none' }, { key: 'x-a', text: 'b' }] },
    ],
    [
      'fetch with headers that are none',
      () => failing(page.fetch('/sent/none', { headers: [null] as never })),
      { parts: text('/sent/none') },
    ],
    [
      'fetch with a request without a body',
      () => failing(page.fetch(new page.Request('/sent/none'))),
      { mayPay: false, parts: text(`${location.origin}/sent/none`) },
    ],
    [
      'fetch with a request as options',
      () =>
        failing(page.fetch('/sent/none', new page.Request('/other', { headers: { 'x-a': 'b' } }))),
      {
        to: '/sent/none',
        mayPay: false,
        parts: [{ text: '/sent/none' }, { key: 'x-a', text: 'b' }],
      },
    ],
    [
      'fetch with the address of the page',
      () => failing(page.fetch(page.location as never)),
      { to: expect.stringContaining('/answer/') as never },
    ],
    [
      'fetch with a link',
      () =>
        failing(
          page.fetch(
            Object.assign(page.document.createElement('a'), { href: '/sent/none' }) as never,
          ),
        ),
      { to: `${location.origin}/sent/none` },
    ],
    [
      'fetch with an object as address',
      () => failing(page.fetch({ toString: () => '/sent/none' } as never)),
      { to: '' },
    ],
    [
      'fetch with an address in the query',
      () => failing(page.fetch('/sent/none?next=data:a')),
      { to: '/sent/none?next=data:a' },
    ],
    [
      'XMLHttpRequest',
      () =>
        request((it) => {
          it.open('POST', '/sent/none');
          it.setRequestHeader('x-a', 'b');
          it.send('body');
        }),
      {
        way: 'XMLHttpRequest',
        to: '/sent/none',
        mayPay: true,
        parts: [{ text: '/sent/none' }, { key: 'x-a', text: 'b' }, { text: 'body' }],
      },
    ],
    [
      'XMLHttpRequest without a body',
      () =>
        request((it) => {
          it.open('POST', '/sent/none');
          it.send(null);
        }),
      { mayPay: false, parts: text('/sent/none') },
    ],
    [
      'XMLHttpRequest with a document',
      () =>
        request((it) => {
          it.open('POST', '/sent/none');
          it.send(new page.DOMParser().parseFromString('<p>body', 'text/html'));
        }),
      { parts: text('/sent/none', expect.stringContaining('<p>body</p>') as never) },
    ],
    [
      'XMLHttpRequest that is not open',
      () => request((it) => it.send('body')),
      { parts: text('', 'body') },
    ],
    [
      'sendBeacon',
      () => page.navigator.sendBeacon('/sent/none', 'body'),
      { way: 'sendBeacon', mayPay: false, parts: text('/sent/none', 'body') },
    ],
    [
      'WebSocket',
      () => page.WebSocket.prototype.send.call(socket, 'body'),
      { way: 'WebSocket', to: 'ws://127.0.0.1:9/a', mayPay: true },
    ],
    [
      'sessionStorage',
      () => {
        page.sessionStorage.setItem('key', 'body');
        page.sessionStorage.removeItem('key');
      },
      {
        way: 'sessionStorage',
        to: '',
        mayPay: false,
        parts: [{ text: '' }, { key: 'key', text: 'body' }],
      },
    ],
    [
      'cookie',
      () => {
        page.document.cookie = 'body=1; max-age=0';
      },
      { way: 'cookie', to: '', parts: text('', 'body=1; max-age=0') },
    ],
    [
      'history without a state',
      () => page.history.replaceState(undefined, ''),
      { way: 'history', to: '', parts: text('', '') },
    ],
    [
      'history with a circle',
      () => page.history.replaceState(circle(), ''),
      { parts: text('', '') },
    ],
    [
      'an address',
      () => page.document.createElement('img').setAttribute('src', '/sent/none'),
      { way: 'the address of an image', to: '/sent/none', mayPay: false },
    ],
  ];

  test.each(CALLS)('by %s', async (_, call, expected) => {
    try {
      await call();
    } catch {} // a socket that is not open
    expect(left).toHaveLength(1);
    expect(left).toMatchObject([expected]);
    expect(left[0]!.parts).toEqual(expected.parts ?? left[0]!.parts);
  });

  test('by a body that can be read only later', async () => {
    await failing(page.fetch(new page.Request('/sent/none', post('body'))));
    await vi.waitFor(() => expect(left).toHaveLength(2));
    const address = { text: `${location.origin}/sent/none` };
    expect(left).toMatchObject([
      { mayPay: true, parts: [address, { key: 'content-type' }] },
      { parts: text('body') },
    ]);
  });

  test('by a request that is used up, of which nothing but the address is known', async () => {
    const used = new page.Request('/sent/none', post('body'));
    await used.text();
    await failing(page.fetch(used));
    expect(left).toMatchObject([
      { mayPay: false, parts: [{ text: used.url }, { key: 'content-type' }] },
    ]);
  });

  test('nothing leaves by attributes that load nothing, or by an address that is no request', () => {
    const image = page.document.createElement('img');
    for (const name of ['data-src', 'srcs', 'alt']) image.setAttribute(name, '/sent/none');
    page.document.createElement('div').setAttribute('src', '/sent/none');
    image.src = ' data:image/png,a';
    expect(left).toEqual([]);
  });

  test('by texts that a script makes, if they have three digits in a row', () => {
    page.JSON.stringify({ a: 123 });
    new page.TextEncoder().encode('12');
    isLooking = false;
    page.JSON.stringify({ a: 123 });
    expect(left).toMatchObject([
      { way: 'JSON.stringify', to: '', isPreparing: true, parts: text('{"a":123}') },
    ]);
  });

  test('by bytes that a script makes of a text, if they are still there after its turn', async () => {
    // Cardseal writes a card of texts into its memory, encrypts it and wipes it.
    const encoder = new page.TextEncoder();
    const room = new page.Uint8Array(5);
    encoder.encode('123').fill(0);
    encoder.encodeInto('456', room);
    room.fill(0);
    encoder.encode('789');
    encoder.encodeInto('321', new page.Uint8Array(5));
    await pause(0);
    const made = { way: 'TextEncoder', to: '', isPreparing: true };
    expect(left).toMatchObject([
      { ...made, parts: text('789') },
      { ...made, parts: text('321') },
    ]);
  });

  describe('while nothing is looked for, reads no object', () => {
    /** An object that notices if it is read. */
    const unread = () => {
      const read = vi.fn(() => []);
      return { read, object: new Proxy({}, { ownKeys: read }) };
    };

    test.each([
      ['that goes to a worker', (it: object) => new page.BroadcastChannel('c').postMessage(it)],
      ['that is stored', (it: object) => page.IDBObjectStore.prototype.put.call({} as never, it)],
    ])('%s', (_, call) => {
      isLooking = false;
      const { read, object } = unread();
      expect(() => call(object)).toThrow(); // the platform takes no such object
      expect(read).not.toHaveBeenCalled();
    });
  });

  describe('by an item that a script assigns', () => {
    const items = () => left.filter(({ parts }) => parts.some(({ key }) => key === 'assigned'));
    beforeEach(() => onTestFinished(() => page.localStorage.removeItem('assigned')));

    test.each(['change', 'focusin', 'click', 'pagehide'])('at the next event: %s', (type) => {
      page.localStorage.assigned = `at ${type}`;
      isLooking = false;
      page.dispatchEvent(new page.Event(type));
      expect(items()).toEqual([]);
      isLooking = true;
      for (let i = 0; i < 2; i++) page.dispatchEvent(new page.Event(type));
      const parts = [{ key: 'assigned', text: `at ${type}` }];
      expect(items()).toEqual([{ way: 'localStorage', to: '', parts, site: undefined }]);
    });

    test('not if setItem has told it already', () => {
      page.localStorage.setItem('assigned', 'told');
      page.dispatchEvent(new page.Event('click'));
      expect(items()).toMatchObject([{ parts: [{ text: '' }, { text: 'told' }] }]);
    });
  });

  describe('by a message', () => {
    const arrival = () =>
      new Promise((resolve) => page.addEventListener('message', resolve, { once: true }));

    test('of this page', async () => {
      page.postMessage('body', '*');
      await arrival();
      expect(left).toMatchObject([{ way: 'postMessage', to: '', parts: text('"body"') }]);
    });

    test('of this page, which has a variable named origin', async () => {
      const descriptor = Object.getOwnPropertyDescriptor(page, 'origin')!;
      onTestFinished(() => void Object.defineProperty(page, 'origin', descriptor));
      page.eval(`var origin = 'https://elsewhere.example'`);
      page.postMessage('body', '*');
      await arrival();
      expect(left).toMatchObject([{ way: 'postMessage', parts: text('"body"') }]);
    });

    test.each([
      [
        'that a script makes up',
        () =>
          page.dispatchEvent(
            new page.MessageEvent('message', { data: 'body', origin: page.origin }),
          ),
      ],
      [
        'of another origin',
        () =>
          add(
            `<iframe sandbox="allow-scripts" srcdoc="<script>parent.postMessage(1, '*')</script>">`,
          ),
      ],
      [
        'while nothing is looked for',
        () => {
          isLooking = false;
          page.postMessage('body', '*');
        },
      ],
    ])('not by one %s', async (_, send) => {
      const arrived = arrival();
      send();
      await arrived;
      expect(left).toEqual([]);
    });
  });

  describe('by a form', () => {
    const FIELD = '<input name="a" value="1"><button></button>';

    /** A form that is sent into a frame. */
    function open(attributes = 'method="post" action="/sent/none"', fields = FIELD) {
      add('<iframe name="sink"></iframe>');
      return add(`<form target="sink" ${attributes}>${fields}</form>`);
    }
    const press = (form: HTMLFormElement) => form.querySelector('button')!.click();
    const A = { key: 'a', text: '1' };

    test('that the shopper sends, once', async () => {
      // Other files of tests share the storage, which the check looks at with each click.
      const byForm = () => left.filter(({ way }) => way === 'form');
      const form = open();
      press(form);
      const sent = {
        ...{ way: 'form', to: '/sent/none', mayPay: true, parts: [{ text: '/sent/none' }, A] },
        ...{ site: expect.any(Object), form },
      };
      expect(byForm()).toEqual([sent]);
      await pause(50);
      new page.FormData(form); // the page reads it once more
      await pause(50);
      expect(byForm()).toEqual([sent]);
    });

    test.each([
      ['without an address', 'method="post"', ''],
      ['by a method that is none', 'method="dialogs" action="/sent/none"', '/sent/none'],
      ['by another method that is none', 'method="no-dialog" action="/sent/none"', '/sent/none'],
    ])('%s', (_, attributes, to) => {
      press(open(attributes));
      expect(left).toMatchObject([{ to, parts: [{ text: to }, A] }]);
    });

    test('not by one that is cancelled, and read by the page right afterwards', async () => {
      const form = open();
      form.onsubmit = (event) => event.preventDefault();
      press(form);
      new page.FormData(form);
      await pause(50);
      expect(left).toEqual([]);
    });

    test('not by a form of a dialog', async () => {
      press(open('method="dialog"'));
      await pause(50);
      expect(left).toEqual([]);
    });

    test('with what the page adds at last, after it has read another form', () => {
      const other = open();
      const form = open();
      form.onformdata = (event) => {
        new page.FormData(other);
        event.formData.append('late', '2');
      };
      press(form);
      expect(left).toMatchObject([
        { parts: [{ text: '/sent/none' }, A, { key: 'late', text: '2' }] },
      ]);
    });

    test('without what the page reads of a form within it', () => {
      const form = open();
      const inner = open('', '<input name="b" value="2">');
      form.append(inner);
      form.onformdata = ({ target }) => void (target === form && new page.FormData(inner));
      press(form);
      expect(left).toMatchObject([{ form, parts: [{ text: '/sent/none' }, A] }]);
    });
  });
});

test('watches the other ways in a page that may have no storage', async () => {
  const { page, module, close } =
    await inWindow<typeof import('../../src/check/storage.ts')>('storage.ts');
  onTestFinished(close);
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(page, name, {
      get() {
        throw new DOMException('As in a frame with the attribute sandbox', 'SecurityError');
      },
    });
  }
  const warn = vi.spyOn((page as unknown as { console: Console }).console, 'warn');
  const ways: string[] = [];
  module.watchStorage({ isLooking: () => true, leaves: ({ way }) => void ways.push(way) });
  page.dispatchEvent(new page.Event('click'));
  page.history.replaceState('body', '');
  expect([ways, warn.mock.calls]).toEqual([['history'], []]);
});

test('reads the first 20,000 texts of an object', () => {
  const texts = Array.from({ length: 30_000 }, (_, i) => `text ${i}`);
  expect(textIn(texts).split(',')).toHaveLength(20_000);
});

test('reads texts, numbers and bytes of an object, with their names', () => {
  const bytes = new TextEncoder().encode('a');
  const value = { cvc: 583, list: ['b'], bytes, buffer: bytes.buffer, none: null };
  expect(textIn(value)).toBe('"cvc":"583","0":"b",a,a');
});

test('reads maps and sets of an object, with the names of a map', () => {
  const value = {
    map: new Map<unknown, unknown>([
      ['cvc', 583],
      [{ a: 'b' }, 'c'],
      ['set', new Set(['d'])],
    ]),
  };
  expect(textIn(value)).toBe('"cvc","cvc":"583","a":"b","":"c","set","d"');
});
