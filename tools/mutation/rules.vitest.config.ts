import { inNode } from './in-node.ts';

export default inNode([
  'form/decide.node.test.ts',
  'documents/press.node.test.ts',
  'form/explore-payments.node.test.ts',
  '../tools/mutation/rules-tests.ts',
]);
