/** What needs a page or a worker is left out, and what tests built files. */
import { inNode } from './in-node.ts';

export default inNode([
  'core/field-rules.node.test.ts',
  'core/errors.test.ts',
  'core/encrypt-card-wiping.test.ts',
  'core/key-reuse.test.ts',
  'core/browser.test.ts',
  'server/index.node.test.ts',
  'corpus/corpus.node.test.ts',
  'core/encrypt-card.node.test.ts',
  'core/card-objects.test.ts',
  'core/key.test.ts',
  'core/encrypt-card.test.ts',
  'core/encrypt-card-properties.test.ts',
]);
