import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Stands between browsers and a server on this machine, passes every byte on, and keeps a copy.
 *
 * @param replace - In what the server sends, each first is changed to its second, which must be as
 * long.
 */
export async function startRecordingProxy(target: string, replace: [string, string][] = []) {
  const { hostname, port, pathname } = new URL(target);
  const received: Buffer[] = [];
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((browser) => {
    const server = connect(Number(port), hostname);
    const passOn = (
      from: Socket,
      to: Socket,
      copy: Buffer[],
      change: (bytes: Buffer) => Buffer,
    ) => {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        copy.push(bytes);
        to.write(change(bytes));
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    };
    passOn(browser, server, received, (bytes) => bytes);
    passOn(server, browser, sent, (bytes) => {
      const text = replace.reduce(
        (text, change) => text.replaceAll(...change),
        bytes.toString('latin1'),
      );
      return Buffer.from(text, 'latin1');
    });
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
