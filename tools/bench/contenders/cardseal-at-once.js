// A page that has the card when it gets the key: nothing to prepare.
export { encryptCard as encrypt } from '../../../dist/core/index.js';
export const prepare = (key) => key;
