import { inNode } from './in-node.ts';

export default inNode(['form/explore-payments.node.test.ts', '../tools/mutation/rules-tests.ts']);
