import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PORTS, Shop } from './ports.ts';
import { testShop } from './shops.ts';

testShop(PORTS[1]!);

describe('the server of the shop in Python', () => {
  const shop = new Shop(PORTS[1]!, 'http://127.0.0.1:9'); // no request here reaches the service
  beforeAll(() => shop.start());
  afterAll(() => shop.close());

  /** All that it answers until it closes the connection. */
  const send = async (request: string) => {
    const { port, hostname } = new URL(shop.address);
    const socket = connect(Number(port), hostname);
    socket.write(request);
    return text(socket);
  };
  const next = 'GET /4242424242424242 HTTP/1.1\r\nHost: x\r\n\r\n';

  test.each([
    ['a GET with a body', `GET / HTTP/1.1\r\nHost: x\r\nContent-Length: ${next.length}\r\n\r\n`],
    [
      'two lengths',
      `POST /pago HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: ${next.length}\r\n\r\n`,
    ],
    ['a body in chunks', 'POST /pago HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['another method', 'FOO4242424242424242 / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['what is no request', 'number=4242424242424242&cvv=835 a b c\r\n\r\n'],
    ['an address that is none', 'GET http://[4242424242424242 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('ends the connection after %s, and repeats nothing of it', async (_, request) => {
    const answer = await send(request + next);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 (400|501) Refused\r\n/);
    expect(answer).not.toContain('4242');
  });
});
