import { SHOP_TIMEOUT_S, testFaults } from './faults.ts';
import { type Port, Shop } from './ports.ts';
import { WORDS } from './shops.ts';

/** The shop of a port, with every fault between it and the service. */
export function testPortWithFaults(port: Port) {
  const words = WORDS[port.name];
  testFaults(`the shop in ${port.name}`, async (service) => {
    const shop = new Shop(port, service, SHOP_TIMEOUT_S);
    await shop.start();
    return {
      words,
      async begin(buyer) {
        await buyer.open(shop.address);
        await buyer.submit();
      },
      async order(page) {
        await page.goto(shop.address);
        await page.click(`text=${words.order}`);
        await page.waitForSelector('button[data-cardseal-enable]:enabled');
      },
      async enter(page, number) {
        await page.waitForSelector('button[data-cardseal-enable]:enabled');
        await page.fill('#numero', number);
        await page.fill(words.names.holder, 'Zoë Ångström');
        await words.enterExpiry(page);
        await page.fill(words.names.code, '1234');
      },
      press: (page) => page.getByRole('button', { name: words.pay }).click({ noWaitAfter: true }),
      resolve: async (...what) => shop.resolve(...what),
      close: () => shop.close(),
    };
  });
}
