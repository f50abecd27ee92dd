'use strict';

const { availableParallelism } = require('node:os');

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
  transformIgnorePatterns: ['/node_modules/(?!(?:uuid|p-map|mime|parse5|entities|@csstools)/)'],
  // Writes the API reference and the runtime, which nearly every test file reads, once for all of them.
  globalSetup: '<rootDir>/test/support/prepare.ts',
  moduleNameMapper: {
    // Tests and functions share one copy of the Admin SDK: each test file loads it once instead of twice.
    '^firebase-admin/(.*)$': '<rootDir>/functions/node_modules/firebase-admin/lib/$1',
    '/runtime/bundle\\.cjs$': '<rootDir>/.build/test/runtime.json',
  },
  setupFiles: ['<rootDir>/test/support/request-lines.ts'],
  // The limit of a test that hangs, not of a slow machine.
  testTimeout: 240_000,
  // They compute more than they wait, so more workers only wait for each other. Each may need 2 GB of memory.
  maxWorkers: Math.min(availableParallelism() + 1, 8),
};
