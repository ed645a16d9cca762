/**
 * The Playwright test of docs/check.md, run from its very text: it passes on a page that pays,
 * and fails on each page that does not, or that leaks.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIST } from '../support/built.ts';
import { launchOptions } from '../support/launch-options.ts';
import { listenOnLoopback } from '../support/loopback.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const [, text] = /^```js\n(test\('no script of the page sends the card'.*?)^```$/ms.exec(
  read('docs/check.md'),
)!;

const [{ public_key }] = JSON.parse(read('test/vectors/keys.json')).rsa;
const LEAK = `<script>
  document.addEventListener('submit', () => {
    fetch('/other', { method: 'POST', body: document.querySelector('input').value });
  });
</script>`;
const CHECK = '<!doctype html><script src="/cardseal.check.js"></script>';

let keys = 0;
function pageAt(path: string): string {
  if (path === '/pay') return `${CHECK}<p>Thank you. You have paid.</p>`;
  keys += 1;
  const key = { id: `cek_test_${keys}`, scheme: 'RSA_OAEP_SHA256_V1', public_key };
  return `${CHECK}<script src="/cardseal.js"></script>${path === '/leaks/checkout' ? LEAK : ''}
    <form method="post" action="/pay" data-cardseal data-cardseal-key='${JSON.stringify(key)}'>
    <label>Card number <input autocomplete="cc-number"></label>
    <label>Name on card <input autocomplete="cc-name"></label>
    <label>Expiry date <input autocomplete="cc-exp"></label>
    <label>Security code <input autocomplete="cc-csc"></label>
    <button>Pay</button></form>`;
}

const server = createServer((request, response) => {
  request.resume();
  const path = request.url!;
  const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
  const isScript = ['/cardseal.js', '/cardseal.check.js'].includes(path);
  const body = isScript ? readFileSync(join(DIST, path)) : pageAt(path);
  response.writeHead(200, { 'content-type': type }).end(body);
});
let loopback: Awaited<ReturnType<typeof listenOnLoopback>>;
let browser: Browser;
beforeAll(async () => {
  loopback = await listenOnLoopback(server);
  browser = await chromium.launch(launchOptions('chromium'));
});
afterAll(async () => {
  await browser.close();
  loopback.close();
});

type Run = (fixtures: { page: Page }) => Promise<void>;

/** Runs a text of the test against the pages below a folder. */
async function run(folder: string, program = text!): Promise<void> {
  const page = await browser.newPage({ baseURL: `http://${loopback.host}` });
  page.setDefaultTimeout(20_000);
  page.setDefaultNavigationTimeout(30_000);
  let test: Run | undefined;
  const declare = (_: string, it: Run) => {
    test = it;
  };
  const code = program.replace("'/checkout'", `'${folder}/checkout'`);
  new Function('test', 'expect', code)(declare, expect);
  await test!({ page }).finally(() => page.close());
}

test('the test for Playwright passes on a page that sends the block alone', async () => {
  await run('');
});

test('the test for Playwright fails on a page that leaks', async () => {
  await expect(run('/leaks')).rejects.toThrow('clear text');
});

test('the test for Playwright fails if the card is refused', async () => {
  const withoutCode = text!.replace(/^.*Security code.*\n/m, '');
  await expect(run('', withoutCode)).rejects.toThrow('Thank you');
});
