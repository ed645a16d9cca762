/** `cardseal/checkout`, as the demo's merchant uses it. */
import { CardPayments, createCheckout } from 'cardseal/checkout';
import { createMerchant } from '../../demo/merchant/app.ts';
import { ACCOUNTS } from '../../demo/service/app.ts';
import { SHOP_TIMEOUT_S, testFaults } from './faults.ts';

testFaults('the shop in TypeScript', async (baseUrl) => {
  const { secretKey } = ACCOUNTS[0];
  const payments = new CardPayments({ baseUrl, secretKey, timeoutMs: SHOP_TIMEOUT_S * 1000 });
  const merchant = createMerchant({ payments });
  const address = await merchant.listen({ host: '127.0.0.1', port: 0 });
  /** Of the same orders: those of this process. */
  const { resolve } = createCheckout({ payments });
  return {
    words: {
      paid: 'Thank you',
      declined: /Your card was declined\. You have not paid\./,
      refused: /The payment could not be made\. You have not paid\./,
      retry: /We do not know yet whether you have paid\. .* you cannot pay twice/,
      unclear: 'We do not know whether you have paid',
    },
    begin: (buyer) => buyer.open(`${address}/checkout/plain`),
    async order(page) {
      await page.goto(`${address}/checkout`);
      await page.waitForSelector('button[data-cardseal-enable]:enabled');
    },
    async enter(page, number) {
      await page.waitForSelector('button[data-cardseal-enable]:enabled');
      await page.getByLabel('Card number').fill(number);
      await page.getByLabel('Name on card').fill('Zoë Ångström');
      await page.getByLabel('Expiry date').fill('12 / 39');
      await page.getByLabel('Security code').fill('1234');
    },
    press: (page) => page.getByRole('button', { name: /^Pay/ }).click({ noWaitAfter: true }),
    resolve,
    close: async () => void (await merchant.close()),
  };
});
