'use strict';

/**
 * Preloaded into the client. Kills its process, as `kill -9` does, before the change of the disk whose number is in
 * KILLED_AT: a rename or a deletion.
 */
const files = require('node:fs/promises');

let left = Number(process.env.KILLED_AT);
for (const name of ['rename', 'rm', 'rmdir']) {
  const real = files[name];
  files[name] = (...parts) => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    return real(...parts);
  };
}
