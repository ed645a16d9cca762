import { pipeline } from 'node:stream/promises';
import { getHeapSnapshot } from 'node:v8';
import { createService } from '../../demo/service/app.ts';

// The service in a process of its own. Tells its port; when told anything, writes a snapshot of its heap to its output and ends.

const service = createService();
await service.listen({ port: 0, host: '127.0.0.1' });
const { port } = service.server.address() as { port: number };
process.send!(port);
process.once('message', async () => {
  await pipeline(getHeapSnapshot(), process.stdout, { end: false });
  process.disconnect();
  await service.close();
});
