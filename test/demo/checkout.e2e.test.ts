import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { ENGINES, type Engine } from '../../tools/prepare/browsers.ts';
import { findCard, findTraces, spellings } from '../support/find-card.ts';
import { DemoProcess } from './drivers/demo-process.ts';
import { startRecordingProxy } from './drivers/recording-proxy.ts';
import { type Browser, type Settings, type Shopper, startBrowser } from './drivers/shopper.ts';

const VISA = {
  'Card number': '4242424242424242',
  'Expiry date': '12 / 2039',
  'Security code': '8350',
  'Name on card': 'Ada Lovelace',
};
const DECLINED = { ...VISA, 'Card number': '4000000000000002' };
const LABELS = Object.keys(VISA) as (keyof typeof VISA)[];
type Line = Awaited<ReturnType<typeof startRecordingProxy>>;

const BUNDLED = { page: 'the bundled page', path: '' };
const PLAIN = { page: 'the page with the script tag', path: '/plain' };

const demo = new DemoProcess();
let shopper: Shopper;
const cleanup: (() => Promise<unknown>)[] = [];
/** All that stood between shoppers and the shop so far. */
const lines: Line[] = [];
/** How many lines, and how much of what was printed, the test before has searched. */
let searchedLines = 0;
let searchedOutput = 0;

afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
  const [newLines, newOutput] = [lines.slice(searchedLines), demo.output.slice(searchedOutput)];
  [searchedLines, searchedOutput] = [lines.length, demo.output.length];
  expectNoTraces(newLines, newOutput);
});
afterAll(async () => {
  for (const browser of Object.values(browsers)) await (await browser).close();
  try {
    expect(await demo.stop()).toEqual([0, null]);
  } finally {
    demo.kill();
  }
});

/** Each browser is started once. */
const browsers: Record<string, Promise<Browser>> = {};

/** Has the next shopper, with an empty browser, do what the test says. */
async function comeWith(engine: Engine, settings: Settings = {}) {
  browsers[engine] ??= startBrowser(engine);
  shopper = await (await browsers[engine]).newShopper(settings);
  cleanup.push(() => shopper.close());
}

async function lineTo(
  path: string,
  replace?: Parameters<typeof startRecordingProxy>[1],
): Promise<Line> {
  const line = await startRecordingProxy((await demo.addresses()).checkout + path, replace);
  cleanup.push(() => line.close());
  lines.push(line);
  return line;
}

async function enter(card: typeof VISA) {
  for (const label of LABELS) await shopper.enter(label, card[label]);
}

async function expectEmptyForm() {
  for (const label of LABELS) expect(await shopper.read(label)).toBe('');
}

/** What of the card another script, page or visit could find. */
async function remains(): Promise<string[]> {
  const { 'Card number': number, 'Name on card': name } = VISA;
  return findCard(await shopper.holdings(), { number, name });
}

/**
 * Nothing of the cards is in any byte that the merchant's server received over these lines, and in
 * what it and the service printed.
 */
function expectNoTraces(lines: Line[], output: string) {
  const received = Buffer.concat(lines.map((line) => line.received()));
  const sent = Buffer.concat(lines.map((line) => line.sent()));
  for (const { 'Card number': number } of [VISA, DECLINED]) {
    for (const bytes of [received, sent, output]) expect(findTraces(bytes, number)).toEqual([]);
  }
  const { 'Security code': code, 'Expiry date': expiry, 'Name on card': name } = VISA;
  const year = expiry.slice(-4);
  for (const bytes of [received, output]) {
    const text = withoutRandomness(bytes, sent);
    for (const part of [code, year, ...name.split(' ')]) expect(findTraces(text, part)).toEqual([]);
  }
}

/**
 * Four digits turn up by chance in what is random: a ciphertext, the ids and the sessions that the
 * servers sent, a port. Only what has exactly the form of such a ciphertext, as JSON or in a form's
 * data, is left out.
 */
function withoutRandomness(bytes: Buffer | string, sent: Buffer): string {
  let text = Buffer.from(bytes).toString('latin1');
  for (const payload of [
    /"payload":"[A-Za-z0-9+/]{342}=="/g,
    /%22payload%22%3A%22(?:[A-Za-z0-9]|%2[BF]){342}%3D%3D%22/g,
  ]) {
    text = text.replaceAll(payload, '');
  }
  for (const [, session] of sent.toString('latin1').matchAll(/sessionId=([^;]+);/g)) {
    text = text.replaceAll(session!, '');
  }
  return text.replaceAll(/(?:cek|pi_card|order)_[0-9A-Za-z-]+|127\.0\.0\.1:\d+/g, '');
}

/** Whether the text about the last try is where the shopper looks. */
const IS_NOTICE_IN_VIEW = `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
  document.querySelector('[data-cardseal-outcome]').getBoundingClientRect())`;

/** How many blocks the shop has received. */
const blocksTo = (line: Line) => line.received().toString('latin1').split('"payload"').length - 1;

describe.each(ENGINES)('in %s', (engine) => {
  // With the script tag, the browser sends the form: there engines differ.
  const pages = engine === 'chromium' ? [BUNDLED, PLAIN] : [PLAIN];

  // Claim demo-merchant
  test.each(pages)(
    '$page tells each mistake and a decline, takes another card, keeps nothing of it, and shows the receipt',
    async ({ path }) => {
      await comeWith(engine);
      const line = await lineTo(path);
      await shopper.open(line.address);
      await shopper.press('Pay');
      await shopper.see('Enter the card number');
      const text = await shopper.evaluate<string>('document.body.innerText');
      expect(text.match(/Enter the expiry date/g)).toHaveLength(1);
      const problems = [
        ['Card number', 'Enter the card number'],
        ['Name on card', 'Enter the name on the card'],
        ['Expiry date', 'Enter the expiry date'],
        ['Security code', 'Enter the security code'],
      ] as const;
      for (const [label, text] of problems) expect(await shopper.problemBeside(label)).toBe(text);
      expect(await shopper.focus()).toBe('Card number');
      await enter(DECLINED);
      for (const label of LABELS) expect(await shopper.problemBeside(label)).toBe('');
      expect(blocksTo(line)).toBe(0);

      await shopper.press('Pay');
      await shopper.see('Your card was declined. You have not paid. Please try another card.');
      // On both pages in the same place: above the form, and in view
      expect(await shopper.evaluate(IS_NOTICE_IN_VIEW)).toBe(true);
      await expectEmptyForm();

      await enter(VISA);
      const typed = (await remains()).join();
      for (const part of [/number, [^,]* in it.controls.2/, /name, plain in it.controls.5/])
        expect(typed).toMatch(part);
      await shopper.press('Pay');
      await shopper.see(path === PLAIN.path ? 'Thank you. You have paid.' : 'Visa ending in 4242');
      expect(await remains()).toEqual([]);
      await shopper.reload();
      await shopper.see('Paid');
      await shopper.see('Visa ending in 4242');
      expect(blocksTo(line)).toBe(2);
      expect(shopper.complaints()).toEqual([]);
    },
  );
});

describe('a shopper', () => {
  test.each([BUNDLED, PLAIN])(
    'orders on invoice without a card on $page, and nothing that was typed is sent',
    async ({ path }) => {
      await comeWith('chromium');
      const line = await lineTo(path);
      await shopper.open(line.address);
      await enter(VISA);
      await shopper.choose('On invoice');
      expect(await shopper.text()).not.toContain('Card number');
      await shopper.press('Pay');
      await shopper.see('We send you an invoice.');
      expect(line.received().toString('latin1')).toContain('payment_method=invoice');
      expect(line.received().toString('latin1')).not.toContain('payload');
      expect(await remains()).toEqual([]);
      expect(shopper.complaints()).toEqual([]);
    },
  );

  test('whose answer a proxy gave, after the shop was paid, does not read that nothing was', async () => {
    await comeWith('chromium');
    const replace: [string, string][] = [];
    const line = await lineTo('', replace);
    await shopper.open(line.address);
    await enter(VISA);
    await vi.waitFor(() => expect(line.sent().toString()).toContain('"public_key"'));
    replace.push(['{"status":"committed"', '<html>502 Bad Gateway']); // of one length
    await shopper.press('Pay');
    await shopper.see('We do not know yet whether you have paid. Press the button again');
    replace.pop();
    await shopper.press('Pay');
    await shopper.see('Visa ending in 4242');
    expect(blocksTo(line)).toBe(2);
  });

  test('without JavaScript sends nothing, whatever is pressed', async () => {
    await comeWith('chromium', { javaScript: false });
    const line = await lineTo('');
    await shopper.open(line.address);
    await shopper.enter('Card number', `${VISA['Card number']}\n`);
    await shopper.see('Paying by card needs JavaScript');
    expect(await shopper.read('Card number')).toBe(VISA['Card number']); // still the same page
    expect(blocksTo(line)).toBe(0);
  });

  test('whose browser asks for German reads German, the messages of cardseal included', async () => {
    await comeWith('chromium', { language: 'de-DE' });
    await shopper.open((await lineTo('/plain')).address);
    await shopper.press('24,90');
    await shopper.see('Bitte geben Sie die Kartennummer ein');
    expect(await shopper.barriers()).toEqual([]);
    expect(shopper.complaints()).toEqual([]);
  });
});

describe('the shop', () => {
  // Claim demo-merchant. Why: demo/merchant/app.ts writes method, route and status, and nothing
  // that was posted.
  test('lets the merchant receive and print nothing of the card', async () => {
    const blocks = lines.flatMap((line) =>
      line.received().toString('latin1').split('payload').slice(1),
    );
    expect(blocks.length).toBeGreaterThan(9); // of all the tests before
    expectNoTraces(lines, demo.output);
  });

  // Control demo-merchant
  test('prints nothing of what is posted in clear text, in which the same search finds it in every form', async () => {
    const { checkout } = await demo.addresses();
    for (const digits of [VISA['Card number'], VISA['Security code']]) {
      for (const [name, form] of Object.entries(spellings(digits))) {
        const line = await startRecordingProxy(checkout);
        const cookie = (await fetch(line.address)).headers.get('set-cookie')!.split(';')[0]!;
        const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie };
        const { status } = await fetch(`${line.address}/payment`, {
          method: 'POST',
          body: `number=${form}`,
          headers,
          redirect: 'manual',
        });
        expect(status).toBe(400); // it is not a block
        const received = withoutRandomness(line.received(), line.sent());
        expect(findTraces(received, digits)).toContain(name);
        await line.close();
      }
    }
    expectNoTraces([], demo.output);
  });
});
