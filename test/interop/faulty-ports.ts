import { SHOP_TIMEOUT_S, testFaults } from './faults.ts';
import { type Port, Shop } from './ports.ts';
import { WORDS } from './shops.ts';

/** The shop of a port, with every fault between it and the service. */
export function testPortWithFaults(port: Port) {
  testFaults(`the shop in ${port.name}`, async (service) => {
    const shop = new Shop(port, service, SHOP_TIMEOUT_S);
    await shop.start();
    return {
      address: shop.address,
      words: WORDS[port.name],
      async begin(buyer) {
        await buyer.open(shop.address);
        await buyer.submit();
      },
      resolve: async (...what) => shop.resolve(...what),
      close: () => shop.close(),
    };
  });
}
