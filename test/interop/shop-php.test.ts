import { expect, test } from 'vitest';
import { ACCOUNTS, createService } from '../../demo/service/app.ts';
import { recycledKeyPair } from '../support/card-payment-service.ts';
import { PORTS, Shop } from './ports.ts';
import { testShop } from './shops.ts';

testShop(PORTS[0]!);

test('a post without the CSRF token does not take the order away', async () => {
  const service = createService({ generateKeyPair: recycledKeyPair });
  const shop = new Shop(PORTS[0]!, await service.listen({ port: 0, host: '127.0.0.1' }));
  await shop.start();
  try {
    let cookie = '';
    const send = async (path: string, fields?: Record<string, string>) => {
      const method = fields ? 'POST' : 'GET';
      const body = fields ? new URLSearchParams(fields) : null;
      const init = { method, body, headers: { cookie }, redirect: 'manual' } as const;
      const answer = await fetch(shop.address + path, init);
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      return answer;
    };
    const cart = await (await send('/')).text();
    const csrf = /name="csrf" value="([^"]*)"/.exec(cart)![1]!;
    const path = (await send('/commande', { csrf })).headers.get('location')!;
    const commande = path.split('=')[1]!;
    expect((await send('/paiement', { csrf: `${csrf}x`, commande })).status).toBe(409);
    expect((await send(path)).status).toBe(200);
    expect((await send('/paiement', { csrf, commande: `${commande}x` })).status).toBe(409);
    expect((await send(`${path}x`)).status).toBe(404);
    expect(shop.log).not.toContain(ACCOUNTS[0].secretKey);
  } finally {
    await shop.close();
    await service.close();
  }
});
