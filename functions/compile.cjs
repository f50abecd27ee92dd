// npm runs this program after it has installed the packages, also when the cloud builds a deploy. It
// keeps the compiled code of the functions in lib/compiled, from which lib/index.js starts faster. Without the folder,
// or with another version of Node, the functions start as before.
const { existsSync, mkdirSync, rmSync } = require('node:fs');
const { flushCompileCache } = require('node:module');

const folder = `${__dirname}/lib/compiled`;

if (flushCompileCache && existsSync(`${__dirname}/lib/index.js`)) {
  try {
    mkdirSync(folder, { recursive: true });
    // Reading the properties loads the functions, and then the packages that most of them use. An instance in the cloud
    // loads google-auth.js at its first read.
    Object.values(require('./lib/index.js'));
    Object.values(require('./lib/google-auth.js'));
    Object.values(require('./lib/google.js'));
    require('./lib/agents.js');
    require('./lib/parse5.js');
    Object.values(require('./lib/preact.js'));
    flushCompileCache();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    console.error('The functions were not compiled. They start more slowly.', error);
  }
}
