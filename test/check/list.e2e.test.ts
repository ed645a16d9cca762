/**
 * The list of findings in Chromium: beside a strict Content Security Policy with Trusted Types, at 390
 * px, in light and dark, and by keyboard; and the demo's shop that leaks.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startDemo } from '../../demo/start.ts';
import { DIST } from '../support/built.ts';
import { findCard } from '../support/find-card.ts';
import { launchOptions } from '../support/launch-options.ts';
import { listenOnLoopback } from '../support/loopback.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";

const CARD = { number: '4242424242424242', name: 'Zoe Quillow', code: '7294' };

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>
<script src="/cardseal.check.js"></script><script src="/shop.js"></script></head>
<body><main><h1>Shop</h1><form>
<p><label>Card number <input id="number" autocomplete="cc-number"></label></p>
<p><label>Name <input id="name" autocomplete="cc-name"></label></p>
<p><label>Code <input id="cvv" autocomplete="cc-csc"></label></p>
<p><button type="button">Pay</button></p></form><p><a href="second">Second page</a></p></main></body></html>`;

const SHOP = `function leak() {
  return fetch('/order', { method: 'POST', body: JSON.stringify({
    number: document.querySelector('#number').value, cvv: document.querySelector('#cvv').value }) });
}`;

const FILES: { [path: string]: string } = {
  '/cardseal.check.js': readFileSync(join(DIST, 'cardseal.check.js'), 'utf8'),
  '/shop.js': SHOP,
};

const server = createServer((request, response) => {
  request.resume();
  const script = FILES[request.url!];
  const type = script ? 'text/javascript' : 'text/html';
  response.setHeader('content-type', `${type}; charset=utf-8`);
  response.setHeader('content-security-policy', POLICY);
  response.end(script ?? PAGE);
});

let browser: Browser;
let loopback: Awaited<ReturnType<typeof listenOnLoopback>>;
let address: string;
beforeAll(async () => {
  browser = await chromium.launch(launchOptions('chromium'));
  loopback = await listenOnLoopback(server);
  address = `http://${loopback.host}`;
});
afterAll(async () => {
  await browser.close();
  loopback.close();
});

async function open(options: Parameters<Browser['newContext']>[0] = {}, url = address) {
  const context = await browser.newContext({ ...options, bypassCSP: false });
  onTestFinished(() => context.close());
  const tab = await context.newPage();
  const console: string[] = [];
  tab.on('console', (message) => console.push(message.text()));
  await tab.goto(url);
  return { tab, console };
}

/** A page of a host, of which the browser asks nobody else. */
async function runsOn(host: string, attributes: string): Promise<boolean> {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  await context.route('**', (route) => {
    const isScript = route.request().url().endsWith('.js');
    const body = isScript
      ? FILES['/cardseal.check.js']!
      : `<!doctype html><script src="/cardseal.check.js" ${attributes}></script>`;
    return route.fulfill({ body, contentType: isScript ? 'text/javascript' : 'text/html' });
  });
  const tab = await context.newPage();
  await tab.goto(`http://${host}/`);
  return tab.evaluate(() => 'CardsealCheck' in window);
}

// Claim check-hosts
test('runs on the host that its tag names, and on no other', async () => {
  expect(await runsOn('staging.example', 'data-test-host="staging.example"')).toBe(true);
  expect(await runsOn('shop.example', 'data-test-host="staging.example"')).toBe(false);
});

async function fill(tab: Page): Promise<void> {
  await tab.fill('#number', '4242 4242 4242 4242');
  await tab.fill('#name', CARD.name);
  await tab.fill('#cvv', CARD.code);
}

const leak = (tab: Page) => tab.evaluate(() => Reflect.get(window, 'leak')());

const LIST = 'cardseal-check';

test('at 390 px, in light and dark: the list is whole, axe finds nothing, and the policy is kept', async () => {
  const { tab, console } = await open({ viewport: { width: 390, height: 800 } });
  await fill(tab);
  await leak(tab);
  const opener = tab.getByRole('button', { name: 'Cardseal check: 1 finding' });
  if ((await opener.getAttribute('aria-expanded')) === 'false') await opener.click();
  await tab.getByText('The card number and the security code left in clear text').waitFor();
  const box = (await tab.locator(LIST).boundingBox())!;
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(390);
  expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  // axe cannot tell the contrast of what stands above a page.
  const [black, white] = ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'];
  const schemes = { light: [black, white], dark: [white, 'rgb(18, 18, 18)'] };
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme });
    const colors = await tab.locator(LIST).evaluate((host) => {
      const { color, backgroundColor } = getComputedStyle(host);
      return [color, backgroundColor];
    });
    expect(colors).toEqual(schemes[colorScheme]);
  }
  const violations = await tab.evaluate(`${axe.source}; axe.run({ include: [['${LIST}']] })
      .then(({ violations, passes }) => ({ violations: violations.map(({ id }) => id), passes: passes.map(({ id }) => id) }))`);
  expect(violations).toMatchObject({
    violations: [],
    passes: expect.arrayContaining(['button-name', 'list']),
  });
  expect(console.filter((text) => /Content.Security|Trusted/.test(text))).toEqual([]);
  // The console says the same, and nowhere is a digit of the card.
  expect(console.join()).toContain('left in clear text by fetch to /order, from /shop.js:2');
  const said = [
    console,
    await tab.locator(LIST).innerText(),
    await tab.evaluate('JSON.stringify([CardsealCheck.report(), {...sessionStorage}])'),
  ];
  expect(findCard(said, CARD)).toEqual([]);
  await tab.goto(`${address}/second`); // findings survive a navigation
  await tab.evaluate(() => document.body.remove()); // as Turbo does, which puts in another one
  expect(await tab.locator(LIST).isVisible()).toBe(true);
});

test('by keyboard: the list is opened, moved to each corner, and closed', async () => {
  const { tab } = await open({ viewport: { width: 390, height: 800 } });
  await fill(tab);
  await leak(tab);
  const corner = async () => {
    const { x, y } = (await tab.locator(LIST).boundingBox())!;
    return `${x < 20 ? 'left' : 'right'} ${y < 20 ? 'top' : 'bottom'}`;
  };
  await tab.getByRole('link').focus();
  await tab.keyboard.press('Tab');
  await expect.poll(() => tab.evaluate(() => document.activeElement?.localName)).toBe(LIST);
  await tab.keyboard.press('Enter');
  expect(await tab.getByText('left in clear text').isVisible()).toBe(true);
  await tab.keyboard.press('Enter');
  expect(await tab.getByText('left in clear text').isVisible()).toBe(false);
  await tab.keyboard.press('Tab');
  const corners = new Set<string>();
  for (let i = 0; i < 4; i++) {
    corners.add(await corner());
    await tab.keyboard.press('Enter');
  }
  expect([...corners].sort()).toEqual(['left bottom', 'left top', 'right bottom', 'right top']);
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  expect(await tab.locator(LIST).count()).toBe(0);
});

test('a key press is not searched', async () => {
  const { tab } = await open();
  await fill(tab);
  // A search would read all controls.
  const reads = await tab.evaluate(() => {
    let reads = 0;
    const { querySelectorAll } = Document.prototype;
    Document.prototype.querySelectorAll = function (this: Document, selector: string) {
      reads++;
      return querySelectorAll.call(this, selector);
    } as typeof querySelectorAll;
    const number = document.querySelector('#number')!;
    for (const type of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup']) {
      number.dispatchEvent(new Event(type, { bubbles: true }));
    }
    const typing = reads;
    number.dispatchEvent(new Event('change', { bubbles: true }));
    return { typing, change: reads > typing };
  });
  expect(reads).toEqual({ typing: 0, change: true }); // the control: a change is one
});

test("the demo's shop leaks, and the check finds each leak with its line", async () => {
  const demo = await startDemo({ port: 0, servicePort: 0, log: () => {} });
  onTestFinished(() => demo.close());
  const { tab } = await open({}, demo.leakingShop);
  await tab.fill('#number', '4242 4242 4242 4242');
  await tab.fill('#name', CARD.name);
  await tab.fill('#code', CARD.code);
  await tab.getByRole('button', { name: 'Pay' }).click();
  await tab.getByText('no money moves').waitFor();
  const { findings } = await tab.evaluate(() => window.CardsealCheck!.report());
  const places = findings.map(({ way, to, site }) => `${way} ${to ?? ''} ${site?.line}`);
  expect(new Set(places)).toEqual(
    new Set(['fetch /leaking-shop/totals 8', 'sessionStorage  13', 'fetch /leaking-shop/order 24']),
  );
  expect(findCard(findings, CARD)).toEqual([]);
});
