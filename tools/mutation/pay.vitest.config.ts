import { inNode } from './in-node.ts';

export default inNode(['pay/decide.node.test.ts']);
