// Prints what each function loads when an instance starts, as JSON. With the name of a function and a path, prints what
// that function has loaded after it has answered a GET of the path.
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { root } from './root.mjs';

const lib = join(root, 'functions', 'lib');
const require = createRequire(import.meta.url);

const session = new Session();
session.connect();
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const [name, path] = process.argv.slice(2);
const result = name ? await afterAnswer(name, path) : atStart();
// Connections to the backends would keep the process running.
process.stdout.write(JSON.stringify(result), () => process.exit());

/** What each function has loaded when it is ready for requests. */
function atStart() {
  const names = Object.keys(require(join(lib, 'index.js'))).sort();
  const rows = names.map((each) => {
    for (const file of filesInMemory()) delete require.cache[file];
    loaded();
    load(each);
    const { files, bytes, modules } = loaded();
    const own = modules.filter((id) => id.startsWith('src/')).length;
    return [each, { files, bytes, own, ofPackages: modules.length - own }];
  });
  return Object.fromEntries(rows);
}

/** What the function has loaded when it has answered a GET of the path. */
async function afterAnswer(each, url) {
  const server = createServer(load(each)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${server.address().port}${url}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${response.status} of ${each}`);
  return loaded();
}

/** Calls the inspector. Without another thread it answers before `post` returns. */
function post(method, parameters) {
  let answer;
  session.post(method, parameters, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

function load(each) {
  return require(join(lib, 'index.js'))[each];
}

function filesInMemory() {
  return Object.keys(require.cache).filter((file) => file.startsWith(lib));
}

/**
 * The loaded files with their size in bytes, and the modules that have been evaluated since the last call. esbuild
 * wraps each module in a function that has the path of the module as its name.
 */
function loaded() {
  const files = filesInMemory();
  const functions = post('Profiler.takePreciseCoverage')
    .result.filter(({ url }) => files.includes(url.replace('file://', '')))
    .flatMap((script) => script.functions)
    .filter(({ ranges }) => ranges[0].count > 0);
  return {
    files: files.map((file) => basename(file)).sort(),
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    modules: functions
      .map(({ functionName }) => functionName)
      .filter((each) => /^(src|(\.\.\/)?node_modules)\//.test(each)),
  };
}
