'use strict';

const hooks = require('node:async_hooks');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

/** The storages that the present test file has made, jest's own included. */
const storages = [];

const { AsyncLocalStorage } = hooks;
hooks.AsyncLocalStorage = class extends AsyncLocalStorage {
  constructor(...options) {
    super(...options);
    storages.push(this);
  }
};

const temporary = tmpdir();

/** A temporary folder that is used from now on, also by the processes that are started. */
function temporaryFolder() {
  process.env.TMPDIR = mkdtempSync(join(temporary, 'test-'));
  return process.env.TMPDIR;
}

/**
 * Gives each test file a temporary folder, so that a test can tell what its code has left there. Frees what test files
 * would leave in their worker, so that the last file of a worker is as fast as the first one.
 */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    // A test file cannot do it: it has a copy of the environment, and `tmpdir` reads that of the process.
    const folder = temporaryFolder();
    super(...given);
    this.folder = folder;
    // The native code of lmdb keeps what loaded it, and with it all modules of a test file. See lmdb.cjs.
    this.global.requireOnce = (name) => require(name);
  }

  async teardown() {
    await super.teardown();
    // Node 20 does work for each storage in use whenever a promise is made.
    for (const storage of storages.splice(0)) storage.disable();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
