/** Stands in for `vitest/browser` where the core's browser tests run in Node. */
import { decryptInNode } from './decrypt-in-node.ts';

export const commands = {
  decryptInNode: async (payload: string) => decryptInNode(undefined as never, payload),
};
