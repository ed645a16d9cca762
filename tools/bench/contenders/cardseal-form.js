export { encryptCard as encrypt, prepareKey as prepare } from '../../../dist/core/index.js';
export { bindCardForm } from '../../../dist/form/index.js';
