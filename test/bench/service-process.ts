/** The demo's Card Payment Service in a process of its own. Tells its port; ends when its parent does. */
import { createService } from '../../demo/service/app.ts';
import { generateRsaKeyPair } from '../../demo/service/processor/index.ts';

// A pair takes longer to generate than a hundred authorizations: four of them stand in for all, so that the preparations end.
const pairs = await Promise.all([1, 2, 3, 4].map(() => generateRsaKeyPair(2048)));
let issued = 0;
const service = createService({ generateKeyPair: async () => pairs[issued++ % pairs.length]! });
await service.listen({ port: 0, host: '127.0.0.1' });
process.send!((service.server.address() as { port: number }).port);
process.once('disconnect', () => service.close());
