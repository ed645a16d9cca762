import { expect, test, vi } from 'vitest';
import type { CardEncryptionKey, EncryptedCard } from '../../src/core/index.ts';
import { decrypt, freshKey, withoutPlaces } from '../tools/support/core.ts';
import {
  bind,
  CARD,
  countEncryptions,
  deferred,
  EMPTY,
  fill,
  html,
  idle,
  KEPT,
  later,
  next,
  OTHER,
  OTHER_CARD,
  open,
  posted,
  refused,
  settled,
  TYPED,
  user,
  values,
} from '../tools/support/form.ts';
import type { Sent } from '../tools/support/servers/echo.ts';

const blockOf = (sent: Sent): EncryptedCard =>
  JSON.parse(Object.fromEntries(sent.body).encrypted_card!);

test('posts the block and the rest of the form, and nothing of the card', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  await bind(page.form).ready;
  expect(page.ready).toBe(1);
  fill(page);
  const [sent, more] = await posted(page);
  expect(more).toBeUndefined();
  expect(sent!.method).toBe('POST');
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
  expect(page.encrypted).toEqual([blockOf(sent!).key_id]);
  expect(values(page)).toEqual(EMPTY);
  expect(page.form.querySelectorAll('input').length).toBe(5); // no hidden input was made
});

test('posts the block under another name where it is told to', async () => {
  const page = open();
  bind(page.form, { fieldName: 'card' });
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.body.map(([name]) => name)).toEqual(['card']);
});

test('works as multipart/form-data', async () => {
  const page = open(html(), 'method="post" enctype="multipart/form-data"');
  bind(page.form);
  fill(page);
  const [sent] = await posted(page);
  expect(sent!.contentType).toContain('multipart/form-data');
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

const BUTTONS = `${html()}
  <button name="how" value="now">Now</button>
  <button name="how" value="later" formaction="?where=elsewhere">Later</button>
  <button name="how" value="unchecked" formnovalidate>Unchecked</button>
  <input name="email" type="email">`;

test('keeps the button: its name, value and formaction', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  page.button('Later').setAttribute('formaction', `${page.form.action}?where=elsewhere`);
  fill(page);
  const [sent] = await posted(page, page.button('Later'));
  expect(sent!.query).toEqual([['where', 'elsewhere']]);
  expect(sent!.body).toContainEqual(['how', 'later']);
});

test('keeps formnovalidate: the other controls of the page are not checked', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  page.form.querySelector<HTMLInputElement>('[name=email]')!.value = 'not an address';
  const invalid = next(page.form.querySelector('[name=email]')!, 'invalid');
  page.button('Now').click();
  await invalid;
  expect([page.passes, values(page), page.errors]).toEqual([
    0,
    [TYPED.number, TYPED.name, TYPED.expiry, TYPED.cvv],
    [],
  ]);
  const [sent] = await posted(page, page.button('Unchecked'));
  expect(sent!.body).toContainEqual(['how', 'unchecked']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('keeps the button that Enter presses', async () => {
  const page = open(BUTTONS.replace('<button>Pay</button>', ''));
  bind(page.form);
  fill(page);
  page.control('cvv').focus();
  const arrived = page.arrived();
  await user.keyboard('{Enter}');
  const [sent] = await arrived;
  expect(sent!.body).toContainEqual(['how', 'now']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

/** A press of a button with a name and an address of its own, while the key is on its way. */
async function pressAndChange(change: (button: HTMLButtonElement) => void): Promise<Sent> {
  const page = open(
    `${html()}<fieldset><legend>How</legend><button name="how" value="x">X</button></fieldset>`,
  );
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const arrived = page.arrived();
  const button = page.button('X');
  button.setAttribute('formaction', `${page.form.action}?by=button`);
  button.click();
  change(button);
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect(page.form.querySelectorAll('button').length).toBeLessThanOrEqual(2); // no stand-in is left
  return sent!;
}

test.each([
  ['removed', (button: HTMLButtonElement) => button.remove()],
  ['given to another form', (button: HTMLButtonElement) => button.setAttribute('form', 'other')],
])('is sent without the button if that was %s meanwhile', async (_, change) => {
  const { query, body } = await pressAndChange(change);
  expect([query, body.map(([name]) => name)]).toEqual([[], ['encrypted_card']]);
});

test.each([
  [
    'disabled',
    (button: HTMLButtonElement) => {
      button.disabled = true;
    },
  ],
  [
    'in a fieldset that was disabled',
    (button: HTMLButtonElement) => {
      button.closest('fieldset')!.disabled = true;
    },
  ],
])(
  'is sent as the button would if that was %s meanwhile, as pages do that wait',
  async (_, change) => {
    const { query, body } = await pressAndChange(change);
    expect(query).toEqual([['by', 'button']]);
    expect(body).toContainEqual(['how', 'x']);
    expect(body.map(([name]) => name).sort()).toEqual(['encrypted_card', 'how']);
  },
);

test('is sent as the button would with its formmethod, formenctype and formtarget, if that was disabled meanwhile', async () => {
  const page = open(html(), 'method="get"');
  const target = page.form.target;
  page.form.target = 'nowhere';
  const button = page.form.appendChild(document.createElement('button'));
  for (const [name, value] of [
    ['formmethod', 'post'],
    ['formenctype', 'multipart/form-data'],
    ['formtarget', target],
  ] as const)
    button.setAttribute(name, value);
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const arrived = page.arrived();
  button.click();
  button.disabled = true;
  const submit = next<SubmitEvent>(page.form, 'submit');
  key.resolve(freshKey());
  expect((await submit).submitter).toHaveProperty('hidden', true);
  const [sent] = await arrived;
  expect([sent!.contentType, sent!.body.map(([name]) => name)]).toEqual([
    expect.stringMatching(/^multipart\/form-data/),
    ['encrypted_card'],
  ]);
});

test('does not fall back on an action that was never allowed when the button is gone', async () => {
  const page = open(`${html()}<button formmethod="post">X</button>`, 'method="get"');
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise }).ready.catch(() => {});
  await next(page.form, 'cardseal:error');
  fill(page);
  page.button('X').click();
  page.button('X').remove();
  key.resolve(freshKey());
  await next(page.form, 'cardseal:error');
  expect(page.errors.map(({ code }) => code)).toEqual(['invalid_form', 'invalid_form']);
  expect([page.passes, await page.sent()]).toEqual([0, []]);
});

test('every other submit listener runs once, on the pass that carries the block', async () => {
  const page = open();
  const seen: string[] = [];
  const look = (who: string) => () => {
    seen.push(who);
    expect(JSON.parse(String(new FormData(page.form).get('encrypted_card'))).payload).toBeTruthy();
  };
  page.form.addEventListener('submit', look('before'));
  page.host.addEventListener('submit', look('outside'));
  page.form.onsubmit = look('attribute');
  bind(page.form);
  page.form.addEventListener('submit', look('after'));
  page.form.addEventListener('submit', look('after, capture'), { capture: true });
  fill(page);
  await posted(page);
  expect(seen).toEqual(['after, capture', 'before', 'attribute', 'after', 'outside']);
});

test('a page that posts by fetch in a listener of its own finds the block in the form data, and no card', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  const answers: Promise<Response>[] = [];
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    answers.push(fetch(page.form.action, { method: 'POST', body: new FormData(page.form) }));
  });
  bind(page.form);
  fill(page);
  page.button().click();
  await next(page.form, 'submit');
  await Promise.all(answers);
  const [sent, more] = await page.sent();
  expect(more).toBeUndefined();
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('form data has no block before there is one, nor after restart', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault());
  const binding = bind(page.form);
  fill(page);
  expect([...new FormData(page.form)]).toEqual([]);
  page.button().click();
  await next(page.form, 'submit');
  expect([...new FormData(page.form).keys()]).toEqual(['encrypted_card']);
  await binding.restart();
  expect([...new FormData(page.form)]).toEqual([]);
});

test('however often it is pressed: one encryption, one submit', async () => {
  const encryptions = countEncryptions();
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  page.control('cvv').focus();
  await user.keyboard('{Enter}');
  await user.click(page.button());
  await user.dblClick(page.button());
  expect([page.passes, encryptions()]).toEqual([0, 0]);
  const arrived = page.arrived();
  key.resolve(freshKey());
  expect((await arrived).length).toBe(1);
  expect([page.passes, encryptions(), page.errors]).toEqual([1, 1, []]);
});

test('a double click is one submit, also when the first click was quickly done with', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault()); // the page stays
  await bind(page.form).ready;
  fill(page);
  await user.dblClick(page.button());
  await vi.waitUntil(() => page.passes);
  await idle(page);
  const click = (detail: number) =>
    page
      .button()
      .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }));
  expect(click(2)).toBe(false); // prevented
  expect(click(1)).toBe(true);
  await vi.waitUntil(() => page.passes > 1);
  expect(page.passes).toBe(2);
});

test('a second click after a change is another press, however quickly it comes', async () => {
  const page = open(`${html()}<input name="comment">`);
  page.form.addEventListener('submit', (event) => event.preventDefault()); // a comment is missing
  await bind(page.form).ready;
  fill(page);
  await user.click(page.button());
  await vi.waitUntil(() => page.passes === 1);
  await idle(page);
  await user.type(page.form.querySelector('[name=comment]')!, 'x');
  page
    .button()
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }));
  await vi.waitUntil(() => page.passes === 2);
});

test('the second click of a double click is a press, if the first one made no block', async () => {
  const page = open();
  bind(page.form);
  await refused(page);
  await idle(page);
  page
    .button()
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }));
  await vi.waitUntil(() => page.errors.length === 2);
});

test('the second click of a double click is stopped, although the page has locked its fields to send', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    for (const control of page.controls()) control.disabled = true;
  });
  await bind(page.form).ready;
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await idle(page);
  page
    .button()
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }));
  await settled(page);
  expect(page.passes).toBe(1);
});

test('the second click of a double click calls onEncrypted no second time', async () => {
  const page = open();
  const onEncrypted = vi.fn();
  await bind(page.form, { onEncrypted }).ready;
  fill(page);
  page.button().click();
  await vi.waitUntil(() => onEncrypted.mock.calls.length === 1);
  await idle(page);
  page
    .button()
    .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 2 }));
  await settled(page);
  expect(onEncrypted).toHaveBeenCalledTimes(1);
  page.button().click();
  await vi.waitUntil(() => onEncrypted.mock.calls.length === 2);
});

// Changed: the block of the first card was sent for the second one, too.
test('when a listener of the page cancels the submit, the same card brings the same block, and another card another one', async () => {
  const encryptions = countEncryptions();
  const page = open();
  bind(page.form);
  let isCancelled = true;
  page.form.addEventListener('submit', (event) => isCancelled && event.preventDefault());
  const press = async () => {
    const passed = next(page.form, 'submit');
    page.button().click();
    await passed;
    await idle(page);
    return String(new FormData(page.form).get('encrypted_card'));
  };
  fill(page);
  const block = await press();
  expect(values(page)).toEqual(KEPT);
  expect(await press()).toBe(block);
  expect([page.passes, encryptions()]).toEqual([2, 1]);

  fill(page, OTHER); // without an event
  expect(await decrypt(JSON.parse(await press()))).toEqual(OTHER_CARD);
  expect(encryptions()).toBe(2);

  isCancelled = false;
  const [sent, more] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(OTHER_CARD);
  expect([more, encryptions()]).toEqual([undefined, 2]);
});

test('onEncrypted is called instead of the submit, with the block and the button', async () => {
  const page = open(BUTTONS);
  const calls: unknown[][] = [];
  bind(page.form, { onEncrypted: (...args) => void calls.push([...args, values(page)]) });
  fill(page);
  page.button('Later').click();
  await next(page.form, 'cardseal:encrypted');
  await idle(page);
  expect(calls).toEqual([
    [
      { payload: expect.any(String), key_id: page.encrypted[0], layout: expect.any(Array) },
      page.button('Later'),
      EMPTY,
    ],
  ]);
  expect([page.passes, await page.sent()]).toEqual([0, []]);
});

test.each([
  ['rejects', async (reason: unknown) => Promise.reject(reason)],
  [
    'throws',
    (reason: unknown) => {
      throw reason;
    },
  ],
])(
  'onEncrypted %s: the reason is reported unchanged, the next submit brings the same block',
  async (_, refuse) => {
    const encryptions = countEncryptions();
    const page = open();
    const blocks: EncryptedCard[] = [];
    const reason = new Error('the network');
    const binding = bind(page.form, {
      onEncrypted: (block) => {
        blocks.push(block);
        return blocks.length === 1 ? refuse(reason) : undefined;
      },
    });
    const reported = uncaught();
    const report = vi.spyOn(window, 'reportError');
    fill(page);
    page.button().click();
    expect(await reported).toBe(reason);
    expect(report).toHaveBeenCalledExactlyOnceWith(reason);
    await idle(page);
    expect(page.errors).toEqual([]);
    page.button().click();
    await vi.waitUntil(() => blocks.length === 2);
    expect(blocks[1]).toEqual(blocks[0]);
    expect(encryptions()).toBe(1);

    await binding.restart();
    fill(page);
    page.button().click();
    await next(page.form, 'cardseal:encrypted');
    expect(encryptions()).toBe(2);
  },
);

test('reports without reportError, too: Chrome 94 and Firefox 92 have none', async () => {
  vi.stubGlobal('reportError', undefined);
  later(() => vi.unstubAllGlobals());
  const page = open();
  const reason = new Error('the network');
  bind(page.form, { onEncrypted: () => Promise.reject(reason) });
  const reported = uncaught();
  fill(page);
  page.button().click();
  expect(await reported).toBe(reason);
});

/** The next exception that reaches the page as uncaught, which Vitest does not get to see then. */
function uncaught(): Promise<unknown> {
  return new Promise((resolve) => {
    const listener = (event: ErrorEvent) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      resolve(event.error);
    };
    addEventListener('error', listener, { once: true, capture: true });
  });
}

test('restart() from inside onEncrypted opens the form for another card', async () => {
  const page = open();
  const blocks: EncryptedCard[] = [];
  const binding = bind(page.form, {
    onEncrypted: async (block) => {
      blocks.push(block);
      if (blocks.length === 1) await binding.restart(); // declined
    },
  });
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.ready === 2);
  fill(page, { ...TYPED, cvv: '999' });
  page.button().click();
  await vi.waitUntil(() => blocks.length === 2);
  expect((await decrypt(blocks[1]!)).cvv).toBe('999');
  expect(blocks[1]!.key_id).not.toBe(blocks[0]!.key_id);
});

test('takes a control that a re-render has put in place of another', async () => {
  const page = open();
  await bind(page.form).ready;
  fill(page);
  const old = page.control('cvv') as HTMLInputElement;
  old.value = 'x';
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = '999';
  const [sent] = await posted(page);
  expect((await decrypt(blockOf(sent!))).cvv).toBe('999');
});

test('empties both controls when a re-render replaces one while the key is on its way', async () => {
  const page = open();
  const key = deferred<CardEncryptionKey>();
  bind(page.form, { key: () => key.promise });
  fill(page);
  const old = page.control('cvv') as HTMLInputElement;
  const arrived = page.arrived();
  page.button().click();
  const fresh = old.cloneNode() as HTMLInputElement;
  old.replaceWith(fresh);
  fresh.value = TYPED.cvv;
  key.resolve(freshKey());
  const [sent] = await arrived;
  expect((await decrypt(blockOf(sent!))).cvv).toBe(TYPED.cvv);
  expect([old.value, fresh.value]).toEqual(['', '']);
});

test('empties selects, too, and tells with bubbling input and change events', async () => {
  const page = open(
    html({
      expiry:
        '<select autocomplete="cc-exp-month"><option>11<option>12</select><select autocomplete="cc-exp-year"><option>2048<option>2049</select>',
    }),
  );
  const told: [string, string, boolean][] = [];
  for (const type of ['input', 'change'])
    page.host.addEventListener(type, ({ target, bubbles }) =>
      told.push([(target as HTMLElement).getAttribute('autocomplete')!, type, bubbles]),
    );
  bind(page.form);
  fill(page);
  await posted(page);
  const tokens = ['cc-number', 'cc-name', 'cc-exp-month', 'cc-exp-year', 'cc-csc'];
  expect(told).toEqual(
    tokens.flatMap((token) => [
      [token, 'input', true],
      [token, 'change', true],
    ]),
  );
  expect(page.controls().map(({ value }) => value)).toEqual(['', '', '', '', '']);
});

test('target=_blank works', async () => {
  const opened = deferred<SubmitEvent>();
  const page = open();
  page.form.target = '_blank';
  page.form.addEventListener('submit', (event) => {
    event.preventDefault(); // a test leaves no windows behind
    opened.resolve(event);
  });
  bind(page.form);
  fill(page);
  page.button().click();
  expect((await opened.promise).submitter).toBe(page.button());
  expect(new FormData(page.form).has('encrypted_card')).toBe(true);
});

test('form.submit() sends no card and no block', async () => {
  const page = open(`${html()}<input name="email" value="z@example.com">`);
  await bind(page.form).ready;
  fill(page);
  const arrived = page.arrived();
  page.form.submit();
  expect((await arrived).map(({ body }) => body)).toEqual([[['email', 'z@example.com']]]);
});

test('requestSubmit() by the page, without a button: refused like any other, then sent with the block', async () => {
  const page = open();
  bind(page.form);
  const error = next<CustomEvent>(page.form, 'cardseal:error');
  page.form.requestSubmit();
  expect((await error).detail).toMatchObject({
    code: 'invalid_card',
    message: 'The shopper has to correct the card',
  });
  await idle(page);
  fill(page);
  const arrived = page.arrived();
  page.form.requestSubmit();
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

test('requestSubmit() by the page, with a button: is sent as that button would send it', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  const arrived = page.arrived();
  page.form.requestSubmit(page.button('Unchecked'));
  const [sent] = await arrived;
  expect(sent!.body).toContainEqual(['how', 'unchecked']);
});

/** A submit that a script makes up: it names no button, as in engines without `submitter`. */
const madeUp = () => new Event('submit', { bubbles: true, cancelable: true });

test('a submit that a script makes up has no button: not that of an earlier click', async () => {
  const page = open(BUTTONS);
  bind(page.form);
  fill(page);
  const button = page.button('Later');
  button.addEventListener('click', (event) => event.preventDefault());
  button.click();
  await settled(page);
  const arrived = page.arrived();
  page.form.dispatchEvent(madeUp());
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['email', 'encrypted_card']);
});

test('a submit that a script makes up has no button: not that of another form, clicked just now', async () => {
  const [page, other] = [open(), open('<button>Search</button>')];
  bind(page.form);
  fill(page);
  const submitters: unknown[] = [];
  page.form.addEventListener('cardseal:submit', ({ detail }: CustomEventInit) =>
    submitters.push(detail.submitter),
  );
  other.button('Search').addEventListener('click', (event) => {
    event.preventDefault();
    page.form.dispatchEvent(madeUp());
  });
  const arrived = page.arrived();
  other.button('Search').click();
  await arrived;
  expect(submitters).toEqual([null]);
});

test('form.submit() after the card is encrypted sends the block', async () => {
  const page = open();
  page.form.addEventListener('submit', (event) => event.preventDefault()); // as a page does that asks something first
  bind(page.form);
  fill(page);
  const encrypted = new Promise((resolve) =>
    page.form.addEventListener('cardseal:encrypted', resolve),
  );
  page.button().click();
  await encrypted;
  const arrived = page.arrived();
  page.form.submit();
  const [sent] = await arrived;
  expect(sent!.body.map(([name]) => name)).toEqual(['encrypted_card']);
});

test('nothing of the card is in any event, error or line of the console', async () => {
  const page = open();
  const told: string[] = [];
  for (const type of ['cardseal:ready', 'cardseal:encrypted', 'cardseal:error']) {
    page.form.addEventListener(type, (event) => {
      const { detail } = event as CustomEvent;
      told.push(
        `${type} ${JSON.stringify(detail)} ${detail?.message} ${detail?.stack} ${Object.values(detail ?? {})}`,
      );
    });
  }
  const log = [vi.spyOn(console, 'log'), vi.spyOn(console, 'warn'), vi.mocked(console.error)];
  const ask = vi
    .fn()
    .mockRejectedValueOnce(0)
    .mockRejectedValueOnce(0)
    .mockImplementation(freshKey);
  await bind(page.form, { key: ask }).ready.catch(() => {});
  for (const wrong of [
    { number: '4929 1192 8374 6505' },
    { cvv: '58' },
    {},
    { name: 'Zoë Quillow'.repeat(20) },
  ]) {
    fill(page, { ...TYPED, ...wrong });
    await refused(page);
    await idle(page);
  }
  fill(page);
  await posted(page);
  const codes = page.errors.map(({ code }) => code);
  expect(codes).toEqual([
    'key_unavailable',
    'invalid_card',
    'invalid_card',
    'key_unavailable',
    'card_too_long',
  ]);
  const texts = [
    ...told,
    ...log.flatMap(({ mock }) =>
      mock.calls.map((args) => args.map((arg) => `${arg} ${arg?.stack}`).join()),
    ),
  ];
  // Digits occur in ids by chance.
  const all = withoutPlaces(texts.join('\n')).replaceAll(/cek_test_[0-9a-f-]+/g, '');
  expect(all).toContain('cardseal:encrypted');
  for (const part of ['4929', '6505', '6509', 'Zoë', 'Quillow', '2049', '583'])
    expect(all).not.toContain(part);
});
