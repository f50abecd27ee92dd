'use strict';
// Loaded before a program. It writes a line to standard error whenever the program puts an AsyncLocalStorage into use,
// or enables an async hook: from then on, Node 20 calls hooks for every promise.
const hooks = require('node:async_hooks');

const report = (name) => process.stderr.write(`async-watch: ${name}\n`);
for (const name of ['run', 'enterWith', 'exit']) {
  const original = hooks.AsyncLocalStorage.prototype[name];
  hooks.AsyncLocalStorage.prototype[name] = function (...args) {
    report(`AsyncLocalStorage.${name}`);
    return original.apply(this, args);
  };
}
const { enable } = Object.getPrototypeOf(hooks.createHook({}));
Object.getPrototypeOf(hooks.createHook({})).enable = function () {
  report('AsyncHook.enable');
  return enable.call(this);
};
