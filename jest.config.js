'use strict';

const { availableParallelism } = require('node:os');

/**
 * Two suites: the fast one has what is fast for what it proves; `*.long.test.ts` have sizes, fuzzing, kills, forms and
 * commands that change seldom. Without the variable, as in an editor, jest knows the files of both.
 */
const suites = {
  fast: { testMatch: ['**/*.test.ts'], testPathIgnorePatterns: ['/node_modules/', '\\.long\\.test\\.ts$'] },
  long: { testMatch: ['**/*.long.test.ts'] },
  both: { testMatch: ['**/*.test.ts'] },
};

const transform = (parser) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', ...parser },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    },
    module: { type: 'commonjs' },
    sourceMaps: true,
  },
];

/** Tests speak to the real functions over the real local cloud, so a few of them take tens of seconds. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/test'],
  ...suites[process.env.TEST_SUITE ?? 'both'],
  transform: { '\\.(ts|m?js)$': transform({}), '\\.tsx$': transform({ tsx: true }) },
  transformIgnorePatterns: [
    '/functions/lib/',
    '/node_modules/(?!(?:preact|uuid|p-map|mime|parse5|entities|client-zip|@csstools|@noble|@zip\\.js)/)',
  ],
  // Writes the API reference and the runtime, which nearly every test file reads, once for all of them.
  globalSetup: '<rootDir>/test/support/prepare.ts',
  moduleNameMapper: {
    '^lmdb$': '<rootDir>/test/support/lmdb.cjs',
    '/runtime/bundle\\.cjs$': '<rootDir>/.build/test/runtime.json',
    // The package names its files for `import` alone.
    '^(@zip\\.js/zip\\.js/lib/.*)$': '<rootDir>/node_modules/$1',
  },
  setupFiles: ['<rootDir>/test/support/request-lines.ts'],
  // The limit of a test that hangs, not of a slow machine.
  testTimeout: 240_000,
  // Three of them leave a seventh of two processors unused. Each worker may need 1 GB of memory.
  maxWorkers: Math.min(availableParallelism() + 2, 8),
  // Collecting the garbage of a larger worker takes seconds.
  workerIdleMemoryLimit: '600MB',
};
