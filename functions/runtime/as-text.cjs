// For programs whose bundles contain scripts of the runtime.
const bundles = require('./bundle.cjs');

/** A plugin of esbuild: in the place of `bundle.cjs` the bundle has these scripts as texts. */
module.exports.runtimeAsText = (...names) => ({
  name: 'the runtime as text',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]runtime[\\/]bundle\.cjs$/ }, () => ({
      contents: `module.exports = ${JSON.stringify(Object.fromEntries(names.map((name) => [name, bundles[name]])))};`,
    }));
  },
});
