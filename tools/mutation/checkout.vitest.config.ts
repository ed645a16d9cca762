import { inNode } from './in-node.ts';

export default inNode([
  'checkout/decide.node.test.ts',
  'checkout/memory-store.node.test.ts',
  'checkout/posted-block.node.test.ts',
  'checkout/corpus.node.test.ts',
  'checkout/surroundings.node.test.ts',
  'checkout/checkout.node.test.ts',
  'checkout/card-payments.node.test.ts',
  'checkout/!(explore*).node.test.ts',
]);
