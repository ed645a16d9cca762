module.exports = {
  preset: 'ts-jest/presets/js-with-ts',
  testMatch: ['**/*.test.tsx'],
  testEnvironment: './test/jsdom-with-crypto.js',
  transformIgnorePatterns: ['/node_modules/(?!cardseal/)'],
};
