export { encryptCard as encrypt, prepareKey as prepare } from '../../../dist/core/index.js';
