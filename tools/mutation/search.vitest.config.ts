/** The pure parts of the check. Its search is that of the built file, too. */
import { inNode } from './in-node.ts';

export default inNode(['check/search.node.test.ts']);
