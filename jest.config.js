'use strict';

/** Tests speak to the real functions over the real local cloud, so a few of them take tens of seconds. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '\\.(ts|m?js)$': [
      '@swc/jest',
      { jsc: { target: 'es2023', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
    ],
  },
  transformIgnorePatterns: ['/node_modules/(?!(uuid|p-map|mime)/)'],
  setupFiles: ['<rootDir>/test/support/request-lines.ts'],
  testTimeout: 60_000,
  // They wait as much as they compute.
  maxWorkers: 3,
};
