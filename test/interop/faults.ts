/**
 * Each fault of the network, over real HTTP, between a shop and the service. Whatever happens, an
 * order is paid at most once, each text that the shopper reads is true, and there is a way on.
 */
import { chromium, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { FAULTS, type FaultName, isFaultOf } from '../../demo/service/faults.ts';
import type { CardPaymentIntent } from '../../demo/service/schemas.ts';
import { need } from '../../tools/prepare/browsers.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { Buyer, readTold, type Told, type Words } from './buyer.ts';

const APPROVED = '4242424242424242';
const DECLINED = '4000000000000002';

const ON_AUTHORIZE = (Object.keys(FAULTS) as FaultName[]).filter((name) =>
  isFaultOf('authorize', name),
);

/** How long the shops wait for an answer. */
export const SHOP_TIMEOUT_S = 3;
const SLOW_MS = 3500;
const KEY_LIFETIME_MS = 15 * 60 * 1000;

/** A shop that is running. */
export interface FaultyShop {
  words: Words;
  /** Leads a new shopper to the form. */
  begin(buyer: Buyer): Promise<unknown>;
  /** The same in a browser. */
  order(page: Page): Promise<unknown>;
  enter(page: Page, number: string): Promise<unknown>;
  press(page: Page): Promise<unknown>;
  /** What the staff of the shop do after a payment that is not certain. */
  resolve(orderId: string, intentId: string, truth: 'committed' | 'not_paid'): Promise<unknown>;
  close(): Promise<void>;
}

/** What the shopper reads first. Where nobody can know what happened, it is `not_certain`. */
function expectedFirst(fault: FaultName, truth: Told): Told[] {
  if (fault === 'replay') return [truth]; // under its Idempotency-Key it gets the first answer
  if (fault === 'twice-at-once') return [truth, 'not_certain']; // one of both
  if (fault === 'after-key-expired') return ['retry_is_safe'];
  return ['not_certain'];
}

export function testFaults(name: string, startShop: (service: string) => Promise<FaultyShop>) {
  /** How far the service's clock is ahead, in milliseconds. */
  let ahead = 0;
  const service = createService({
    generateKeyPair: recycledKeyPair,
    clock: () => Date.now() + ahead,
  });
  const { faults } = service.sandbox;
  const setFault = (fault: FaultName | undefined, times: number | null = null) =>
    faults.arm('authorize', fault ? { fault, times, slow_ms: SLOW_MS } : null);
  let serviceAddress: string;
  let shop: FaultyShop;
  beforeAll(async () => {
    serviceAddress = await service.listen({ port: 0, host: '127.0.0.1' });
    await service.sandbox.prepare(); // the first key takes longer than shops wait
    shop = await startShop(serviceAddress);
  });
  afterAll(async () => {
    await shop.close();
    await service.close();
  });

  async function ask<T>(path: string, method = 'GET'): Promise<T> {
    const headers = { authorization: `Bearer ${ACCOUNTS[0].secretKey}` };
    const answer = await fetch(serviceAddress + path, { method, headers });
    return (await answer.json()) as T;
  }
  const listIntents = async () => {
    const { data } = await ask<{ data: CardPaymentIntent[] }>('/payments/card?limit=100');
    return data;
  };

  /** One shopper with one order. */
  async function startOrder() {
    const before = new Set((await listIntents()).map(({ id }) => id));
    const buyer = new Buyer(shop.words);
    await shop.begin(buyer);
    const intents = async () => (await listIntents()).filter(({ id }) => !before.has(id));
    const committed = async () =>
      (await intents()).filter(({ status }) => status === 'committed').length;

    /** Reads the page, and compares what it tells with what the service knows in the end. */
    async function read(): Promise<Told> {
      const told = buyer.told();
      await faults.idle(); // what is still on its way may charge
      const count = await committed();
      expect(count).toBeLessThanOrEqual(1);
      if (told === 'paid') expect(count).toBe(1);
      if (['open', 'declined', 'not_paid'].includes(told)) expect(count, told).toBe(0);
      return told;
    }

    return {
      committed,
      read,
      /** Pays, posts the same block again in another tab, and reloads: all tell the same. */
      async pay(number: string): Promise<Told> {
        const block = { encrypted_card: await buyer.encrypt(number) };
        const again = buyer.inAnotherTab();
        await buyer.submit(block);
        const told = await read();
        await again.submit(block);
        expect(again.told()).toBe(told);
        await buyer.open();
        const reloaded = await read();
        // A shop may forget why the shopper sees the form, where nothing is left to know
        if (told !== 'declined') expect(reloaded).toBe(told);
        return told;
      },
      /** The staff look at the intent. If it can still be paid, they cancel it first. */
      async resolve() {
        const { orderId } = buyer;
        for (const { id, status } of await intents()) {
          if (status === 'created') await ask(`/payments/card/${id}/cancel`, 'POST');
          const truth = status === 'committed' ? 'committed' : 'not_paid';
          await shop.resolve(orderId, id, truth);
        }
        await buyer.open();
      },
    };
  }

  describe.each<[string, string, number | null]>([
    ['with a card that is approved', APPROVED, 1],
    ['with a card that is approved, and at each try', APPROVED, null],
    ['with a card that is declined', DECLINED, 1],
  ])(`${name}: %s`, (_, number, times) => {
    test.each(ON_AUTHORIZE)('%s', async (fault) => {
      const order = await startOrder();
      setFault(fault, times);
      let told = await order.pay(number);
      expect(expectedFirst(fault, number === APPROVED ? 'paid' : 'declined')).toContain(told);
      // The shopper does what the page offers, with a card that is approved
      for (let tries = 0; told !== 'paid'; tries++) {
        expect(tries).toBeLessThan(4);
        if (tries === 2) setFault(undefined);
        if (told === 'not_certain') {
          setFault(undefined);
          await order.resolve();
          told = await order.read();
          expect(told).not.toBe('not_certain');
        } else {
          told = await order.pay(APPROVED);
        }
      }
      expect(await order.committed()).toBe(1);
      setFault(undefined);
    });
  });

  test(`${name}: a shopper reads each of the texts in a browser, and pays each order once`, async () => {
    const { from, path } = need('chromium');
    const browser = await chromium.launch(from === 'system' ? { executablePath: path } : {});
    try {
      /** A page of a new shopper, with what it tells: only what can be seen. */
      async function start() {
        const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
        await shop.order(page);
        const told = async () => {
          // In one step: another page can come between two.
          const { text, hasForm } = await page.evaluate(() => ({
            text: [...document.querySelectorAll<HTMLElement>('h1, [role=alert]')]
              .map(({ innerText }) => innerText)
              .join('\n'),
            hasForm: !!document.querySelector('[autocomplete=cc-number]')?.checkVisibility(),
          }));
          return readTold(text, hasForm, shop.words);
        };
        const pay = async (number: string, expected: Told) => {
          await shop.enter(page, number);
          await shop.press(page);
          await expect.poll(() => told().catch(String)).toBe(expected);
        };
        return { page, told, pay };
      }
      const paid = async () =>
        (await listIntents()).filter(({ status }) => status === 'committed').length;
      const before = await paid();

      const declined = await start();
      expect(await declined.told()).toBe('open');
      await declined.pay(DECLINED, 'declined');
      expect(await paid()).toBe(before);
      await declined.pay(APPROVED, 'paid');
      expect(await paid()).toBe(before + 1);

      const uncertain = await start();
      setFault('after-key-expired', 1);
      await uncertain.pay(APPROVED, 'retry_is_safe');
      await uncertain.pay(APPROVED, 'not_certain');
      await uncertain.page.reload();
      expect(await uncertain.told()).toBe('not_certain');
      expect(await paid()).toBe(before + 2);

      ahead = 2000 - KEY_LIFETIME_MS; // the key is good for two seconds
      const late = await start();
      await shop.enter(late.page, APPROVED);
      await late.page.waitForTimeout(2500);
      ahead = 0;
      await late.pay(APPROVED, 'not_paid');
      expect(await paid()).toBe(before + 2);
      await late.pay(APPROVED, 'paid');
      expect(await paid()).toBe(before + 3);
    } finally {
      ahead = 0;
      await browser.close();
    }
  });
}
