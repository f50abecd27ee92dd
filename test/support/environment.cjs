'use strict';

const hooks = require('node:async_hooks');
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

/** Frees what test files would leave in their worker, so that the last file of a worker is as fast as the first one. */
module.exports = class extends TestEnvironment {
  constructor(...given) {
    super(...given);
    // The native code of lmdb keeps what loaded it, and with it all modules of a test file. See lmdb.cjs.
    this.global.requireOnce = (name) => require(name);
  }

  async teardown() {
    await super.teardown();
    // Node 20 does work for each storage in use whenever a promise is made.
    for (const storage of storages.splice(0)) storage.disable();
  }
};
