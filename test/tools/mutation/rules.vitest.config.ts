import { inNode } from './in-node.ts';

export default inNode(['tools/mutation/rules-tests.ts']);
