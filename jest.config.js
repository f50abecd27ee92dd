'use strict';

const { availableParallelism } = require('node:os');

const transform = (parser) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', ...parser },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    },
    module: { type: 'commonjs' },
  },
];

/** Tests speak to the real functions over the real local cloud, so a few of them take tens of seconds. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '\\.(ts|m?js)$': transform({}), '\\.tsx$': transform({ tsx: true }) },
  transformIgnorePatterns: ['/node_modules/(?!(?:preact|uuid|p-map|mime|parse5|entities|@csstools)/)'],
  // Tests and functions share one copy of the Admin SDK: each test file loads it once instead of twice.
  moduleNameMapper: { '^firebase-admin/(.*)$': '<rootDir>/functions/node_modules/firebase-admin/lib/$1' },
  setupFiles: ['<rootDir>/test/support/request-lines.ts'],
  // The limit of a test that hangs, not of a slow machine.
  testTimeout: 240_000,
  // They compute more than they wait, so more workers only wait for each other. Each may need 2 GB of memory.
  maxWorkers: Math.min(availableParallelism() + 1, 8),
};
