'use strict';

const hooks = require('node:async_hooks');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

/** The storages that the present test file has made, jest's own included. */
const storages = [];

/**
 * Each timer, promise and connection holds what was stored when it was made, and Node's own `fetch` keeps a timer for
 * the life of the process. They hold a key here.
 */
const { AsyncLocalStorage } = hooks;
class ForgettingStorage extends AsyncLocalStorage {
  #stores = new WeakMap();

  constructor(...options) {
    super(...options);
    storages.push(this);
  }

  /** That of Node 24 calls `enterWith`, that of Node 20 does not. */
  run(store, work, ...args) {
    const before = this.getStore();
    this.enterWith(store);
    try {
      return work(...args);
    } finally {
      this.enterWith(before);
    }
  }

  enterWith(store) {
    const key = {};
    this.#stores.set(key, store);
    super.enterWith(key);
  }

  getStore() {
    return this.#stores.get(super.getStore());
  }

  /** Forgets what was stored, and ends the storage: Node 20 works for each one in use whenever a promise is made. */
  end() {
    this.#stores = new WeakMap();
    this.disable();
  }
}
// Node 24 has no setter for it.
Object.defineProperty(hooks, 'AsyncLocalStorage', { value: ForgettingStorage });

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
    for (const storage of storages.splice(0)) storage.end();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
};
