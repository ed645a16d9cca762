const { TestEnvironment } = require('jest-environment-jsdom');

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    Object.defineProperty(this.global, 'crypto', { value: crypto });
    Object.assign(this.global, { TextEncoder, Uint8Array, ArrayBuffer }); // all of one realm
    this.global.IS_REACT_ACT_ENVIRONMENT = true;
  }
};
