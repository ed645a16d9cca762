import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between browsers and a server on this machine, passes every byte on, and keeps a copy. */
export async function startRecordingProxy(target: string) {
  const { hostname, port, pathname } = new URL(target);
  const received: Buffer[] = [];
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((browser) => {
    const server = connect(Number(port), hostname);
    for (const [from, to, copy] of [
      [browser, server, received],
      [server, browser, sent],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => copy.push(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    host,
    /** The target's page at the proxy's address. */
    address: `http://${host}${pathname}`,
    /** What the server received: every byte of every connection. */
    received: () => Buffer.concat(received),
    /** What the server sent. */
    sent: () => Buffer.concat(sent),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
