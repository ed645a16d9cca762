import { describe, expect, onTestFinished, test } from 'vitest';
import { DemoProcess } from './drivers/demo-process.ts';

/**
 * `npm start` without what it does before: another test may be using what it would build anew.
 * NODE_ENV is that of the tests.
 */
const NPM_START = ['env', '-u', 'NODE_ENV', 'npm', 'start', '--ignore-scripts', '--'];

function start(...parameters: ConstructorParameters<typeof DemoProcess>) {
  const demo = new DemoProcess(...parameters);
  onTestFinished(() => demo.kill());
  return demo;
}

describe('npm start', () => {
  // At Ctrl-C the demo gets the signal itself: so checkout.e2e.test.ts ends it.
  test('serves both addresses that it prints, and no more after a SIGTERM that npm alone gets', async () => {
    const demo = start([], NPM_START);
    const { checkout, service } = await demo.addresses();
    const page = await fetch(checkout);
    expect(page.status).toBe(200);
    // Only a session that a page has started gets keys.
    const cookie = page.headers.getSetCookie().map((it) => it.split(';')[0]);
    const request = { method: 'POST', headers: { cookie: cookie.join('; ') } };
    const answer = await fetch(`${checkout}/payment`, request);
    expect(await answer.json()).toMatchObject({
      status: 'open',
      key: { id: expect.stringMatching(/^cek_/) },
    });
    expect((await fetch(`${service}/openapi.json`)).status).toBe(200);
    expect(demo.output).toContain(`Payments, requests:   ${service}/ (the page of the sandbox)`);
    expect(await (await fetch(service)).text()).toContain('Card Payment Service (sandbox)');
    await demo.stop('SIGTERM');
    expect(demo.output).toContain('service:  POST /payments/card/encryption-keys 201');
    expect(demo.output).not.toContain('sk_'); // the secret key, with which it was asked
    expect(demo.output).not.toContain('charged twice'); // no warning about orders in memory
    await expect(fetch(checkout)).rejects.toThrow();
    await expect(fetch(service)).rejects.toThrow();
  });
});
