/** What code of the page does while a press passes belongs to that press. */
import { expect, test, vi } from 'vitest';
import { decrypt } from '../tools/support/core.ts';
import {
  bind,
  blockIn,
  blockOf,
  CARD,
  cancelled,
  fill,
  html,
  KEPT,
  leaving,
  letSubmitsGo,
  next,
  OTHER,
  open,
  type Page,
  passed,
  posted,
  press,
  settled,
  statusOf,
  testRealInput,
  user,
  values,
} from '../tools/support/form.ts';

test('a listener of the submit that restarts the form opens it', async () => {
  const page = leaving();
  const binding = bind(page.form);
  const restart = () => void binding.restart();
  page.form.addEventListener('submit', restart, { once: true });
  fill(page);
  await passed(page);
  await vi.waitUntil(() => page.ready === 2);
  fill(page, OTHER);
  await passed(page);
  expect(page.passes).toBe(2);
});

test('a listener that dispatches a synthetic submit does not open a form that is on its way', async () => {
  const page = leaving();
  bind(page.form);
  fill(page);
  const makeUp = () => page.form.dispatchEvent(new Event('submit'));
  page.form.addEventListener('submit', makeUp, { once: true });
  await press(page);
  await vi.waitUntil(() => page.passes > 0);
  await settled(page);
  const before = page.passes; // Firefox has no such event while it submits
  await press(page);
  expect([page.passes - before, statusOf(page)]).toEqual([
    0,
    'Your payment is under way. Please wait.',
  ]);
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

test.each<[string, (page: Page) => void]>([
  ['makes the fields read-only', (page) => setAll(page, 'readOnly', true)],
  ['disables the fields', (page) => setAll(page, 'disabled', true)],
  ['empties the fields', (page) => fill(page, { number: '', name: '', expiry: '', cvv: '' })],
  ['masks the number', (page) => fill(page, { number: '**** 6509' })],
  ['removes the fields', (page) => page.controls().forEach((control) => void control.remove())],
  ['resets the form', (page) => page.form.reset()],
])('a page that %s in its submit listener sends the block', async (_, lock) => {
  const page = open();
  bind(page.form);
  page.form.addEventListener('submit', () => lock(page));
  fill(page);
  const [sent] = await posted(page);
  const [[name, block]] = sent!.body as [[string, string]];
  expect(name).toBe('encrypted_card');
  expect(await decrypt(JSON.parse(block))).toEqual(CARD);
});

function setAll(page: Page, name: 'readOnly' | 'disabled', value: boolean): void {
  for (const control of page.controls()) Reflect.set(control, name, value);
}

test('a submit event that a script makes sends nothing by itself: the next press is sent', async () => {
  const page = open();
  bind(page.form);
  fill(page);
  page.form.addEventListener('submit', (event) => event.preventDefault(), { once: true });
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  await settled(page);
  for (const passes of [2, 3]) {
    page.form.dispatchEvent(new Event('submit')); // which nothing can cancel
    await settled(page);
    expect([page.passes, statusOf(page)]).toEqual([passes, undefined]);
  }
  expect(values(page)).toEqual(KEPT);
});

/** As a page that asks first: no task runs while `confirm()` is shown. */
const confirmFor = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

test('a click handler that asks by confirm() for a while: one press, and it pays', async () => {
  const page = open();
  page.button().addEventListener('click', () => confirmFor(150));
  await bind(page.form).ready;
  fill(page);
  const arrived = page.arrived();
  await user.click(page.button());
  expect((await arrived).length).toBe(1);
  expect(page.passes).toBe(1);
});

testRealInput(
  'a click handler that asks by confirm(): a press afterwards is the shopper’s',
  async () => {
    const page = open();
    letSubmitsGo(page);
    const handed = vi.fn(() => new Promise<void>(() => {}));
    await bind(page.form, { onEncrypted: handed }).ready;
    page.button().addEventListener('click', () => confirmFor(150));
    fill(page);
    await user.click(page.button());
    await vi.waitUntil(() => handed.mock.calls.length === 1);
    await user.click(page.button());
    expect([page.passes, handed.mock.calls.length]).toEqual([0, 1]);
    expect(statusOf(page)).toBe('Your payment is under way. Please wait.');
  },
);

test('a listener that cancels the submit and submits again, masked and locked, sends the block', async () => {
  const page = open();
  bind(page.form);
  page.form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault();
      fill(page, { number: '**** 6509', cvv: '***' });
      setAll(page, 'disabled', true);
      page.form.submit();
    },
    { once: true },
  );
  fill(page);
  const [sent] = await posted(page);
  expect(await decrypt(blockOf(sent!))).toEqual(CARD);
});

test('a listener that clicks a card button instead, as shops do for Enter: its handlers run once, with the block', async () => {
  const page = open(`${html()}<button type="button" data-cardseal-button>Send</button>`);
  const seen: (string | null)[] = [];
  page.button('Send').addEventListener('click', () => seen.push(blockIn(page)));
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    page.button('Send').click();
  });
  bind(page.form);
  fill(page);
  for (const press of [1, 2]) {
    page.button().click();
    await vi.waitUntil(() => seen.length === press);
    await settled(page);
    expect([page.passes, statusOf(page)]).toEqual([press, undefined]);
  }
  expect(await decrypt(JSON.parse(seen[0]!))).toEqual(CARD);
  expect(seen[1]).toBe(seen[0]);
});

test('form data that is collected twice for one submit has the block both times', async () => {
  const page = open(); // Chromium does so for a submit into the same window
  const collected: boolean[] = [];
  page.form.addEventListener('formdata', ({ formData }) => {
    collected.push(formData.has('encrypted_card'));
  });
  page.form.addEventListener('submit', (event) => {
    event.preventDefault();
    fill(page, OTHER); // whatever stands in the fields by then
    new FormData(page.form);
    new FormData(page.form);
  });
  bind(page.form);
  fill(page);
  page.button().click();
  await vi.waitUntil(() => page.passes === 1);
  expect(collected).toEqual([true, true]);
});

test('another whole card that a script writes after the press takes the block out of the data', async () => {
  const { page } = await cancelled();
  fill(page, { number: '**** 6509' });
  expect(blockIn(page)).not.toBe(null); // a mask is no other card
  fill(page, OTHER);
  expect(blockIn(page)).toBe(null);
});
