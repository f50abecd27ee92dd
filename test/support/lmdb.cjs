'use strict';

/** In tests `lmdb` is loaded once for all files of a worker. */
module.exports = globalThis.requireOnce('lmdb');
