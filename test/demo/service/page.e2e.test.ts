/** The page of the sandbox in a real browser. */
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ACCOUNTS } from '../../../demo/service/app.ts';
import { CARD, seal, startService } from '../../support/card-payment-service.ts';
import { launchOptions } from '../../support/launch-options.ts';

const service = startService({ clock: Date.now });
const { app, call, create, requestKey, authorize, pay } = service;
let address: string;
let browser: Browser;
const open: Page[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  address = await app.listen({ host: '127.0.0.1', port: 0 });
  browser = await chromium.launch(launchOptions('chromium'));
});
beforeEach(() => app.sandbox.reset());
afterEach(async () => {
  for (const page of open.splice(0)) await page.context().close();
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser?.close();
  await app.close();
});

async function visit(options: BrowserContextOptions = {}) {
  const page = await (await browser.newContext(options)).newPage();
  open.push(page);
  page.on(
    'console',
    (message) => void (message.type() === 'error' && complaints.push(message.text())),
  );
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  await page.getByText('Live', { exact: true }).waitFor();
  return page;
}

const card = (number: string) => ({ ...CARD, number, exp_year: '2049' });
const payments = (page: Page) => page.locator('#payments > li');
const requests = (page: Page) => page.locator('#requests > li');

describe('shows what happens while it happens', () => {
  test('payments: amount, status, card and steps; the newest on top', async () => {
    const page = await visit();
    await page.getByText('No payment yet.').waitFor();
    const { id } = await pay(card('4242424242424242'));
    await expect
      .poll(() => payments(page).first().innerText())
      .toMatch(
        /^\$10\.00\s+committed\s+visa •••• 4242\s+acct_bookshop\s+pi_card_\w+\s+created .+\s+committed /,
      );
    await call('POST', `/payments/card/${id}/refund`, { body: { amount: 305 } });
    await expect.poll(() => payments(page).first().innerText()).toContain('$10.00, $3.05 refunded');
    await pay(card('4000000000009995'), {
      amount: 5000,
      currency: 'JPY',
      description: '<b>Tea</b>',
    });
    const newest = payments(page).first();
    await expect.poll(() => newest.innerText()).toMatch(/¥5,000\s+failed: insufficient_funds/);
    expect(await newest.innerText()).toContain('<b>Tea</b>'); // text, not HTML
    await create({}, { secretKey: ACCOUNTS[1].liveSecretKey });
    await expect.poll(() => newest.innerText()).toContain('live mode');
    expect(await payments(page).count()).toBe(3);
    expect(await page.getByText('No payment yet.').isVisible()).toBe(false);
  });

  test('requests with status and reason; what came before the page was opened is there, too', async () => {
    const block = { ...seal(await requestKey(), card('4242424242424242')), layout: [] };
    await authorize((await create()).id, block);
    const page = await visit();
    await expect
      .poll(() => requests(page).first().innerText())
      .toMatch(
        /POST \/payments\/card\/:id\/authorize\s+422, \d+ ms\s+invalid_encryption_block: The layout has 0 entries/,
      );
    await call('GET', '/nowhere');
    await expect.poll(() => requests(page).first().innerText()).toContain('not_found');
    expect(await page.content()).not.toContain(block.payload);
  });
});

describe('the switches', () => {
  test('by keyboard: a fault goes on, comes once, and goes off by itself', async () => {
    const page = await visit();
    const toggle = page.getByRole('checkbox', { name: 'Authorize' });
    await page.getByLabel('Fault of authorize').focus();
    await page.keyboard.type('after-404');
    await toggle.focus();
    await page.keyboard.press('Space');
    const armed = () => app.sandbox.faults.armed().authorize;
    await expect.poll(armed).toEqual({ fault: 'after-404', times: 1, slow_ms: 60_000 });
    await page.getByLabel('How often, of authorize').selectOption('always');
    await expect.poll(() => armed()?.times).toBeNull();
    await page.getByLabel('How often, of authorize').selectOption('once');
    await expect.poll(() => armed()?.times).toBe(1);
    const headers = {
      authorization: `Bearer ${ACCOUNTS[0].secretKey}`,
      'content-type': 'application/json',
    };
    const url = `${address}/payments/card/${(await create()).id}/authorize`;
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(404);
    await expect.poll(() => toggle.isChecked()).toBe(false);
    await expect
      .poll(() => page.locator('#requests').innerText())
      .toContain('goes wrong: after-404');
  });

  test('a fault that was switched on elsewhere is shown, and is switched off here', async () => {
    const page = await visit();
    const body = { operation: 'keys', fault: 'after-other-scheme', times: 3 };
    await call('POST', '/sandbox/faults', { body, secretKey: null });
    const toggle = page.getByRole('checkbox', { name: 'Encryption keys' });
    await expect.poll(() => toggle.isChecked()).toBe(true);
    expect(await page.getByLabel('Fault of encryption keys').inputValue()).toBe(
      'after-other-scheme',
    );
    expect(await page.getByLabel('How often, of encryption keys').inputValue()).toBe('3');
    await toggle.click();
    await expect.poll(() => app.sandbox.faults.armed().keys).toBeNull();
  });

  test('the clock moves on, and is put right', async () => {
    const page = await visit();
    await page.getByRole('button', { name: '+ 24 hours' }).click();
    await expect.poll(() => app.sandbox.clock.aheadMs()).toBe(86_400_001);
    await page.getByText('1 d 0 min ahead').waitFor();
    await page.getByRole('button', { name: 'Real time' }).click();
    await page.getByText('the real time').waitFor();
    expect(app.sandbox.clock.aheadMs()).toBe(0);
  });

  test('reset asks first', async () => {
    await create();
    const page = await visit();
    await expect.poll(() => payments(page).count()).toBe(1);
    page.once('dialog', (dialog) => dialog.dismiss());
    await page.getByRole('button', { name: 'Reset everything' }).click();
    expect(await payments(page).count()).toBe(1);
    page.once('dialog', (dialog) => dialog.accept());
    await page.getByRole('button', { name: 'Reset everything' }).click();
    await page.getByText('No payment yet.').waitFor();
    expect((await call('GET', '/payments/card')).body.data).toEqual([]);
  });
});

test('the line for curl is one that works, and is copied', async () => {
  const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('button', { name: 'Copy for curl' }).click();
  await page.getByText('Copied').first().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).toContain(`curl ${address}/payments/card `);
  const [key, body] = [/Bearer (\w+)/.exec(line)![1]!, /-d '(.*)'/.exec(line)![1]!];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${address}/payments/card`, { method: 'POST', headers, body });
  expect(reply.status).toBe(201);
});

test.each([
  ['light', 390],
  ['dark', 390],
  ['light', 1280],
  ['dark', 1280],
] as const)(
  'axe finds nothing in %s at %i px, and nothing is wider than the page',
  async (colorScheme, width) => {
    await pay(card('4242424242424242'), { description: 'x'.repeat(200) });
    await pay(card('4000000000000002'));
    await pay(card('378282246310005'), { capture_method: 'manual' });
    await call('GET', '/nowhere');
    app.sandbox.faults.arm('keys', { fault: 'after-404', times: null, slow_ms: 1 });
    const page = await visit({ colorScheme, viewport: { width, height: 800 } });
    await expect.poll(() => requests(page).count()).toBeGreaterThan(8);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  },
);

test('holds no secret but the published test keys, and no script of its own in the markup', async () => {
  const html = await (await fetch(address)).text();
  const script = await (await fetch(`${address}/sandbox/page.js`)).text();
  const keys = new Set((html + script).match(/sk_\w+/g));
  expect([...keys]).toEqual([ACCOUNTS[0].secretKey]);
  expect(html).not.toMatch(/<script(?! type="module" src=)| on\w+=| style=/);
});
