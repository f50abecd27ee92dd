// For programs that bundle the functions to run them: `bundle.cjs` calls esbuild, which does not work inside a bundle.
const { join } = require('node:path');

/** A plugin of esbuild: the bundle loads `bundle.cjs` from its place. */
module.exports.runtimeAsIs = {
  name: 'the runtime is not bundled',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/runtime\/bundle\.cjs$/ }, () => ({ path: join(__dirname, 'bundle.cjs'), external: true }));
  },
};
