/** A shopper pays on a page that one recorder watches. Says what its uploads hold. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { type Browser, chromium } from 'playwright';
import type { Report } from '../../src/check/findings.ts';
import { freshKey } from '../../test/support/core.ts';
import { launchOptions } from '../../test/support/launch-options.ts';
import { decode } from './decode.ts';
import { startServer, type Upload } from './server.ts';

const FOLDER = import.meta.dirname;

export const TYPED = {
  number: '4929 1192 8374 6509',
  name: 'Wilhelmina Quartz',
  expiry: '11/49',
  cvv: '5837',
};
/** Recorders do not record what calls itself headless. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';

const CITY = 'Ballyvaughan';

/** What an upload may hold of a visit. */
export type Held = 'number' | 'name' | 'expiry' | 'code' | 'block' | 'city';

export interface Setting {
  /** The name of its page in `pages/`. */
  recorder: string;
  /** Of the recorder's page: `open`, `default`. */
  options: string;
  /** Attributes of the form. */
  form?: string;
  /** Attributes of each control of the card. */
  control?: string;
  /** How the card's controls have `autocomplete`: by default it is `off`, which is no mark. */
  autocomplete?: 'cc-number' | 'billing cc-number' | 'none';
  /** Whether the check runs in the page, and a script of the shop leaks the number. */
  check?: boolean;
  leak?: boolean;
  /** How long the recorder waits before it sends. */
  flushMs?: number;
}

export async function openVisits() {
  let page = { script: '', html: '' };
  const server = await startServer((path) => {
    if (path === '/') return ['text/html', page.html];
    if (path === '/recorder.js') return ['text/javascript', page.script];
    const [, file] = /^\/(cardseal(?:\.check)?\.js)$/.exec(path) ?? [];
    if (file) return ['text/javascript', readFileSync(join(FOLDER, '../../dist', file), 'utf8')];
    if (path === '/shop.js') return ['text/javascript', SHOP];
    if (path === '/leak.js') return ['text/javascript', LEAK];
    return undefined;
  });
  const browser: Browser = await chromium.launch(launchOptions('chromium'));
  const scripts = new Map<string, string>();

  function scriptOf(recorder: string): string {
    const known = scripts.get(recorder);
    if (known !== undefined) return known;
    const { outputFiles } = buildSync({
      entryPoints: [join(FOLDER, 'pages', `${recorder}.js`)],
      bundle: true,
      write: false,
      format: 'iife',
      define: { 'process.env.NODE_ENV': '"production"', global: 'window' },
      logLevel: 'silent',
    });
    const text = outputFiles[0]!.text;
    scripts.set(recorder, text);
    return text;
  }

  async function visit(setting: Setting) {
    page = { script: scriptOf(setting.recorder), html: html(setting, server.uploads) };
    server.take();
    const context = await browser.newContext({ userAgent: USER_AGENT });
    await context.addInitScript('Object.defineProperty(navigator, "webdriver", { value: false })');
    const tab = await context.newPage();
    const devtools = await context.newCDPSession(tab);
    // Time on the thread, not on the clock: another program on the machine adds nothing to it.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    await tab.goto(`${server.address}/?${setting.options}`);
    await tab.waitForTimeout(1_000);
    await tab.locator('#city').pressSequentially(CITY);
    for (const [field, text] of Object.entries(TYPED)) {
      await tab.locator(`#${field}`).pressSequentially(text, { delay: 5 });
    }
    await tab.waitForTimeout(500);
    await tab.locator('form button').click();
    await tab.waitForFunction('window.paid');
    const block = JSON.parse(await tab.evaluate('window.paid'));
    await tab.waitForTimeout(setting.flushMs ?? 1_500);
    const kept = await tab.evaluate<string>('window.kept ? window.kept() : ""');
    await tab.evaluate(LEAVE);
    const uploads: Upload[] = [];
    let text = '';
    const collect = () => {
      for (const upload of server.take()) {
        uploads.push(upload);
        text += `${upload.url}\n${decode(upload.body)}\n`;
      }
    };
    // A worker of a recorder may need long on a busy machine.
    for (let i = 0; i < 50 && !LOOKS.city(text, block); i++) {
      await tab.waitForTimeout(100);
      collect();
    }
    await tab.waitForTimeout(700);
    const report = setting.check
      ? await tab.evaluate<Report>('CardsealCheck.report()')
      : { findings: [], presses: [], notices: [] };
    const { metrics } = await devtools.send('Performance.getMetrics');
    const scriptMs = 1_000 * metrics.find(({ name }) => name === 'ScriptDuration')!.value;
    await tab.close({ runBeforeUnload: true });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await context.close();
    collect();
    const heldBy = (text: string) =>
      (Object.keys(LOOKS) as Held[]).filter((what) => LOOKS[what](text, block));
    return { held: heldBy(text), kept: heldBy(kept), uploads, report, scriptMs };
  }

  return {
    visit,
    async close() {
      await browser.close();
      await server.stop();
    },
  };
}

const LOOKS: Record<Held, (text: string, block: { payload: string }) => boolean> = {
  number: (text) => /4929[ -]?1192/.test(text),
  name: (text) => text.includes('Wilhelmina'),
  expiry: (text) => /\b11\/4/.test(text),
  code: (text) => /(?<![\d.])5837(?![\d.])/.test(text), // no part of another number
  block: (text, { payload }) => text.includes(payload.slice(0, 30)),
  city: (text) => text.includes(CITY),
};

/** As if the shopper changed to another tab: recorders send what they have. */
const LEAVE = `Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
Object.defineProperty(document, 'hidden', { value: true });
document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
window.dispatchEvent(new Event('pagehide'));`;

/** The page of the shop sends its form by itself, and stays. */
const SHOP = `document.forms[0].addEventListener('submit', function (event) {
  event.preventDefault();
  var block = this.elements.encrypted_card.value;
  fetch('/pay', { method: 'POST', body: new FormData(this) }).then(function () {
    window.paid = block;
  });
});`;

/** Line 2 of a script of the shop sends the number, to the shop. */
const LEAK = `document.querySelector('#number').addEventListener('change', function () {
  if (this.value) fetch('/log', { method: 'POST', body: this.value });
});`;

function html(setting: Setting, uploads: string): string {
  const { form = '', control = '', autocomplete, check, leak } = setting;
  const key = JSON.stringify(freshKey()).replaceAll('"', '&quot;');
  const words = { number: 'cc-number', name: 'cc-name', expiry: 'cc-exp', cvv: 'cc-csc' };
  const controls = Object.entries(words).map(([field, word]) => {
    const words = autocomplete?.replace('cc-number', word) ?? 'off';
    const attribute = words === 'none' ? '' : `autocomplete="${words}"`;
    const marks = `data-cardseal-field="${field}" ${attribute} ${control}`;
    return `<label>${field} <input id="${field}" ${marks}></label>`;
  });
  const number = TYPED.number.replaceAll(' ', '');
  return `<!doctype html><meta charset="utf-8"><title>Shop</title>
${check ? `<script src="/cardseal.check.js" data-test-numbers="${number}"></script>` : ''}
<body><h1>Checkout</h1>
<form method="post" action="/pay" data-cardseal data-cardseal-key="${key}" ${form}>
<label>City <input id="city" name="city"></label>
${controls.join('\n')}
<button>Pay</button></form>
<script>var uploads = new URL('${uploads}');</script>
<script src="/recorder.js"></script><script src="/cardseal.js"></script><script src="/shop.js"></script>
${leak ? '<script src="/leak.js"></script>' : ''}</body>`;
}
