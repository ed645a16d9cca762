import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findCard, findTraces, spellings } from '../support/find-card.ts';
import { DemoProcess } from './demo-process.ts';
import { startRecordingProxy } from './recording-proxy.ts';
import { BROWSERS, type Browser, type Shopper } from './shopper.ts';

const VISA = {
  'Card number': '4242424242424242',
  'Name on card': 'Ada Lovelace',
  'Expiry month': '12',
  'Expiry year': '2039',
  'Security code': '8350',
};
const DECLINED = { ...VISA, 'Card number': '4000000000000002' };
type Entries = typeof VISA;

const startProxied = async (demo: DemoProcess) => startRecordingProxy((await demo.addresses()).checkout);

describe.each(Object.keys(BROWSERS))('in %s', (engine) => {
  let demo: DemoProcess;
  let proxy: Awaited<ReturnType<typeof startProxied>>;
  let browser: Browser;
  let shopper: Shopper;

  beforeAll(async () => {
    demo = new DemoProcess();
    [proxy, browser] = await Promise.all([startProxied(demo), BROWSERS[engine]!()]);
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    demo.kill();
  });
  beforeEach(async () => {
    shopper = await browser.newShopper();
  });
  afterEach(async () => {
    await shopper.close();
  });

  async function enter(card: Entries, person = shopper) {
    for (const [label, value] of Object.entries(card)) await person.enter(label, value);
  }

  async function pay(card: Entries) {
    await enter(card);
    await shopper.press('Pay');
  }

  test('pays, shows how, and shows it again instead of asking for the card anew', async () => {
    await shopper.open(proxy.address);
    await pay({ ...VISA, 'Card number': '4242 4242 4242 4242' });
    await shopper.see('committed');
    await shopper.see('visa ending in 4242');
    await shopper.reload();
    await shopper.see('visa ending in 4242');
    expect(shopper.complaints()).toEqual([]);
  });

  test('says that a card was declined and why, and takes another', async () => {
    await shopper.open(proxy.address);
    await pay(DECLINED);
    await shopper.see('declined: card_declined');
    for (const label of ['Card number', 'Name on card', 'Security code']) expect(await shopper.read(label)).toBe('');
    await pay(VISA);
    await shopper.see('visa ending in 4242');
    expect(shopper.complaints()).toEqual([]);
  });

  test('says what is wrong with each field, sends nothing, and goes on when it is mended', async () => {
    await shopper.open(proxy.address);
    const before = requestsToPay();
    await pay({ ...VISA, 'Card number': '4242424242424241', 'Security code': '12' });
    await shopper.see('Check the card number');
    await shopper.see('Check the security code');
    expect(await shopper.focus()).toBe('Card number');
    expect(requestsToPay()).toBe(before);
    await shopper.open(proxy.address);
    await pay(VISA);
    await shopper.see('committed');
    expect(requestsToPay()).toBe(before + 1);
  });

  test.each(['light', 'dark'] as const)('can be used by people with a disability, in %s colours', async (colorScheme) => {
    const ada = await browser.newShopper({ colorScheme });
    await ada.open(proxy.address);
    expect(await ada.barriers()).toEqual([]);
    await ada.press('Pay');
    await ada.see('Enter the card number');
    expect(await ada.barriers()).toEqual([]);
    await enter(VISA, ada);
    await ada.press('Pay');
    await ada.see('visa ending in 4242');
    expect(await ada.barriers()).toEqual([]);
    await ada.close();
  });

  test('keeps no card and does not claim to know when the shop cannot be reached', async () => {
    const line = await startProxied(demo);
    await shopper.open(line.address);
    await enter(VISA);
    await line.close();
    await shopper.press('Pay');
    await shopper.see('it is not certain whether you have paid');
    for (const label of Object.keys(VISA)) expect(await shopper.read(label)).toBe('');
  });

  test('sends nothing without JavaScript, whatever is pressed', async () => {
    const plain = await browser.newShopper({ javaScript: false });
    const before = requestsToPay();
    await plain.open(proxy.address);
    await plain.enter('Card number', `${VISA['Card number']}\n`);
    await plain.see('Preparing the encryption');
    expect(await plain.read('Card number')).toBe(VISA['Card number']); // still the same page
    expect(requestsToPay()).toBe(before);
    await plain.close();
  });

  test('lets the merchant receive and print nothing of the card', async () => {
    await shopper.open(proxy.address);
    await pay(DECLINED);
    await shopper.see('declined: card_declined');
    await pay(VISA);
    await shopper.see('visa ending in 4242');
    await expect.poll(() => demo.output.split('POST /checkout/pay 200').length).toBeGreaterThan(2);

    for (const { 'Card number': number, 'Security code': code } of [VISA, DECLINED]) {
      for (const bytes of [proxy.received(), proxy.sent(), demo.output]) expect(findTraces(bytes, number)).toEqual([]);
      for (const bytes of [proxy.received(), demo.output]) expect(findTraces(withoutRandomness(bytes), code)).toEqual([]);
    }
  });

  test('leaves nothing of the card in the page, where the same search found it while it was entered', async () => {
    const { 'Card number': number, 'Name on card': name } = VISA;
    await shopper.open(proxy.address);
    await enter(VISA);
    expect(findCard(await shopper.holdings(), { number, name })).toEqual(
      expect.arrayContaining(['number, plain in it.controls.0', 'name, plain in it.controls.1']),
    );
    await shopper.press('Pay');
    await shopper.see('visa ending in 4242');
    expect(findCard(await shopper.holdings(), { number, name })).toEqual([]);
  });

  test('prints nothing of what is posted in clear text, in which the same search finds it in every form', async () => {
    const { checkout } = await demo.addresses();
    for (const digits of [VISA['Card number'], VISA['Security code']]) {
      for (const [name, form] of Object.entries(spellings(digits))) {
        const clear = await startRecordingProxy(checkout);
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const { status } = await fetch(`${clear.address}/pay`, { method: 'POST', body: `number=${form}`, headers, redirect: 'manual' });
        expect(status).toBe(303); // to the form: whoever has no session has nothing to pay
        expect(findTraces(withoutRandomness(clear.received()), digits)).toContain(name);
        await clear.close();
      }
      expect(findTraces(withoutRandomness(demo.output), digits)).toEqual([]);
    }
  });

  test('starts again when the key has expired', async () => {
    const hasty = new DemoProcess(['--key-lifetime-ms', '1']);
    onTestFinished(() => hasty.kill());
    const { checkout } = await hasty.addresses();
    await shopper.open(checkout);
    await pay(VISA);
    await shopper.see('That took too long. Please enter your card again. You have not paid.');
    expect(await shopper.read('Card number')).toBe('');
    expect(await hasty.stop()).toEqual([0, null]);
    for (const digits of [VISA['Card number'], VISA['Security code']]) expect(findTraces(hasty.output, digits)).toEqual([]);
  });

  /**
   * Four digits turn up by chance in what is random: a ciphertext, the ids and the session that the servers gave out, a port. The ciphertext is
   * what 2048 bits of RSA look like, or it stays in.
   */
  function withoutRandomness(bytes: Buffer | string): string {
    let text = Buffer.from(bytes).toString('latin1');
    for (const [, payload] of text.matchAll(/"payload":"([A-Za-z0-9+/]{342}==)"/g)) text = text.replaceAll(payload!, '');
    const issued = proxy.sent().toString('latin1');
    for (const [, session] of issued.matchAll(/sessionId=([^;]+);/g)) text = text.replaceAll(session!, '');
    for (const [, key] of issued.matchAll(/(cek_[0-9a-f]+)/g)) text = text.replaceAll(key!, '');
    return text.replaceAll(/127\.0\.0\.1:\d+/g, '');
  }

  const requestsToPay = () => proxy.received().toString('latin1').split('POST /checkout/pay').length - 1;
});
