import { writeHeapSnapshot } from 'node:v8';
import { createService } from '../../demo/service/app.ts';

// The service in a process of its own. It sends its port. When it is sent the name of a file, it
// writes a snapshot of its heap there and ends.

const service = createService();
await service.listen({ port: 0, host: '127.0.0.1' });
const { port } = service.server.address() as { port: number };
process.send!(port);
process.once('message', async (file: string) => {
  writeHeapSnapshot(file); // the stream of `getHeapSnapshot` does not end in Node 20.19
  process.disconnect();
  await service.close();
});
