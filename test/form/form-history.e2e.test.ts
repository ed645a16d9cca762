/**
 * G7: what Firefox and Chromium keep of a payment in a profile, as a shopper has one. WebKitGTK has
 * no such history.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium, firefox } from 'playwright';
import { expect, onTestFinished, test } from 'vitest';
import { contextOptions, launchOptions } from '../support/launch-options.ts';
import { cardIn, openTagShop } from '../support/tag-shop.ts';

/** A browser stores a field under its id, if it has no name. */
const page = (form: string) => `<!doctype html><html lang="en"><meta charset="utf-8">
  <title>shop</title><script src="/cardseal.js"></script>
  <form method="post" action="/pay" ${form}<button id="pay">Pay</button></form></html>`;

const PAYMENT = page(`data-cardseal data-cardseal-key-url="/card-key">
  <label>Number <input id="numberx" data-cardseal-field="number"></label>
  <label>Name <input id="namex" data-cardseal-field="name"></label>
  <label>Date <input id="datex" data-cardseal-field="expiry"></label>
  <label>Code <input id="codex" data-cardseal-field="cvv"></label>`);
const TYPED = { numberx: '4929119283746509', namex: 'Zoe Quillow', datex: '1149', codex: '7391' };

/** A page that uses a word of passwords to keep browsers from filling its boxes. */
const BOX =
  '<input data-cardseal-field="number" autocomplete="new-password" maxlength="4" size="4"';
const BOXES = PAYMENT.replace(
  '<input id="numberx" data-cardseal-field="number">',
  [1, 2, 3, 4].map((i) => `${BOX} id="box${i}">`).join(''),
);
const IN_BOXES = { box1: '4929', box2: '1192', box3: '8374', box4: '6509', codex: '7391' };

/** The same code in a form without the library. */
const PLAIN = page('><label>Code <input id="plaincode"></label>');

/** Where each engine keeps what was typed into forms. */
const HISTORY = { chromium: join('Default', 'Web Data'), firefox: 'formhistory.sqlite' };

test.each(['chromium', 'firefox'] as const)(
  'after a payment, the form history of %s has neither number nor code; without the library, it has',
  async (engine) => {
    const shops = [
      await openTagShop(PLAIN),
      await openTagShop(PAYMENT),
      await openTagShop(BOXES),
    ] as const;
    const profile = mkdtempSync(join(tmpdir(), 'cardseal-profile-'));
    onTestFinished(async () => {
      for (const shop of shops) await shop.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    const options = { ...launchOptions(engine), ...contextOptions(engine) };
    const context = await { chromium, firefox }[engine].launchPersistentContext(profile, options);
    const tab = await context.newPage();
    const visit = async (address: string, typed: Record<string, string>) => {
      await tab.goto(address);
      for (const [id, text] of Object.entries(typed)) {
        await tab.click(`#${id}`);
        await tab.keyboard.type(text);
      }
      await tab.click('#pay');
      await tab.waitForURL('**/pay');
    };
    await visit(shops[1].address, TYPED);
    const { namex, datex } = TYPED;
    await visit(shops[2].address, { ...IN_BOXES, namex, datex });
    await visit(shops[0].address, { plaincode: TYPED.codex });
    for (const shop of shops.slice(1)) {
      expect(cardIn(shop.posts[0]!)?.Pan).toBe(TYPED.numberx);
    }
    await tab.waitForTimeout(WRITTEN_AFTER_MS);
    await context.close();

    const path = join(profile, HISTORY[engine]);
    const files = readdirSync(dirname(path)).map((name) => join(dirname(path), name));
    // With its write-ahead log, if there is one.
    const contents = files
      .filter((it) => it.startsWith(path))
      .map((it) => readFileSync(it, 'latin1'));
    const history = contents.join('\n');
    expect(history).toContain(`plaincode${TYPED.codex}`); // control
    expect(history).not.toContain(TYPED.numberx);
    expect(history).not.toMatch(/codex|box\d/);
  },
);

/** Both engines write some time after the submit. */
const WRITTEN_AFTER_MS = 3000;
