module.exports = {
  testMatch: ['**/*.test.jsx'],
  testEnvironment: './test/jsdom-with-crypto.js',
  transformIgnorePatterns: ['/node_modules/(?!cardseal/)'],
};
