import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isTestNumber, TEST_CARDS } from '../../demo/explained/test-cards.ts';
import { DECLINED_NUMBERS } from '../../demo/service/processor/decision.ts';
import { startService } from '../support/card-payment-service.ts';
import { findTraces } from '../support/find-card.ts';
import { launchOptions } from '../support/launch-options.ts';
import { DemoProcess } from './drivers/demo-process.ts';

/** Passes Luhn, and is none of the demo's own. */
const STRANGER = { number: '4111111111111111', name: 'Eve Whittaker', cvv: '9876' };

let demo: DemoProcess;
let checkout: string;
let service: string;
let browser: Browser;
const open: Page[] = [];

beforeAll(async () => {
  demo = new DemoProcess();
  browser = await chromium.launch(launchOptions('chromium'));
  ({ checkout, service } = await demo.addresses());
});
afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
});
afterAll(async () => {
  await browser?.close();
  try {
    expect(await demo.stop('SIGTERM')).toEqual([0, null]);
  } finally {
    demo.kill();
  }
});

/** The checkout with its explanation, ready to take a card; what the browser had to complain of; what the page asked its server for. */
async function visit(options: BrowserContextOptions = {}, path = '/explained') {
  const page = await (await browser.newContext(options)).newPage();
  open.push(page);
  const complaints: string[] = [];
  const sent: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) =>
    sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`),
  );
  const hasKey = () =>
    page.waitForResponse((it) => it.url().endsWith('/payment') && it.request().method() === 'POST');
  const first = hasKey();
  await page.goto(new URL(path, checkout).href);
  await first;
  const station = (id: string) => page.locator(`#station-${id}`);
  return {
    page,
    /** When the page gets the next key. */
    hasKey,
    complaints,
    sent,
    station,
    take: (name: string) => page.getByRole('button', { name }).click(),
    pay: () => page.getByRole('button', { name: 'Pay' }).click(),
    /** Waits until the form has asked for another key: then a test card is in it, too. */
    async letGoWrong(what: string) {
      const answer = hasKey();
      await page.getByRole('radio', { name: what, exact: true }).check();
      await answer;
    },
    panel: () => page.locator('.journey').innerHTML(),
    /** Text, characters and bytes of a field. */
    row: (field: string) =>
      station('page').locator('tr', { hasText: field }).locator('td').allInnerTexts(),
    /** The layout at a station, as text. */
    layout: (id: string) => station(id).locator('.layout li').allInnerTexts(),
    async enter({ number, name, cvv }: typeof STRANGER) {
      await page.getByLabel('Card number').pressSequentially(number);
      await page.getByLabel('Name on card').fill(name);
      await page.getByLabel('Expiry date').fill('12 / 39');
      await page.getByLabel('Security code').fill(cvv);
    },
  };
}

describe('the ruler', () => {
  test('counts bytes and not characters, as the layout that leaves the page does; shows nothing of a card that has been paid with, and its server is told nothing of one', async () => {
    const { enter, row, layout, pay, station, page, panel, complaints, sent } = await visit();
    await enter({ number: '4242424242424242', name: 'Evë 🎉', cvv: '123' });
    expect(await row('Pan')).toEqual(['4242424242424242', '16', '16']);
    expect(await row('Name')).toEqual(['Evë 🎉', '5', '9']);
    expect(await station('page').locator('.run[data-field=Name] .cell').allInnerTexts()).toEqual([
      'Name 9\nE\n45',
      'v\n76',
      'ë\nc3\nab',
      '␣\n20',
      '🎉\nf0\n9f\n8e\n89',
    ]);
    await station('page').getByText('34 of 190 bytes; 156 are left').waitFor();
    await pay();
    await page.getByText('Visa ending in 4242').waitFor();
    await expect
      .poll(() => layout('left'))
      .toEqual(['Pan 16', 'Name 9', 'ExpMonth 2', 'ExpYear 4', 'Cvc 3']);
    await expect.poll(() => row('Name')).toEqual(['wiped', '–', '9']);
    expect(await panel()).not.toContain('Evë');
    expect(sent.join('\n')).toContain('POST'); // it is the right place to look
    expect(findTraces(sent.join('\n'), '4242424242424242')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('shows a card only if its number is one of the demo’s own, and says when the name is too long for the key, as the library does', async () => {
    const { enter, panel, row, page, station, pay } = await visit();
    await enter({ ...STRANGER, number: '4242424242424242' });
    for (const shown of ['4242424242424242', STRANGER.name, STRANGER.cvv])
      expect(await panel()).toContain(shown);
    for (const number of ['424242424242424', STRANGER.number]) {
      await page.getByLabel('Card number').fill(number);
      for (const hidden of [number, 'Eve', STRANGER.cvv])
        expect(await panel()).not.toContain(hidden);
    }
    expect(new Set(await page.locator('.ruler .hex > span').allInnerTexts())).toEqual(
      new Set(['··']),
    );
    expect(await row('Name')).toEqual(['not shown', '13', '13']);
    await page.getByLabel('Name on card').fill('é'.repeat(83)); // 16 + 166 + 2 + 4 + 4
    await station('page').getByText('2 bytes more than one block of 190 takes').waitFor();
    await pay();
    await station('page').locator('.trouble').getByText('card_too_long').waitFor();
  });
});

describe('the switch', () => {
  const ENDS: Record<string, [code: string, at: 'page' | 'answer', todo: string]> = {
    'Another scheme': ['unsupported_scheme', 'page', 'What to do: Update cardseal'],
    'An expired key': ['encryption_key_expired', 'answer', 'Request a new key and let the shopper'],
    'A changed layout': ['invalid_encryption_block', 'answer', 'Check the order of the fields'],
  };

  async function expectEnd(what: string, shopper: Awaited<ReturnType<typeof visit>>) {
    const { letGoWrong, pay, station, panel, page } = shopper;
    const [code, at, todo] = ENDS[what]!;
    await letGoWrong(what);
    if (at === 'answer') {
      await expect.poll(() => station('page').getAttribute('data-state')).toBe('live');
      await pay();
    }
    await station(at).getByText(code, { exact: true }).waitFor();
    await station(at).getByText(todo).waitFor();
    expect(await station(at).getAttribute('data-state')).toBe('failed');
    const left = await station('left').getAttribute('data-state');
    expect(left).toBe(at === 'page' ? 'waiting' : 'done');
    expect(await panel()).not.toContain('committed');
    // The panel learns the answer before the page does, which then empties its form.
    if (at === 'answer') await page.locator('[data-cardseal-outcome]:not(:empty)').waitFor();
  }

  // One order gets few keys in a row, so three shoppers share the switches.
  test('ends in the page or at the service, with what to do, and nobody pays; it is of one shopper alone', async () => {
    const ada = await visit();
    for (const what of ['Another scheme', 'An expired key']) await expectEnd(what, ada);
    const eve = await visit();
    await expectEnd('A changed layout', eve);
    expect((await eve.layout('left')).slice(0, 2)).toEqual(['Pan 16', 'Name 12']);
    const changed = ['Pan 17 instead of 16', 'Name 11 instead of 12'];
    expect((await eve.layout('received')).slice(0, 2)).toEqual(changed);
    const bob = await visit();
    await bob.take('Ada Lovelace');
    await bob.pay();
    await bob.page.getByText('Visa ending in 4242').waitFor();
  });
});

describe('what the sandbox lets go wrong', () => {
  test.each<[operation: string, fault: string, at: string, seen: string, todo: string]>([
    ['authorize', 'after-drop', 'answer', 'No answer: resolve_intent', 'Look the intent up'],
    ['authorize', 'after-503', 'answer', 'HTTP 503: resolve_intent', 'Look the intent up'],
    ['authorize', 'after-404', 'answer', 'HTTP 404: not_specified', 'Look at the status'],
    ['authorize', 'after-other-status', 'answer', 'processing', 'Look the intent up'],
    ['create', 'before-503', 'received', 'not_paid', 'Look for the line'],
  ])('%s, %s: the panel says no more than is known', async (operation, fault, at, seen, todo) => {
    const { take, pay, station, panel } = await visit();
    await take('Ada Lovelace');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ operation, fault, times: 1 });
    await fetch(`${service}/sandbox/faults`, { method: 'POST', headers, body });
    await pay();
    await expect.poll(() => station(at).getAttribute('data-state')).toBe('failed');
    const told = await station(at).innerText();
    for (const text of [seen, todo]) expect(told).toContain(text);
    if (at === 'answer') expect(told).toContain('may have been charged');
    else expect(told).toContain('sent no block');
    expect(await panel()).not.toMatch(/nobody has paid|approved|forwarded/);
  });
});

test('a visit leaves the checkout without the explanation as it is; the intents have their states: one fails, the next is committed', async () => {
  const { page, hasKey, take, pay, station, complaints } = await visit({}, '/checkout');
  /** As the server sends it: the script only binds the form. */
  const sent = async () => (await page.request.get(checkout)).text();
  const bare = await sent();
  expect(bare).not.toContain('explained');
  const explain = async () => {
    const key = hasKey();
    await page.goto(new URL('/explained', checkout).href);
    await key;
  };
  await explain();
  const key = hasKey(); // `sent` begins another session: a request of this one would be refused
  await page.getByRole('link', { name: 'See a checkout without the explanation' }).click();
  await page.locator('aside').waitFor({ state: 'detached' });
  await key;
  expect(await sent()).toBe(bare);

  await explain();
  const states = () => station('intent').locator('.timeline strong').allInnerTexts();
  await take('Grace Hopper');
  await pay();
  await expect.poll(states).toEqual(['created', 'failed']);
  expect(await station('answer').getAttribute('data-state')).toBe('failed');
  // The explanation hears of it before the form, which takes no other card until then.
  await page.locator('[data-cardseal-outcome]:not(:empty)').waitFor();
  await take('Zoë Ångström');
  await pay();
  await page.getByText('Mastercard ending in 4444').waitFor();
  await expect.poll(states).toEqual(['created', 'committed', 'created', 'failed']);
  await expect.poll(() => station('answer').getAttribute('data-state')).toBe('done');
  expect(complaints).toEqual([]);
});

describe('for everyone', () => {
  test.each([
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])('the whole form is seen without scrolling: $width x $height', async (viewport) => {
    const { page } = await visit({ viewport });
    const pay = await page.getByRole('button', { name: 'Pay' }).boundingBox();
    expect(pay!.y + pay!.height).toBeLessThan(viewport.height);
  });

  test('axe finds nothing, in light and in dark colours, and nothing is wider than a small phone: with errors, declined, paid', async () => {
    const { page, take, pay, station } = await visit({
      reducedMotion: 'reduce',
      viewport: { width: 320, height: 640 },
    });
    const expectNoBarriers = async () => {
      const { scrollWidth, clientWidth } = await page.evaluate(
        ({ documentElement: { scrollWidth, clientWidth } }) => ({ scrollWidth, clientWidth }),
        await page.evaluateHandle(() => document),
      );
      expect(scrollWidth).toBe(clientWidth);
      await page.evaluate(axe.source);
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Dark colours change nothing that the other rules look at.
        const rules =
          colorScheme === 'dark' ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {};
        const { violations, passes } = await page.evaluate(
          (options) => (globalThis as unknown as { axe: typeof axe }).axe.run(options),
          rules,
        );
        expect(passes.map(({ id }) => id)).toContain('color-contrast');
        for (const { id, nodes } of violations)
          for (const { target } of nodes) found.push(`${colorScheme}, ${id}: ${target}`);
      }
      expect(found).toEqual([]);
    };
    await page.getByLabel('Name on card').fill('é'.repeat(90));
    await pay(); // with nothing else entered
    await page.getByText('Enter the card number').waitFor();
    await expectNoBarriers();
    await take('Grace Hopper');
    await pay();
    await station('answer').getByText('card_declined').waitFor();
    await expectNoBarriers();
    await take('Zoë 🎉');
    await pay();
    await page.getByText('Discover ending in 1117').waitFor();
    await expect.poll(() => station('answer').getAttribute('data-state')).toBe('done');
    await expectNoBarriers();
  });
});

test('the service treats each test card as the page says, and the page knows all that the service declines', async () => {
  const { app, pay } = startService();
  for (const { number, name, cvv, outcome } of TEST_CARDS) {
    const { status, failure_reason } = await pay({ number, name, cvv });
    expect(failure_reason ?? status).toBe(outcome === 'approved' ? 'committed' : outcome);
  }
  await app.close();
  for (const number of Object.keys(DECLINED_NUMBERS)) expect(isTestNumber(number)).toBe(true);
  const readme = readFileSync(join(import.meta.dirname, '../../demo/README.md'), 'utf8');
  const listed = readme
    .match(/\b\d{4} [\d ]{10,14}\d\b/g)!
    .map((number) => number.replaceAll(' ', ''));
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.filter((number) => !isTestNumber(number))).toEqual([]);
  expect(isTestNumber(STRANGER.number)).toBe(false);
});
